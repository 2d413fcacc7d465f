"""Variables that are buffers: a VariableV2 whose output ops take by reference."""

import millrace as tf
from millrace import gen
from millrace.framework import composite, convert, dtypes, tensor_shape
from millrace.framework import graph as ops
from millrace.framework.graph import GraphKeys
from millrace.ops.variables import initial_values, modes, overloads, state
from millrace.ops.variables.colocation import ColocationAttr
from millrace.ops.variables.modes import VariableAggregation, VariableSynchronization
from millrace.ops.variables.variable import Variable


class RefVariable(Variable):
  """A variable that ops change through references; reads have no order among writes of one step. Arguments: see Variable."""

  def __init__(
    self,
    initial_value=None,
    trainable=None,
    collections=None,
    validate_shape=True,
    caching_device=None,
    name=None,
    variable_def=None,
    dtype=None,
    expected_shape=None,
    import_scope=None,
    constraint=None,
    synchronization=None,
    aggregation=None,
    shape=None,
  ):
    if variable_def:
      if initial_value is not None:
        raise ValueError("variable_def and initial_value are mutually exclusive.")
      self._find(variable_def, import_scope)
      return
    if initial_value is None:
      raise ValueError("initial_value must be specified.")
    collections = collections_of(collections)
    if constraint is not None and not callable(constraint):
      raise ValueError("The `constraint` argument must be a callable.")
    self._synchronization, self._aggregation, self._trainable = modes.check_modes(synchronization, aggregation, trainable, name)
    self._constraint = constraint
    if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
      collections = list(collections) + [GraphKeys.TRAINABLE_VARIABLES]
    with ops.init_scope():
      self._build(initial_value, validate_shape, caching_device, name, dtype, shape)
    ops.add_to_collections(collections, self)

  def _build(self, initial_value, validate_shape, caching_device, name, dtype, shape):
    makes_value = callable(initial_value)
    if dtype is not None:
      dtype = dtypes.as_dtype(dtype).base_dtype
    with ops.name_scope(name, "Variable", [] if makes_value else [initial_value]) as scope:
      graph = ops.get_default_graph()
      if makes_value:
        # The variable's own colocation class lies on all that makes its initial value.
        with graph._attr_scope({"_class": ColocationAttr(ops.name_from_scope_name(scope))}):
          with ops.name_scope("Initializer"), ops.device(None):
            self._initial_value = convert.convert_to_tensor(initial_value(), name="initial_value", dtype=dtype)
          self._variable = self._buffer(shape, validate_shape, scope)
      else:
        self._initial_value = convert.convert_to_tensor(initial_value, name="initial_value", dtype=dtype)
        if self._initial_value.op._get_control_flow_context() is not None:
          raise ValueError(
            f"Initializer for variable {scope} is from inside a control-flow construct, such as a loop or conditional. When creating "
            "a variable inside a loop or conditional, use a lambda as the initializer."
          )
        self._variable = self._buffer(shape, validate_shape, scope)
      self._name = self._variable.name
      if validate_shape and not self._initial_value.get_shape().is_fully_defined():
        raise ValueError(f"initial_value must have a shape specified: {self._initial_value}")
      self._initializer_op = gen.assign(
        self._variable,
        initial_values.guarded(scope, self._initial_value),
        validate_shape=validate_shape,
      ).op
      if caching_device is not None:
        with ops.device(caching_device):
          self._snapshot = tf.identity(self._variable, name="read")
      else:
        with ops.colocate_with(self._variable.op):
          self._snapshot = tf.identity(self._variable, name="read")
      self._caching_device = caching_device

  def _buffer(self, shape, validate_shape, name):
    if shape is None:
      shape = self._initial_value.get_shape() if validate_shape else tensor_shape.unknown_shape()
    return gen.variable_v2(shape=shape, dtype=self._initial_value.dtype.base_dtype, name=name)

  def _find(self, variable_def, import_scope):
    """Takes the tensors of a VariableDef from the default graph."""
    from millrace.framework import protos

    message = protos.coerce(protos.VariableDef, variable_def)
    graph = ops.get_default_graph()

    def element(name):
      return graph.as_graph_element(ops.prepend_name_scope(name, import_scope=import_scope))

    self._variable = element(message.variable_name)
    self._name = self._variable.name
    self._initializer_op = element(message.initializer_name)
    self._initial_value = element(message.initial_value_name) if message.initial_value_name else None
    self._snapshot = element(message.snapshot_name)
    self._synchronization, self._aggregation, self._trainable = modes.check_modes(
      VariableSynchronization(message.synchronization),
      VariableAggregation(message.aggregation),
      message.trainable,
      message.variable_name,
    )
    if message.HasField("save_slice_info_def"):
      self._save_slice_info = Variable.SaveSliceInfo(save_slice_info_def=message.save_slice_info_def, import_scope=import_scope)
    self._caching_device = None
    self._constraint = None

  def _as_graph_element(self):
    return self._variable

  def _AsTensor(self):
    return self._snapshot

  def _ref(self):
    """Returns the reference to the buffer."""
    return self._variable

  def value(self):
    return self._snapshot

  def read_value(self):
    return tf.identity(self._variable, name="read")

  def set_shape(self, shape):
    self._variable.set_shape(shape)
    self._snapshot.set_shape(shape)

  def eval(self, session=None):
    return self._variable.eval(session=session)

  def assign(self, value, use_locking=False, name=None, read_value=True):
    return _result(gen.assign(self._variable, value, use_locking=use_locking, name=name), read_value)

  def assign_add(self, delta, use_locking=False, name=None, read_value=True):
    return _result(gen.assign_add(self._variable, delta, use_locking=use_locking, name=name), read_value)

  def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
    return _result(gen.assign_sub(self._variable, delta, use_locking=use_locking, name=name), read_value)

  def _scatter(self, op, sparse_delta, use_locking, name):
    if not isinstance(sparse_delta, composite.IndexedSlices):
      raise TypeError(f"sparse_delta is not IndexedSlices: {sparse_delta}")
    return op(self._variable, sparse_delta.indices, sparse_delta.values, use_locking=use_locking, name=name)

  def scatter_sub(self, sparse_delta, use_locking=False, name=None):
    return self._scatter(gen.scatter_sub, sparse_delta, use_locking, name)

  def scatter_add(self, sparse_delta, use_locking=False, name=None):
    return self._scatter(gen.scatter_add, sparse_delta, use_locking, name)

  def scatter_max(self, sparse_delta, use_locking=False, name=None):
    return self._scatter(gen.scatter_max, sparse_delta, use_locking, name)

  def scatter_min(self, sparse_delta, use_locking=False, name=None):
    return self._scatter(gen.scatter_min, sparse_delta, use_locking, name)

  def scatter_mul(self, sparse_delta, use_locking=False, name=None):
    return self._scatter(gen.scatter_mul, sparse_delta, use_locking, name)

  def scatter_div(self, sparse_delta, use_locking=False, name=None):
    return self._scatter(gen.scatter_div, sparse_delta, use_locking, name)

  def scatter_update(self, sparse_delta, use_locking=False, name=None):
    return self._scatter(gen.scatter_update, sparse_delta, use_locking, name)

  def batch_scatter_update(self, sparse_delta, use_locking=False, name=None):
    return state.batch_scatter_update(self, sparse_delta.indices, sparse_delta.values, use_locking=use_locking, name=name)

  def scatter_nd_sub(self, indices, updates, name=None):
    return gen.scatter_nd_sub(self._variable, indices, updates, use_locking=True, name=name)

  def scatter_nd_add(self, indices, updates, name=None):
    return gen.scatter_nd_add(self._variable, indices, updates, use_locking=True, name=name)

  def scatter_nd_update(self, indices, updates, name=None):
    return gen.scatter_nd_update(self._variable, indices, updates, use_locking=True, name=name)

  def _strided_slice_assign(
    self, begin, end, strides, value, name, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
  ):
    return gen.strided_slice_assign(
      self._variable,
      begin,
      end,
      strides,
      value,
      name=name,
      begin_mask=begin_mask,
      end_mask=end_mask,
      ellipsis_mask=ellipsis_mask,
      new_axis_mask=new_axis_mask,
      shrink_axis_mask=shrink_axis_mask,
    )

  def count_up_to(self, limit):
    return gen.count_up_to(self._variable, limit=limit)

  @property
  def shape(self):
    return self._variable.get_shape()

  @property
  def name(self):
    return self._name

  @property
  def dtype(self):
    return self._variable.dtype

  @property
  def op(self):
    return self._variable.op

  @property
  def device(self):
    return self._variable.device

  @property
  def graph(self):
    return self._variable.graph

  def to_proto(self, export_scope=None):
    from millrace.framework import protos

    if export_scope is not None and not self._variable.name.startswith(export_scope):
      return None
    message = protos.VariableDef(
      variable_name=ops.strip_name_scope(self._variable.name, export_scope),
      initializer_name=ops.strip_name_scope(self._initializer_op.name, export_scope),
      snapshot_name=ops.strip_name_scope(self._snapshot.name, export_scope),
      trainable=self._trainable,
      synchronization=self._synchronization.value,
      aggregation=self._aggregation.value,
    )
    if self._initial_value is not None:
      message.initial_value_name = ops.strip_name_scope(self._initial_value.name, export_scope)
    if self._save_slice_info:
      message.save_slice_info_def.MergeFrom(self._save_slice_info.to_proto(export_scope=export_scope))
    return message


def collections_of(collections):
  """Returns the collections that a variable goes to. Raises ValueError where they are no list."""
  if collections is None:
    return [GraphKeys.GLOBAL_VARIABLES]
  if not isinstance(collections, (list, tuple, set)):
    raise ValueError(
      f"collections argument to Variable constructor must be a list, tuple, or set. Got {collections} of type {type(collections)}"
    )
  return collections


def _result(assigned, read_value):
  return assigned if read_value else assigned.op


def _to_tensor(variable, dtype=None, name=None, as_ref=False):
  """The conversion of buffers: their last read, or the reference where an op asks for it."""
  if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(variable.dtype):
    raise ValueError(
      f"Incompatible type conversion requested to type '{dtypes.as_dtype(dtype).name}' for variable of type '{variable.dtype.name}'"
    )
  return variable._ref() if as_ref else variable.value()


convert.register_tensor_conversion_function(RefVariable, _to_tensor)
convert.register_dense_tensor_like_type(RefVariable)
overloads.overload(RefVariable)
