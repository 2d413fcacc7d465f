"""Queues that threads fill with rows of data in memory."""

import threading

import numpy as np

import millrace as tf
from millrace.train import queue_runners


class FeedingQueueRunner(queue_runners.QueueRunner):
  """A queue runner each of whose enqueue ops has a function that says what to feed; OutOfRangeError of it ends the thread."""

  def __init__(
    self, queue=None, enqueue_ops=None, close_op=None, cancel_op=None, feed_fns=None, queue_closed_exception_types=None
  ):
    super().__init__(queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types)
    self._feed_fns = [None] * len(enqueue_ops) if feed_fns is None else list(feed_fns)
    if len(self._feed_fns) != len(enqueue_ops):
      raise ValueError(
        "If feed_fns is not None, it must have the same length as enqueue_ops. "
        f"len(feed_fns) = {len(self._feed_fns)}, len(enqueue_ops) = {len(enqueue_ops)}"
      )

  def _run(self, sess, enqueue_op, coord=None):
    feed_fn = self._feed_fns[self._enqueue_ops.index(enqueue_op)]
    super()._run(sess if feed_fn is None else _FeedingSession(sess, feed_fn), enqueue_op, coord)


class _FeedingSession:
  """A session whose callables feed what a function returns. It counts as the session that it stands for."""

  def __init__(self, session, feed_fn):
    self._session = session
    self._feed_fn = feed_fn

  def __eq__(self, other):
    return other is self._session or other is self

  def __hash__(self):
    return hash(self._session)

  def make_callable(self, op):
    return lambda: self._session.run(op, feed_dict=self._feed_fn())

  def run(self, fetches):
    return self._session.run(fetches)


class _RowsOfEpochs:
  """Says which rows come next: `batch_size` at a time, from one epoch into the next, until all epochs are over."""

  def __init__(self, num_rows, batch_size, start, num_epochs):
    self._num_rows = num_rows
    self._batch_size = batch_size
    self._next = start
    self._left = None if num_epochs is None else num_rows * num_epochs
    self._lock = threading.Lock()

  def take(self):
    """The indices of the next rows. Raises OutOfRangeError if there are none."""
    with self._lock:
      count = self._batch_size if self._left is None else min(self._batch_size, self._left)
      if count <= 0:
        raise tf.errors.OutOfRangeError(None, None, "Already emitted all epochs.")
      rows = np.arange(self._next, self._next + count) % self._num_rows
      self._next = (self._next + count) % self._num_rows
      if self._left is not None:
        self._left -= count
      return rows


def enqueue_rows(
  columns, capacity, shuffle, min_after_dequeue, num_threads, seed, enqueue_size, num_epochs, name="enqueue_input"
):
  """A queue that gets the rows of a list of arrays, each row beginning with its index.

  Each thread feeds all epochs, in order, or from a random row on if `shuffle`, which also mixes them in the queue.
  """
  num_rows = len(columns[0])
  random = np.random.RandomState(seed)
  with tf.name_scope(name):
    types = [tf.int64] + [_type_of(column) for column in columns]
    shapes = [()] + [column.shape[1:] for column in columns]
    if shuffle:
      queue = tf.RandomShuffleQueue(capacity, min_after_dequeue, dtypes=types, shapes=shapes, seed=seed)
    else:
      min_after_dequeue = 0
      queue = tf.FIFOQueue(capacity, dtypes=types, shapes=shapes)
    enqueue_ops, feed_fns = [], []
    for _ in range(num_threads):
      placeholders = [tf.placeholder(dtype) for dtype in types]
      enqueue_ops.append(queue.enqueue_many(placeholders))
      rows = _RowsOfEpochs(num_rows, enqueue_size, random.randint(num_rows) if shuffle else 0, num_epochs)
      feed_fns.append(_feed_fn(placeholders, columns, rows))
    runner = FeedingQueueRunner(queue=queue, enqueue_ops=enqueue_ops, feed_fns=feed_fns)
    queue_runners.add_queue_runner(runner)
    room = capacity - min_after_dequeue
    full = tf.cast(tf.maximum(0, queue.size() - min_after_dequeue), tf.float32) * (1.0 / room)
    tf.summary.scalar(f"queue/{queue.name}fraction_over_{min_after_dequeue}_of_{room}_full", full)
    return queue


def _type_of(column):
  return tf.string if column.dtype.kind in "OSU" else tf.as_dtype(column.dtype)


def _feed_fn(placeholders, columns, rows):
  def feed():
    taken = rows.take()
    return dict(zip(placeholders, [taken.astype(np.int64), *(column[taken] for column in columns)]))

  return feed


def batches_of(queue, batch_size, num_epochs):
  """The tensors of a batch, without the rows' indices; with an end of epochs the last batch may be smaller."""
  tensors = queue.dequeue_many(batch_size) if num_epochs is None else queue.dequeue_up_to(batch_size)
  return tensors[1:]


def check_shuffle(shuffle):
  """Raises ValueError unless it was said whether to shuffle."""
  if not isinstance(shuffle, bool):
    raise ValueError(  # noqa: TRY004 (TensorFlow's class)
      f"shuffle must be provided and explicitly set as boolean (it is recommended to set it as True for training); got {shuffle}"
    )
