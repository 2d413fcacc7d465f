"""Batches of elements that belong together, such as sequences of about the same length."""

import millrace as tf
from millrace.framework import convert, dtypes, tensor_shape, tensor_values
from millrace.train import queue_runners
from millrace.train.input import batch_parts as parts
from millrace.train.input import storing

_CLOSED = (tf.errors.OutOfRangeError, tf.errors.CancelledError)


def bucket(
  tensors,
  which_bucket,
  batch_size,
  num_buckets,
  num_threads=1,
  capacity=32,
  bucket_capacities=None,
  shapes=None,
  dynamic_pad=False,
  allow_smaller_final_batch=False,
  keep_input=True,
  shared_name=None,
  name=None,
):
  """Puts each element, a list or map of tensors, into the bucket `which_bucket`, and gives batches of one bucket each.

  Returns (number of the bucket, batch as `tensors`). `batch_size` may be a list, a size for each bucket, and so may
  `bucket_capacities`, of elements; `capacity` is that of batches that are ready, and of buckets without their own. `num_threads` threads
  fill the buckets. The other arguments are those of tf.train.maybe_batch. Raises ValueError for lists that are not of `num_buckets`.
  """
  batch_sizes = list(batch_size) if isinstance(batch_size, (list, tuple)) else [batch_size] * num_buckets
  if len(batch_sizes) != num_buckets:
    raise ValueError(
      f"If batch_size is a list it must have num_buckets elements, but saw batch_size={batch_size}, num_buckets={num_buckets}"
    )
  if bucket_capacities is None:
    bucket_capacities = [capacity] * num_buckets
  if len(bucket_capacities) != num_buckets:
    raise ValueError(
      f"The list bucket_capacities (in [0, num_buckets)) must have exactly num_buckets={num_buckets} elements, "
      f"but saw {bucket_capacities}"
    )
  tensor_list = parts.as_tensor_list(tensors)
  with tf.name_scope(name, "bucket", tensor_list) as scope:
    tensor_list, keep_input, infos = parts.checked(tensor_list, keep_input, enqueue_many=False)
    queues = [
      parts.which_queue(dynamic_pad)(
        capacity=bucket_capacity,
        dtypes=parts.dtypes([tensor_list]),
        shapes=parts.shapes([tensor_list], shapes, enqueue_many=False),
        shared_name=None if shared_name is None else f"{shared_name}_{i}",
        name=f"bucket_queue_{i}",
      )
      for i, bucket_capacity in enumerate(bucket_capacities)
    ]
    ready = _Ready(queues, batch_sizes, capacity, allow_smaller_final_batch, shared_name)
    which_bucket = convert.convert_to_tensor(which_bucket, dtype=dtypes.int32, name="which_bucket")
    put = storing.smart_cond(keep_input, lambda: _put(queues, which_bucket, tensor_list), tf.no_op)
    queue_runners.add_queue_runner(
      queue_runners.QueueRunner(
        queues[0],
        [put] * num_threads,
        close_op=tf.group(*[queue.close() for queue in queues], name="close_all_buckets"),
        cancel_op=tf.group(*[queue.close(cancel_pending_enqueues=True) for queue in queues], name="cancel_all_buckets"),
        queue_closed_exception_types=_CLOSED,
      )
    )
    which, batch = ready.take(scope)
    batch = storing.restore_sparse_tensors(batch, infos)
    return which, _like(tensors, batch)


def _like(tensors, batch):
  """A batch as a list or map, as the elements were given."""
  if isinstance(tensors, dict) and len(batch) == 1:
    return {next(iter(tensors)): batch[0]}
  return parts.as_original_type(tensors, batch)


def _put(queues, which_bucket, tensor_list):
  """The op that puts an element into its queue."""

  def only(i):
    return tf.cond(tf.equal(which_bucket, i), lambda: queues[i].enqueue(tensor_list), tf.no_op)

  return tf.group(*[only(i) for i in range(len(queues))], name="group_enqueue")


