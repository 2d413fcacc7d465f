"""The variables of a graph by their full names: made once, found again where reuse allows it."""

import functools
import inspect
import traceback

import millrace as tf
from millrace.framework import convert, dtypes, tensor_shape
from millrace.framework import graph as ops
from millrace.framework.graph import GraphKeys
from millrace.framework.tensor import Tensor
from millrace.ops.variables import partitioners
from millrace.ops.variables.modes import VariableAggregation, VariableSynchronization
from millrace.ops.variables.partition_info import PartitionInfo
from millrace.ops.variables.partitioned import PartitionedVariable
from millrace.ops.variables.signatures import argument_names, needs_no_arguments
from millrace.ops.variables.variable import Variable


class _VariableStore:
  """The variables of get_variable, by full name."""

  def __init__(self):
    self._vars = {}
    self._partitioned_vars = {}

  def get_variable(
    self,
    name,
    shape=None,
    dtype=dtypes.float32,
    initializer=None,
    regularizer=None,
    reuse=None,
    trainable=None,
    collections=None,
    caching_device=None,
    partitioner=None,
    validate_shape=True,
    use_resource=None,
    custom_getter=None,
    constraint=None,
    synchronization=VariableSynchronization.AUTO,
    aggregation=VariableAggregation.NONE,
  ):
    """Returns the variable `name`, by custom_getter(getter, ...) where one is given. Arguments: see get_variable."""
    if custom_getter is not None and not callable(custom_getter):
      raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
    try:
      dtype = dtypes.as_dtype(dtype).base_dtype
    except TypeError:
      raise TypeError(f"Cannot convert {dtype!r} to a tensorflow DType.") from None

    def true_getter(
      name,
      shape=None,
      dtype=dtypes.float32,
      initializer=None,
      regularizer=None,
      reuse=None,
      trainable=None,
      collections=None,
      caching_device=None,
      partitioner=None,
      validate_shape=True,
      use_resource=None,
      constraint=None,
      synchronization=VariableSynchronization.AUTO,
      aggregation=VariableAggregation.NONE,
    ):
      shared = {
        "name": name,
        "shape": shape,
        "dtype": dtype,
        "initializer": initializer,
        "regularizer": regularizer,
        "reuse": reuse,
        "trainable": trainable,
        "collections": collections,
        "caching_device": caching_device,
        "validate_shape": validate_shape,
        "use_resource": use_resource,
        "constraint": constraint,
        "synchronization": synchronization,
        "aggregation": aggregation,
      }
      scalar = isinstance(shape, (list, tuple)) and not shape
      if partitioner is not None and not scalar:
        if not callable(partitioner):
          raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
        with ops.name_scope(None):
          return self._get_partitioned_variable(partitioner=partitioner, **shared)
      if reuse is True and partitioner is None and name in self._partitioned_vars:
        return self._get_partitioned_variable(partitioner=None, **shared)
      if f"{name}/part_0" in self._vars:
        raise ValueError(
          f"No partitioner was provided, but a partitioned version of the variable was found: {name}/part_0. Perhaps a variable "
          "of the same name was already created with partitioning?"
        )
      return self._get_single_variable(**shared)

    from millrace.ops.variables import modes

    synchronization, aggregation, trainable = modes.check_modes(synchronization, aggregation, trainable, name)
    arguments = {
      "name": name,
      "shape": shape,
      "dtype": dtype,
      "initializer": initializer,
      "regularizer": regularizer,
      "reuse": reuse,
      "trainable": trainable,
      "collections": collections,
      "caching_device": caching_device,
      "partitioner": partitioner,
      "validate_shape": validate_shape,
      "use_resource": use_resource,
      "synchronization": synchronization,
      "aggregation": aggregation,
    }
    if custom_getter is None:
      return true_getter(constraint=constraint, **arguments)
    # Getters from before constraints do not know them.
    names, any_name = argument_names(custom_getter)
    if any_name or "constraint" in names:
      arguments["constraint"] = constraint
    return custom_getter(getter=true_getter, **arguments)

  def _get_partitioned_variable(
    self,
    name,
    partitioner,
    shape=None,
    dtype=dtypes.float32,
    initializer=None,
    regularizer=None,
    reuse=None,
    **arguments,
  ):
    """Returns the PartitionedVariable `name`; its parts are the variables name/part_0, name/part_1, ..."""
    if name in self._vars:
      raise ValueError(
        f"A partitioner was provided, but an unpartitioned version of the variable was found: {name}.  Perhaps a variable of the "
        "same name was already created without partitioning?"
      )
    shape = tensor_shape.as_shape(shape)
    if isinstance(initializer, Tensor):
      shape = shape.merge_with(initializer.get_shape())
    partitions = None
    if not reuse or partitioner:
      partitions = partitioners.check_partitions(partitioner, shape, dtype)
    if name in self._partitioned_vars:
      return self._existing_partitioned(name, shape, dtype, partitions, reuse)
    if reuse is True:
      raise ValueError(
        f"PartitionedVariable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set reuse=False or "
        "reuse=tf.AUTO_REUSE in VarScope?"
      )
    cuts = partitioners.parts(shape.as_list(), partitions)
    self._check_parts(name, len(cuts))
    variables = []
    for i, (offset, part_shape) in enumerate(cuts):
      info = PartitionInfo(full_shape=shape.as_list(), var_offset=offset)
      part_name = "%s/part_%d" % (name, i)
      with ops.name_scope(part_name + "/PartitionedInitializer"):
        init, init_shape, init_dtype = self._part_initializer(name, initializer, shape, dtype, offset, part_shape)
      with ops.name_scope(None):
        variable = self._get_single_variable(
          name=part_name,
          shape=init_shape,
          dtype=init_dtype,
          initializer=init,
          partition_info=info,
          regularizer=regularizer,
          reuse=reuse,
          **arguments,
        )
      variable._set_save_slice_info(Variable.SaveSliceInfo(name, shape.as_list(), offset, part_shape))
      variables.append(variable)
    whole = PartitionedVariable(name=name, shape=shape, dtype=dtype, variable_list=variables, partitions=partitions)
    self._partitioned_vars[name] = whole
    return whole

  def _part_initializer(self, name, initializer, shape, dtype, offset, part_shape):
    """Returns (initializer, shape, type) of one part: the slice of a value, or a function as it is."""
    if initializer is None:
      return _default_initializer(name, dtype), part_shape, dtype
    if callable(initializer):
      return initializer, part_shape, dtype
    if not isinstance(initializer, Tensor):
      initializer = convert.convert_to_tensor(initializer, dtype=dtype)
    part = tf.slice(initializer, offset, part_shape)
    return part, None, part.dtype.base_dtype

  def _existing_partitioned(self, name, shape, dtype, partitions, reuse):
    if reuse is False:
      raise ValueError(
        f"Partitioned variable with name {name} already exists. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
      )
    found = self._partitioned_vars[name]
    if not shape.is_compatible_with(found.get_shape()):
      raise ValueError(
        f"Trying to reuse partitioned variable {name}, but specified shape {shape} and found shape {found.get_shape()}."
      )
    if not dtype.is_compatible_with(found.dtype):
      raise ValueError(
        f"Trying to reuse partitioned variable {name}, but specified dtype {dtype.name} and found dtype {found.dtype.name}."
      )
    if partitions is not None and found._get_partitions() != partitions:
      raise ValueError(
        f"Trying to reuse partitioned variable {name}, but specified partitions {partitions} and found partitions {found._get_partitions()}."
      )
    return found

  def _check_parts(self, name, count):
    """Raises ValueError where some other cut of the variable has been made part by part."""
    if f"{name}/part_0" not in self._vars:
      return
    if "%s/part_%d" % (name, count - 1) not in self._vars:
      raise ValueError(
        "Partitioner returned a different partitioning than what was already found.  Partitioner returned %d shards, and "
        "shard %s/part_0 was found, but %s/part_%d was not." % (count, name, name, count - 1)
      )
    if "%s/part_%d" % (name, count) in self._vars:
      raise ValueError(
        "Partitioner returned a different partitioning than what was already found.  Partitioner returned %d shards, and "
        "shard %s/part_0 was found, but so was the extra shard %s/part_%d." % (count, name, name, count)
      )

  def _get_single_variable(
    self,
    name,
    shape=None,
    dtype=dtypes.float32,
    initializer=None,
    regularizer=None,
    partition_info=None,
    reuse=None,
    trainable=None,
    collections=None,
    caching_device=None,
    validate_shape=True,
    use_resource=None,
    constraint=None,
    synchronization=VariableSynchronization.AUTO,
    aggregation=VariableAggregation.NONE,
  ):
    """Returns the variable `name`, made or found as `reuse` says: True, False or AUTO_REUSE."""
    from_value = initializer is not None and not callable(initializer)
    if shape is not None and from_value:
      raise ValueError("If initializer is a constant, do not specify shape.")
    dtype = dtypes.as_dtype(dtype)
    shape = tensor_shape.as_shape(shape)
    if name in self._vars:
      return self._existing(name, shape, dtype, reuse)
    if reuse is True:
      raise ValueError(
        f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set reuse=tf.AUTO_REUSE in "
        "VarScope?"
      )
    if initializer is None:
      if shape.ndims is None:
        raise ValueError(f"Variable {name} did not get an initializer, so its `shape` argument must be specified.")
      initializer = _default_initializer(name, dtype)
    with ops.init_scope():
      if from_value:
        value, variable_dtype = initializer, None
      else:
        value, variable_dtype = _bound(initializer, shape, dtype, partition_info)
    if use_resource is None:
      from millrace.ops.variables import creators

      use_resource = creators.resource_variables_enabled()
    variable = Variable(
      initial_value=value,
      name=name,
      trainable=trainable,
      collections=collections,
      caching_device=caching_device,
      dtype=variable_dtype,
      validate_shape=validate_shape,
      constraint=constraint,
      use_resource=use_resource,
      synchronization=synchronization,
      aggregation=aggregation,
      shape=None if from_value or not shape.is_fully_defined() else shape,
    )
    self._vars[name] = variable
    if regularizer:
      self._regularize(variable, name, regularizer)
    return variable

  def _existing(self, name, shape, dtype, reuse):
    found = self._vars[name]
    if reuse is False:
      message = f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
      if found.op.type == "VarHandleOp":
        raise ValueError(message)
      frames = traceback.format_list(_own_frames(found.op.traceback))
      raise ValueError("{} Originally defined at:\n\n{}".format(message, "".join(frames)))
    if not shape.is_compatible_with(found.get_shape()):
      raise ValueError(f"Trying to share variable {name}, but specified shape {shape} and found shape {found.get_shape()}.")
    if not dtype.is_compatible_with(found.dtype):
      raise ValueError(f"Trying to share variable {name}, but specified dtype {dtype.name} and found dtype {found.dtype.name}.")
    return found

  def _regularize(self, variable, name, regularizer):
    """Adds the loss that the regularizer makes to REGULARIZATION_LOSSES, unless it makes none.

    The first call only says whether there is a loss; graphs of TensorFlow have its ops, too.
    """
    from millrace.ops.variables.regularization import RegularizationLoss

    if regularizer(variable) is None:
      return

    def make():
      with ops.colocate_with(variable.op), ops.name_scope(name + "/Regularizer/"):
        return regularizer(variable)

    ops.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, RegularizationLoss(make))


