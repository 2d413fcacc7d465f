"""Initial values of variables from a checkpoint, instead of their initializers."""

import millrace as tf
from millrace import gen
from millrace.framework import tensor_shape
from millrace.train.saver import reader as reader_lib
from millrace.train.saver import saveable


def init_from_checkpoint(ckpt_dir_or_file, assignment_map):
  """Replaces the initializers of variables by reads of a checkpoint, or of the newest one of a folder.

  `assignment_map` leads from names in the checkpoint to variables or their names, or from "scope/" to "scope/". Raises
  ValueError for names that aren't there, and for shapes that differ.
  """
  ckpt_file = reader_lib._checkpoint_filename(ckpt_dir_or_file)
  shapes = reader_lib.load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map()
  for tensor_name, current in sorted(assignment_map.items()):
    var = _variable_of(current)
    if var is not None:
      _init_one(var, ckpt_file, ckpt_dir_or_file, tensor_name, shapes)
    else:
      _init_scope(current, ckpt_file, ckpt_dir_or_file, tensor_name, shapes)


def _is_variable(x):
  return isinstance(x, tf.Variable)


def _store():
  """The variables that tf.get_variable has made in this graph, by their names."""
  from millrace.ops.variables import scope

  return scope._get_default_variable_store()._vars


def _parts(name, store):
  """The parts of a partitioned variable of the store, or None."""
  if name + "/part_0" not in store:
    return None
  parts = []
  while f"{name}/part_{len(parts)}" in store:
    parts.append(store[f"{name}/part_{len(parts)}"])
  return parts


def _variable_of(current):
  """The variable, or the list of its parts, that `current` is or names; None if it is no variable."""
  if _is_variable(current) or (isinstance(current, (list, tuple)) and all(_is_variable(v) for v in current)):
    return current
  from millrace.ops.variables import partitioned

  if isinstance(current, partitioned.PartitionedVariable):
    return list(current)
  store = _store()
  # Variables with an empty name end with a slash in the store.
  return store.get(current, store.get(current + "/", _parts(current, store)))


def _init_one(var, ckpt_file, ckpt_dir_or_file, tensor_name, shapes):
  if tensor_name not in shapes:
    raise ValueError(f"Tensor {tensor_name} is not found in {ckpt_dir_or_file} checkpoint {shapes}")
  if _is_variable(var):
    shape = tensor_shape.TensorShape(shapes[tensor_name])
    if not var.get_shape().is_compatible_with(shape):
      raise ValueError(
        f"Shape of variable {var.name} ({var.get_shape()}) doesn't match with shape of tensor {tensor_name} "
        f"({shapes[tensor_name]}) from checkpoint reader."
      )
  _set_variable_or_list_initializer(var, ckpt_file, tensor_name)


def _init_scope(current, ckpt_file, ckpt_dir_or_file, tensor_name, shapes):
  scopes = current[: current.rindex("/")] if "/" in current else ""
  if not tensor_name.endswith("/"):
    raise ValueError(
      f"Assignment map with scope only name {scopes} should map to scope only {tensor_name}. Should be 'scope/': 'other_scope/'."
    )
  store = _store()
  names = set()
  for name in store:
    if not scopes or name.startswith(scopes + "/"):
      names.add(name[: name.index("/part_")] if "/part_" in name else name)
  for name in sorted(names):
    full_name = name[len(scopes) :]
    if current != "/":
      full_name = full_name[1:]
    if tensor_name != "/":
      full_name = tensor_name + full_name
    full_name = full_name.rstrip("/")
    if full_name not in shapes:
      raise ValueError(
        f"Tensor {full_name} ({name[len(scopes) + 1 :]} in {tensor_name}) is not found in {ckpt_dir_or_file} checkpoint"
      )
    var = store.get(name, _parts(name, store))
    _set_variable_or_list_initializer(var, ckpt_file, full_name)


def _set_variable_or_list_initializer(variable_or_list, ckpt_file, tensor_name):
  if not isinstance(variable_or_list, (list, tuple)):
    _set_checkpoint_initializer(variable_or_list, ckpt_file, tensor_name, "")
    return
  slice_name = None
  for v in variable_or_list:
    info = v._save_slice_info
    if slice_name is None:
      slice_name = info.full_name
    elif slice_name != info.full_name:
      raise ValueError(f"Slices must all be from the same tensor: {slice_name} != {info.full_name}")
    _set_checkpoint_initializer(v, ckpt_file, tensor_name, info.spec)


def _set_checkpoint_initializer(variable, ckpt_file, tensor_name, slice_spec, name="checkpoint_initializer"):
  """Makes the read, the assignment, and lets the variable's initializer be that."""
  with tf.device(variable.device), tf.device("/cpu:0"):
    restored = gen.restore_v2(ckpt_file, [tensor_name], [slice_spec], [variable.dtype.base_dtype], name=name)[0]
    objects = []
    for saved_name, op in saveable.op_list_to_dict([variable]).items():
      objects.extend(saveable.saveable_objects_for_op(op, saved_name))
    assert len(objects) == 1
  variable._initializer_op = objects[0].restore([restored], restored_shapes=None)
  restored.set_shape(variable.get_shape())
  variable._initial_value = restored