class _Ready:
  """The queue of batches that are ready, which a thread for each bucket fills."""

  def __init__(self, queues, batch_sizes, capacity, allow_smaller_final_batch, shared_name):
    self._shapes = [None if shape is None else tensor_shape.TensorShape(shape) for shape in queues[0].shapes]
    sizes = {tensor_values.constant_value(size) if isinstance(size, tf.Tensor) else size for size in batch_sizes}
    self._batch_size = sizes.pop() if len(sizes) == 1 and not allow_smaller_final_batch else None
    self._queue = tf.FIFOQueue(
      capacity=capacity, dtypes=[dtypes.int32, *queues[0].dtypes], shared_name=shared_name, name="top_queue"
    )
    moves = []
    for i, (queue, size) in enumerate(zip(queues, batch_sizes)):
      taken = queue.dequeue_up_to(size) if allow_smaller_final_batch else queue.dequeue_many(size)
      taken = list(taken) if isinstance(taken, (list, tuple)) else [taken]
      moves.append(self._queue.enqueue([tf.constant(i, dtype=dtypes.int32), *taken], name=f"enqueue_from_bucket_{i}"))
    queue_runners.add_queue_runner(
      queue_runners.QueueRunner(
        self._queue,
        moves,
        close_op=self._queue.close(),
        cancel_op=self._queue.close(cancel_pending_enqueues=True),
        queue_closed_exception_types=_CLOSED,
      )
    )
    for queue in queues:
      tf.summary.scalar(f"bucket/{queue.name}/size", tf.cast(queue.size(), tf.float32))
    tf.summary.scalar(
      f"bucket/{self._queue.name}/fraction_of_{capacity}_full", tf.cast(self._queue.size(), tf.float32) * (1.0 / capacity)
    )

  def take(self, scope):
    """Returns (number of the bucket, list of the tensors of a batch)."""
    which, *batch = self._queue.dequeue(name=scope)
    which.set_shape([])
    for tensor, shape in zip(batch, self._shapes):
      if shape is not None:
        tensor.set_shape(tensor_shape.TensorShape([self._batch_size]).concatenate(shape))
    return which, batch


def bucket_by_sequence_length(
  input_length,
  tensors,
  batch_size,
  bucket_boundaries,
  num_threads=1,
  capacity=32,
  bucket_capacities=None,
  shapes=None,
  dynamic_pad=False,
  allow_smaller_final_batch=False,
  keep_input=True,
  shared_name=None,
  name=None,
):
  """Batches of elements whose `input_length`, an int32 scalar, lies between the same two of `bucket_boundaries`.

  Returns (lengths of the batch, batch as `tensors`). The boundaries are growing integers; there is a bucket before the first and one from the
  last on. The other arguments are those of `bucket`. Raises TypeError for boundaries that are no list of integers, ValueError for none and
  for boundaries that do not grow.
  """
  if not isinstance(bucket_boundaries, (list, tuple)):
    raise TypeError(f"bucket_boundaries must be a list or tuple, but received: {bucket_boundaries}")
  if not bucket_boundaries:
    raise ValueError("bucket_boundaries must not be empty")
  for before, after in zip(bucket_boundaries[:-1], bucket_boundaries[1:]):
    if not isinstance(before, int) or not isinstance(after, int):
      raise TypeError(f"bucket boundaries must be integers, but saw: {before} and {after}")
    if before >= after:
      raise ValueError(f"Buckets must contain sequential increasing lengths, but saw: {before} before {after}")
  tensor_list = parts.as_tensor_list(tensors)
  with tf.name_scope(name, "bucket_by_sequence_length", [input_length, *tensor_list]) as scope:
    input_length = convert.convert_to_tensor(input_length, dtype=dtypes.int32, name="input_length")
    boundaries = tf.constant(list(bucket_boundaries), dtype=dtypes.int32)
    which_bucket = tf.reduce_sum(tf.cast(input_length >= boundaries, dtypes.int32))
    if shapes is not None:
      shapes = [tensor_shape.TensorShape([]), *shapes]
    _, batch = bucket(
      tensors=[input_length, *tensor_list],
      which_bucket=which_bucket,
      batch_size=batch_size,
      num_buckets=len(bucket_boundaries) + 1,
      num_threads=num_threads,
      capacity=capacity,
      bucket_capacities=bucket_capacities,
      shapes=shapes,
      dynamic_pad=dynamic_pad,
      allow_smaller_final_batch=allow_smaller_final_batch,
      keep_input=keep_input,
      shared_name=shared_name,
      name=scope,
    )
    return batch[0], _like(tensors, batch[1:])
