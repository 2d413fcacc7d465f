"""All values of all batches, in a variable that grows."""

import millrace as tf
from millrace.framework import dtypes
from millrace.ops.metrics.variables import collected, metric_variable


def streaming_concat(values, axis=0, max_size=None, metrics_collections=None, updates_collections=None, name=None):
  """The values of all batches along `axis`; what is beyond `max_size` is left out.

  The local variables are `array` and `size`, the number of its rows. Each batch copies the array.

  Raises:
    ValueError: for an axis that there is not, and if another dimension is not known.
  """
  with tf.variable_scope(name, "streaming_concat", (values,)):
    values = tf.convert_to_tensor(values)
    rank = values.get_shape().ndims
    if rank is None:
      raise ValueError("`values` must have known rank")
    if axis < 0:
      axis += rank
    if not 0 <= axis < rank:
      raise ValueError(f"axis = {axis} not in [0, {rank})")
    others = [size.value for place, size in enumerate(values.get_shape().dims) if place != axis]
    if any(size is None for size in others):
      raise ValueError("all dimensions of `values` other than the dimension to concatenate along must have statically known size")
    # Kept with the axis that grows as the first one.
    order = [axis] + [place for place in range(rank) if place != axis]
    back = sorted(range(rank), key=order.__getitem__)
    array = metric_variable([0] + others, values.dtype, validate_shape=False, name="array")
    size = metric_variable([], dtypes.int32, name="size")
    rows = tf.transpose(values, order) if axis else values
    old_size = tf.identity(size)
    added = tf.shape(rows)[0]
    if max_size is not None:
      added = tf.minimum(added, tf.maximum(max_size - old_size, 0))
    new_size = old_size + added
    held = tf.reshape(tf.identity(array), [-1] + others)
    whole = tf.concat([held, rows[:added]], 0)
    with tf.control_dependencies([old_size, held]):
      array_update = tf.assign(array, whole, validate_shape=False)
    with tf.control_dependencies([array_update]):
      update_op = tf.assign(size, new_size, name="update")
    value = tf.reshape(array, [-1] + others)
    value = tf.transpose(value, back) if axis else value
    return collected(value, update_op, metrics_collections, updates_collections)
