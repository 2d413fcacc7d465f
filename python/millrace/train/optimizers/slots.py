"""Slots: variables that belong to another variable, such as its momentum, and are named and placed after it."""

import contextlib

import millrace as tf
from millrace.framework import graph as graph_lib


def _is_resource(variable):
  return isinstance(variable, tf.Variable) and variable.op.type == "VarHandleOp"


@contextlib.contextmanager
def _without_partitioner():
  """Slots are as large as their primary, which may be one part: no partitioner applies to them."""
  scope = tf.get_variable_scope()
  partitioner = scope.partitioner
  scope.set_partitioner(None)
  try:
    yield
  finally:
    scope.set_partitioner(partitioner)


def _copy_slice_info(slot, primary):
  """A slot of a part of a partitioned variable is saved as a part, too."""
  info = getattr(primary, "_save_slice_info", None) if isinstance(primary, tf.Variable) else None
  if not info:
    return
  shape = primary.get_shape().as_list()
  if slot.get_shape().as_list() != shape and slot.get_shape().ndims != 0:
    return
  if slot.get_shape().ndims == 0 and shape:
    return
  own_name = slot.op.name[len(primary.op.name) + 1 :]
  slot._set_save_slice_info(
    tf.Variable.SaveSliceInfo(info.full_name + "/" + own_name, info.full_shape[:], info.var_offset[:], info.var_shape[:])
  )


def _create_slot_var(primary, val, scope, validate_shape, shape, dtype):
  use_resource = None
  if _is_resource(primary):
    use_resource = True
  elif isinstance(primary, tf.Variable):
    use_resource = False
  with _without_partitioner():
    slot = tf.get_variable(
      scope,
      initializer=val,
      trainable=False,
      use_resource=use_resource,
      shape=shape,
      dtype=dtype,
      validate_shape=validate_shape,
    )
  _copy_slice_info(slot, primary)
  return slot


def _in_slot_scope(primary, name, colocate_with_primary, make):
  """Calls `make` in the variable scope "<primary>/<name>", which is made unique, beside the primary if asked for."""
  with tf.variable_scope(None, primary.op.name + "/" + name):
    if colocate_with_primary:
      with graph_lib.colocate_with(primary):
        return make()
    return make()


def create_slot(primary, val, name, colocate_with_primary=True):
  """A slot of `primary` that begins with the value `val`; its name is "<primary>/<name>"."""
  validate_shape = val.get_shape().is_fully_defined()
  return _in_slot_scope(
    primary, name, colocate_with_primary, lambda: _create_slot_var(primary, val, "", validate_shape, None, None)
  )


def create_slot_with_initializer(primary, initializer, shape, dtype, name, colocate_with_primary=True):
  """A slot of `primary` that `initializer` fills."""
  validate_shape = shape.is_fully_defined()
  return _in_slot_scope(
    primary, name, colocate_with_primary, lambda: _create_slot_var(primary, initializer, "", validate_shape, shape, dtype)
  )


def create_zeros_slot(primary, name, dtype=None, colocate_with_primary=True):
  """A slot of zeros with the shape of `primary`, also where that is known only at run time."""
  dtype = primary.dtype if dtype is None else dtype
  shape = primary.get_shape()
  if shape.is_fully_defined():
    return create_slot_with_initializer(
      primary, tf.zeros_initializer(), shape, dtype, name, colocate_with_primary=colocate_with_primary
    )
  if isinstance(primary, tf.Variable):
    shape = tf.shape(primary.initialized_value())
  else:
    shape = tf.shape(primary)
  return create_slot(primary, tf.zeros(shape, dtype=dtype), name, colocate_with_primary=colocate_with_primary)
