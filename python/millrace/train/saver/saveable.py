"""What a saver saves: tensors with names, and how each gets its value back."""

import millrace as tf
from millrace import gen
from millrace.framework import convert

_REFERENCE_TYPES = ("Variable", "VariableV2", "AutoReloadVariable")
_RESOURCE_TYPES = ("VarHandleOp", "ReadVariableOp")


class SaveSpec:
  """One tensor in a checkpoint: its key, the slice of the whole that it is, its type and device.

  `tensor` may be a function, which is called each time that the tensor is asked for.
  """

  def __init__(self, tensor, slice_spec, name, dtype=None, device=None):
    self._tensor = tensor
    self.slice_spec = slice_spec
    self.name = name
    if callable(tensor):
      if dtype is None or device is None:
        raise AssertionError("When passing a callable `tensor` to a SaveSpec, an explicit dtype and device must be provided.")
      self.dtype = dtype
      self.device = device
    else:
      self.dtype = tensor.dtype
      self.device = device if device is not None else tensor.device

  @property
  def tensor(self):
    return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
  """Base class of what is saved and restored as one: some specs, and `restore`."""

  def __init__(self, op, specs, name):
    self.op = op
    self.specs = specs
    self.name = name

  @property
  def optional_restore(self):
    return False

  @property
  def device(self):
    return self.specs[0].device

  def restore(self, restored_tensors, restored_shapes):
    """The op that gives the object the restored values, reshaped to `restored_shapes` if that isn't None."""
    raise ValueError("Calling an abstract method.")


class ReferenceVariableSaveable(SaveableObject):
  """A variable of references, or its tensor."""

  def __init__(self, var, slice_spec, name):
    super().__init__(var, [SaveSpec(var, slice_spec, name, dtype=var.dtype)], name)

  def restore(self, restored_tensors, restored_shapes):
    value = restored_tensors[0]
    if restored_shapes is not None:
      value = tf.reshape(value, restored_shapes[0])
    validate = restored_shapes is None and self.op.get_shape().is_fully_defined()
    return tf.assign(self.op, value, validate_shape=validate)


class ResourceVariableSaveable(SaveableObject):
  """A resource variable, or the tensor that an op reads of it."""

  def __init__(self, var, slice_spec, name):
    self._var_device = var.device
    self._var_shape = var.get_shape()
    if isinstance(var, tf.Tensor):
      self.handle_op = var.op.inputs[0]
      tensor = var
    else:
      self.handle_op = var.handle

      def tensor():
        with tf.device(var.device):
          # The value goes to the host where the variable is on another device.
          with tf.name_scope("Read"):
            gen.disable_copy_on_read(var.handle)
            x = gen.read_variable_op(var.handle, var.dtype.base_dtype)
          x = tf.identity(x)
          with tf.device("/device:CPU:0"):
            return tf.identity(x)

    spec = SaveSpec(tensor, slice_spec, name, dtype=var.dtype.base_dtype, device=var.device)
    super().__init__(var, [spec], name)

  def restore(self, restored_tensors, restored_shapes):
    value = restored_tensors[0]
    if restored_shapes is not None:
      value = tf.reshape(value, restored_shapes[0])
    # The copy takes place on the variable's device, where the read may have been on the host.
    with tf.device(self._var_device):
      value = tf.identity(value)
      self._var_shape.assert_is_compatible_with(value.get_shape())
      return gen.assign_variable_op(self.handle_op, value)


def _is_resource(variable):
  return isinstance(variable, tf.Variable) and variable.op.type == "VarHandleOp"


def _comes_from_variable(tensor):
  return isinstance(tensor, tf.Tensor) and tensor.op.type in _REFERENCE_TYPES + _RESOURCE_TYPES


def _as_graph_tensor(variable):
  """The tensor that stands for a variable in saving: its reference, or the read of its resource."""
  if _is_resource(variable):
    return variable._graph_element
  return convert.internal_convert_to_tensor(variable, as_ref=True)


