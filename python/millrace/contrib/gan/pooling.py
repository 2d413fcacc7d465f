"""A pool of tensors of earlier steps."""

import millrace as tf


def tensor_pool(input_values, pool_size=50, pooling_probability=0.5, name="tensor_pool"):
  """Returns values of this step or, with some probability, of an earlier one, for which those of this step are kept.

  `input_values` is a tensor, or a list or tuple of tensors, which stay together; the result has the same structure. At most `pool_size`
  are kept; 0 keeps none. Raises ValueError if `pool_size` is negative.
  """
  if pool_size is None:
    raise ValueError("`pool_size` is None.")
  pool_size = int(pool_size)
  if pool_size < 0:
    raise ValueError("`pool_size` is negative.")
  if pool_size == 0:
    return input_values
  values = list(input_values) if isinstance(input_values, (list, tuple)) else [input_values]
  with tf.name_scope(f"{name}_pool_queue", values=values):
    pool = tf.RandomShuffleQueue(
      capacity=pool_size,
      min_after_dequeue=0,
      dtypes=[value.dtype for value in values],
      shapes=None,
    )

    def filled():
      # The pool grows until it is full.
      with tf.control_dependencies([pool.enqueue(values)]):
        return [tf.identity(value) for value in values]

    def exchanged():
      taken = pool.dequeue()
      taken = taken if isinstance(taken, (list, tuple)) else [taken]
      with tf.control_dependencies(taken), tf.control_dependencies([pool.enqueue(values)]):
        return [tf.identity(value) for value in taken]

    def maybe_exchanged():
      drawn = tf.random_uniform([], dtype=tf.float32)
      return tf.cond(tf.less(drawn, pooling_probability), exchanged, lambda: [tf.identity(value) for value in values])

    chosen = tf.cond(tf.less(pool.size(), pool_size), filled, maybe_exchanged)
    chosen = list(chosen) if isinstance(chosen, (list, tuple)) else [chosen]
    for value, given in zip(chosen, values):
      value.set_shape(given.shape)
  if isinstance(input_values, list):
    return chosen
  return tuple(chosen) if isinstance(input_values, tuple) else chosen[0]
