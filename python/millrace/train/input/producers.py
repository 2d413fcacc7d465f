"""Producers: queues that are filled with the elements of a tensor, again and again."""

import millrace as tf
from millrace.framework import convert
from millrace.train import queue_runners


def match_filenames_once(pattern, name=None):
  """A local variable with the names of the files that match `pattern` when it is initialized."""
  with tf.name_scope(name, "matching_filenames", [pattern]) as scope:
    return tf.Variable(
      name=scope,
      initial_value=tf.matching_files(pattern),
      trainable=False,
      validate_shape=False,
      collections=[tf.GraphKeys.LOCAL_VARIABLES],
    )


def limit_epochs(tensor, num_epochs=None, name=None):
  """`tensor`, which can be read `num_epochs` times; then OutOfRangeError is raised. None is no limit.

  The count is a local variable. Raises ValueError for numbers that aren't positive.
  """
  if num_epochs is None:
    return tensor
  if num_epochs <= 0:
    raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
  with tf.name_scope(name, "limit_epochs", [tensor]) as scope:
    zero64 = tf.constant(0, dtype=tf.int64)
    epochs = tf.Variable(zero64, name="epochs", trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    counter = epochs.count_up_to(num_epochs)
    with tf.control_dependencies([counter]):
      return tf.identity(tensor, name=scope)


def input_producer(
  input_tensor,
  element_shape=None,
  num_epochs=None,
  shuffle=True,
  seed=None,
  capacity=32,
  shared_name=None,
  summary_name=None,
  name=None,
  cancel_op=None,
):
  """A queue of the rows of `input_tensor`, `num_epochs` times or forever, each time in a new order if `shuffle`.

  Its queue runner is added to the graph. Raises ValueError if the shape of a row isn't known.
  """
  with tf.name_scope(name, "input_producer", [input_tensor]):
    input_tensor = convert.convert_to_tensor(input_tensor, name="input_tensor")
    element_shape = input_tensor.get_shape()[1:].merge_with(element_shape)
    if not element_shape.is_fully_defined():
      raise ValueError("Either `input_tensor` must have a fully defined shape or `element_shape` must be specified")
    if shuffle:
      input_tensor = tf.random_shuffle(input_tensor, seed=seed)
    input_tensor = limit_epochs(input_tensor, num_epochs)
    queue = tf.FIFOQueue(
      capacity=capacity,
      dtypes=[input_tensor.dtype.base_dtype],
      shapes=[element_shape],
      shared_name=shared_name,
      name=name,
    )
    enqueue = queue.enqueue_many([input_tensor])
    queue_runners.add_queue_runner(queue_runners.QueueRunner(queue, [enqueue], cancel_op=cancel_op))
    if summary_name is not None:
      tf.summary.scalar(summary_name, tf.cast(queue.size(), tf.float32) * (1.0 / capacity))
    return queue


def string_input_producer(
  string_tensor,
  num_epochs=None,
  shuffle=True,
  seed=None,
  capacity=32,
  shared_name=None,
  name=None,
  cancel_op=None,
):
  """A queue of strings, such as names of files. Raises ValueError for none, InvalidArgumentError where that shows at run."""
  not_null_err = "string_input_producer requires a non-null input tensor"
  if not isinstance(string_tensor, tf.Tensor) and not string_tensor:
    raise ValueError(not_null_err)
  with tf.name_scope(name, "input_producer", [string_tensor]) as scope:
    string_tensor = convert.convert_to_tensor(string_tensor, dtype=tf.string)
    with tf.control_dependencies([tf.Assert(tf.greater(tf.size(string_tensor), 0), [not_null_err])]):
      string_tensor = tf.identity(string_tensor)
    return input_producer(
      input_tensor=string_tensor,
      element_shape=[],
      num_epochs=num_epochs,
      shuffle=shuffle,
      seed=seed,
      capacity=capacity,
      shared_name=shared_name,
      name=scope,
      summary_name=f"fraction_of_{capacity}_full",
      cancel_op=cancel_op,
    )


def range_input_producer(limit, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
  """A queue of the integers from 0 to `limit` - 1."""
  with tf.name_scope(name, "input_producer", [limit]) as scope:
    range_tensor = tf.range(limit)
    return input_producer(
      range_tensor, [], num_epochs, shuffle, seed, capacity, shared_name, f"fraction_of_{capacity}_full", scope
    )


def slice_input_producer(tensor_list, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
  """The rows of several tensors, one of each at a time, as a list of tensors."""
  with tf.name_scope(name, "input_producer", tensor_list):
    tensor_list = convert.convert_n_to_tensor_or_indexed_slices(tensor_list)
    if not tensor_list:
      raise ValueError("Expected at least one tensor in slice_input_producer().")
    range_size = tf.shape(tensor_list[0])[0]
    queue = range_input_producer(
      range_size, num_epochs=num_epochs, shuffle=shuffle, seed=seed, capacity=capacity, shared_name=shared_name
    )
    index = queue.dequeue()
    return [tf.gather(t, index) for t in tensor_list]