def _partitioned_class():
  from millrace.ops.variables import partitioned

  return partitioned.PartitionedVariable


def op_list_to_dict(op_list):
  """A map of names to what is saved under them: tensors of variables, lists of the parts of one, saveable objects."""
  if not isinstance(op_list, (list, tuple, set)):
    raise TypeError(f"Variables to save should be passed in a dict or a list. Got {op_list}")
  names = {}
  # Sorted, so that every process that builds the same graph numbers the nodes alike.
  for var in sorted(op_list, key=lambda x: x.name):
    if isinstance(var, SaveableObject):
      names[var.name] = var
    elif isinstance(var, _partitioned_class()):
      if var.name in names:
        raise ValueError(f"At least two variables have the same name: {var.name}")
      names[var.name] = var
    elif isinstance(var, tf.Variable) and var._save_slice_info:
      name = var._save_slice_info.full_name
      if name not in names:
        names[name] = [var]
      elif isinstance(names[name], list):
        names[name].append(var)
      else:
        raise ValueError(f"Mixing slices and non-slices with the same name: {name}")
    else:
      tensor = _as_graph_tensor(var)
      if not _comes_from_variable(tensor):
        raise TypeError(f"Variable to save is not a Variable: {tensor}")
      name = tensor.op.inputs[0].op.name if tensor.op.type == "ReadVariableOp" else tensor.op.name
      if name in names:
        raise ValueError(f"At least two variables have the same name: {name}")
      names[name] = tensor
  return names


def saveable_objects_for_op(op, name):
  """Yields the saveable objects of what is to be saved under `name`."""
  if not isinstance(name, str):
    raise TypeError(
      f"names_to_saveables must be a dict mapping string names to trackable operations. Name is not a string: {name}"
    )
  if isinstance(op, SaveableObject):
    yield op
  elif isinstance(op, (list, tuple, _partitioned_class())):
    yield from _saveables_of_parts(list(op), name)
  else:
    tensor = _as_graph_tensor(op)
    if not _comes_from_variable(tensor):
      raise TypeError(f"names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: {tensor}")
    if tensor.op.type in _REFERENCE_TYPES:
      yield ReferenceVariableSaveable(tensor, "", name)
    else:
      yield ResourceVariableSaveable(tensor, "", name)


def _saveables_of_parts(parts, name):
  slice_name = None
  for variable in parts:
    if isinstance(variable, SaveableObject):
      yield variable
      continue
    if not isinstance(variable, tf.Variable):
      raise ValueError(f"Slices must all be Variables: {variable}")  # noqa: TRY004 (TensorFlow's class)
    info = variable._save_slice_info
    if not info:
      raise ValueError(f"Slices must all be slices: {variable}")
    if slice_name is None:
      slice_name = info.full_name
    elif slice_name != info.full_name:
      raise ValueError(f"Slices must all be from the same tensor: {slice_name} != {info.full_name}")
    if variable.op.type in _REFERENCE_TYPES:
      yield ReferenceVariableSaveable(variable, info.spec, name)
    else:
      yield ResourceVariableSaveable(variable, info.spec, name)


def validate_and_slice_inputs(names_to_saveables):
  """The saveable objects of a map of names, by their names. Raises ValueError if one is there twice."""
  saveables = []
  seen = set()
  for name, op in sorted(names_to_saveables.items(), key=lambda x: x[0]):
    for saveable in saveable_objects_for_op(op, name):
      key = id(saveable.op)
      if key in seen:
        raise ValueError(f"The same saveable will be restored with two names: {saveable.name}")
      seen.add(key)
      saveables.append(saveable)
  return saveables


def all_saveable_objects(scope=None):
  """What a saver saves that is asked for nothing special: all global variables, and the collection of saveable objects."""
  return tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope) + tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS, scope)