def _own_frames(frames):
  """Returns the last five frames of a traceback that are not of this package, the innermost first."""
  frames = [f for f in reversed(list(frames or ())) if "/millrace/" not in f[0]]
  return frames[:5]


def _default_initializer(name, dtype):
  """Returns what fills a variable of this type where the program says nothing."""
  from millrace.ops.variables import initializers, variance_scaling

  if dtype.is_floating:
    return variance_scaling.glorot_uniform_initializer()
  if dtype.is_integer or dtype.is_unsigned or dtype.is_bool or dtype == dtypes.string:
    return initializers.zeros_initializer()
  raise ValueError(f"An initializer for variable {name} of {dtype.base_dtype} is required")


def _bound(initializer, shape, dtype, partition_info):
  """Returns (function without arguments that makes the value, type of the variable or None) of an initializer."""
  if inspect.isclass(initializer):
    initializer = initializer()
  if shape.is_fully_defined():
    arguments = {"dtype": dtype}
    if "partition_info" in argument_names(initializer)[0]:
      arguments["partition_info"] = partition_info
    return functools.partial(initializer, shape.as_list(), **arguments), dtype.base_dtype
  if needs_no_arguments(initializer):
    return initializer, None
  raise ValueError(
    "The initializer passed is not valid. It should be a callable with no arguments and the shape should not be provided or an "
    "instance of `tf.keras.initializers.*' and `shape` should be fully defined."
  )
