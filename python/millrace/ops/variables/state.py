"""Writing to variables by functions: tf.assign, tf.scatter_add and their like.

Each takes a variable of either kind, or a reference that such a function returned. Of a buffer they return the reference
after the write; of a resource the variable after the write.
"""

import millrace as tf
from millrace import gen
from millrace.framework import convert
from millrace.framework import graph as ops


def _is_buffer(ref):
  return ref.dtype._is_ref_dtype


def is_variable_initialized(variable, name=None):
  """Returns whether the variable has a value when the op runs, a bool."""
  if _is_buffer(variable):
    return gen.is_variable_initialized(variable, name=name)
  return variable.is_initialized(name=name)


def assign(ref, value, validate_shape=None, use_locking=None, name=None):
  """Writes `value`, of the variable's shape unless `validate_shape` is False. `use_locking` is True by default."""
  if _is_buffer(ref):
    return gen.assign(
      ref,
      value,
      validate_shape=True if validate_shape is None else validate_shape,
      use_locking=True if use_locking is None else use_locking,
      name=name,
    )
  return ref.assign(value, name=name)


def assign_add(ref, value, use_locking=None, name=None):
  """Adds `value` to the variable."""
  if _is_buffer(ref):
    return gen.assign_add(ref, value, use_locking=bool(use_locking), name=name)
  return ref.assign_add(value)


def assign_sub(ref, value, use_locking=None, name=None):
  """Takes `value` from the variable."""
  if _is_buffer(ref):
    return gen.assign_sub(ref, value, use_locking=bool(use_locking), name=name)
  return ref.assign_sub(value)


def count_up_to(ref, limit, name=None):
  """Adds one to a scalar and returns what it was. OutOfRangeError when that would be `limit`."""
  if _is_buffer(ref):
    return gen.count_up_to(ref, limit=limit, name=name)
  return gen.resource_count_up_to(ref.handle, limit=limit, T=ref.dtype, name=name)


def _scatter(op, resource_op, ref, indices, updates, use_locking, name):
  if _is_buffer(ref):
    return op(ref, indices, updates, use_locking=use_locking, name=name)
  read_after = ref._lazy_read
  updates = convert.convert_to_tensor(updates, dtype=ref.dtype)
  return read_after(resource_op(ref.handle, indices, updates, name=name))


def scatter_update(ref, indices, updates, use_locking=True, name=None):
  """Writes `updates`, of shape indices.shape + ref.shape[1:], to the rows at `indices`."""
  return _scatter(gen.scatter_update, gen.resource_scatter_update, ref, indices, updates, use_locking, name)


def scatter_add(ref, indices, updates, use_locking=False, name=None):
  """Adds `updates` to the rows at `indices`; rows that occur twice get both."""
  return _scatter(gen.scatter_add, gen.resource_scatter_add, ref, indices, updates, use_locking, name)


def scatter_sub(ref, indices, updates, use_locking=False, name=None):
  """Takes `updates` from the rows at `indices`."""
  return _scatter(gen.scatter_sub, gen.resource_scatter_sub, ref, indices, updates, use_locking, name)


def scatter_mul(ref, indices, updates, use_locking=False, name=None):
  """Multiplies the rows at `indices` by `updates`."""
  return _scatter(gen.scatter_mul, gen.resource_scatter_mul, ref, indices, updates, use_locking, name)


def scatter_div(ref, indices, updates, use_locking=False, name=None):
  """Divides the rows at `indices` by `updates`."""
  return _scatter(gen.scatter_div, gen.resource_scatter_div, ref, indices, updates, use_locking, name)


def scatter_min(ref, indices, updates, use_locking=False, name=None):
  """Keeps the lesser of `updates` and the rows at `indices`, element by element."""
  return _scatter(gen.scatter_min, gen.resource_scatter_min, ref, indices, updates, use_locking, name)


def scatter_max(ref, indices, updates, use_locking=False, name=None):
  """Keeps the greater of `updates` and the rows at `indices`, element by element."""
  return _scatter(gen.scatter_max, gen.resource_scatter_max, ref, indices, updates, use_locking, name)


def scatter_nd_update(ref, indices, updates, use_locking=True, name=None):
  """Writes slices at `indices`, whose last dimension holds the coordinates of one."""
  return _scatter(gen.scatter_nd_update, gen.resource_scatter_nd_update, ref, indices, updates, use_locking, name)


def scatter_nd_add(ref, indices, updates, use_locking=False, name=None):
  """Adds slices to those at `indices`."""
  return _scatter(gen.scatter_nd_add, gen.resource_scatter_nd_add, ref, indices, updates, use_locking, name)


def scatter_nd_sub(ref, indices, updates, use_locking=False, name=None):
  """Takes slices from those at `indices`."""
  return _scatter(gen.scatter_nd_sub, gen.resource_scatter_nd_sub, ref, indices, updates, use_locking, name)


def batch_scatter_update(ref, indices, updates, use_locking=True, name=None):
  """Writes `updates` at `indices`, whose last dimension counts what is written in the batch that the others name.

  indices: [b1, ..., bn, m], which index dimension n of the variable; updates: [b1, ..., bn, m, rest of the variable].
  """
  with ops.name_scope(name):
    indices = convert.convert_to_tensor(indices, name="indices")
    sizes = tf.shape(indices)
    ndims = indices.get_shape().ndims
    nd_indices = tf.expand_dims(indices, axis=-1)
    coordinates = []
    # Every batch dimension gives the coordinate that counts along it, the same for all other positions.
    for dimension in range(ndims - 1):
      size = sizes[dimension]
      shape = [1] * (ndims + 1)
      shape[dimension] = size
      along = tf.reshape(gen.range(0, size, 1), shape)
      if along.dtype.base_dtype != nd_indices.dtype.base_dtype:
        along = gen.cast(along, nd_indices.dtype.base_dtype)
      coordinates.append(along * tf.ones_like(nd_indices))
    coordinates.append(nd_indices)
    return scatter_nd_update(ref, tf.concat(coordinates, axis=-1), updates, use_locking=use_locking)
