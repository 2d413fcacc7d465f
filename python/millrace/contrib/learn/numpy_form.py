"""tf.contrib.learn.io: input functions of arrays and frames, which shuffle unless it is said otherwise."""

from millrace.estimator.inputs import numpy_input, pandas_input


def numpy_input_fn(x, y=None, batch_size=128, num_epochs=1, shuffle=True, queue_capacity=1000, num_threads=1):
  """See tf.estimator.inputs.numpy_input_fn."""
  return numpy_input.numpy_input_fn(x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads)


def pandas_input_fn(
  x, y=None, batch_size=128, num_epochs=1, shuffle=True, queue_capacity=1000, num_threads=1, target_column="target"
):
  """See tf.estimator.inputs.pandas_input_fn."""
  return pandas_input.pandas_input_fn(x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads, target_column)
