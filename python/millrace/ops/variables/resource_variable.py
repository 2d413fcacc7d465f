"""Variables that are resources: ops take a handle, and what reads and writes them has an order by control inputs."""

import contextlib

import millrace as tf
from millrace import gen
from millrace.framework import composite, convert, dtypes, tensor_shape
from millrace.framework import graph as ops
from millrace.framework.graph import GraphKeys
from millrace.ops.variables import initial_values, modes, overloads, state
from millrace.ops.variables.colocation import ColocationAttr
from millrace.ops.variables.modes import VariableAggregation, VariableSynchronization
from millrace.ops.variables.ref_variable import collections_of
from millrace.ops.variables.variable import Variable


class ResourceVariable(Variable):
  """A variable that ops reach by its handle. Arguments: see Variable.

  What `assign` and its like return stands for the variable behind that write: whoever reads its value or writes to it does so
  after the write. Reads of rows alone and assignments to slices have no order, as in graphs of TensorFlow.
  """

  def __init__(
    self,
    initial_value=None,
    trainable=None,
    collections=None,
    validate_shape=True,
    caching_device=None,
    name=None,
    dtype=None,
    variable_def=None,
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
      raise ValueError(
        "The `initial_value` arg to `tf.Variable` must be specified except when you are not providing a `variable_def`. "
        "You provided neither."
      )
    collections = collections_of(collections)
    if constraint is not None and not callable(constraint):
      raise ValueError(f"Argument `constraint` must be None or a callable. a callable. Got a {type(constraint)}:  {constraint}")
    self._synchronization, self._aggregation, self._trainable = modes.check_modes(synchronization, aggregation, trainable, name)
    self._constraint = constraint
    if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
      collections = list(collections) + [GraphKeys.TRAINABLE_VARIABLES]
    with ops.init_scope():
      self._build(initial_value, validate_shape, caching_device, name, dtype, shape)
    ops.add_to_collections(collections, self)

  def _build(self, initial_value, validate_shape, caching_device, name, dtype, shape):
    makes_value = callable(initial_value)
    graph = ops.get_default_graph()
    if dtype is not None:
      dtype = dtypes.as_dtype(dtype).base_dtype
    with ops.name_scope(name, "Variable", [] if makes_value else [initial_value]) as scope:
      handle_name = ops.name_from_scope_name(scope)
      with graph._attr_scope({"_class": ColocationAttr(handle_name)}):
        with ops.name_scope("Initializer"), ops.device(None):
          value = convert.convert_to_tensor(initial_value() if makes_value else initial_value, name="initial_value", dtype=dtype)
        if shape is None:
          shape = value.get_shape() if validate_shape else tensor_shape.unknown_shape()
        self._shape = tensor_shape.as_shape(shape)
        self._dtype = value.dtype.base_dtype
        self._handle = gen.var_handle_op(
          dtype=self._dtype, shape=self._shape, shared_name=handle_name, debug_name=scope, name=scope
        )
      if value.op._get_control_flow_context() is not None:
        raise ValueError(
          f"The `initial_value` passed to `tf.Variable` {scope} is from inside a control-flow construct, such as a loop or "
          "conditional. When creating a `tf.Variable` inside a loop or conditional, use a lambda as the "
          f"`initial_value`. Received: initial_value={value}"
        )
      self._graph = graph
      self._handle_name = handle_name + ":0"
      self._validate_shape = validate_shape
      self._initial_value = value
      with ops.name_scope("IsInitialized"):
        self._is_initialized_op = gen.var_is_initialized_op(self._handle)
      with ops.name_scope("Assign") as assign_scope, ops.colocate_with(None, ignore_existing=True):
        with ops.device(self._handle.device):
          self._initializer_op = gen.assign_variable_op(self._handle, initial_values.guarded(scope, value), name=assign_scope)
      with ops.name_scope("Read"):
        with ops.device(self._handle.device):
          read = self._read_variable_op()
        self._graph_element = read
        self._cached_value = None
        if caching_device is not None:
          with ops.colocate_with(None, ignore_existing=True), ops.device(caching_device):
            self._cached_value = tf.identity(read)
      self._caching_device = caching_device

  def _find(self, variable_def, import_scope):
    """Takes the tensors of a VariableDef from the default graph."""
    from millrace.framework import protos

    message = protos.coerce(protos.VariableDef, variable_def)
    if not message.is_resource:
      raise ValueError("Trying to restore Variable as ResourceVariable.")
    graph = self._graph = ops.get_default_graph()

    def element(name):
      return graph.as_graph_element(ops.prepend_name_scope(name, import_scope=import_scope))

    self._handle = element(message.variable_name)
    self._shape = tensor_shape.TensorShape(self._handle.op.get_attr("shape"))
    self._dtype = dtypes.as_dtype(self._handle.op.get_attr("dtype")).base_dtype
    self._handle_name = self._handle.name
    self._validate_shape = True
    self._initializer_op = element(message.initializer_name)
    self._initial_value = element(message.initial_value_name) if message.initial_value_name else None
    self._synchronization, self._aggregation, self._trainable = modes.check_modes(
      VariableSynchronization(message.synchronization),
      VariableAggregation(message.aggregation),
      message.trainable,
      message.variable_name,
    )
    self._cached_value = None
    self._graph_element = None
    if message.snapshot_name:
      snapshot = element(message.snapshot_name)
      if snapshot.op.type != "ReadVariableOp":
        self._cached_value = snapshot
      self._graph_element = snapshot
    if self._graph_element is None:
      self._graph_element = self._read_variable_op()
    if message.HasField("save_slice_info_def"):
      self._save_slice_info = Variable.SaveSliceInfo(save_slice_info_def=message.save_slice_info_def, import_scope=import_scope)
    self._is_initialized_op = None
    self._caching_device = None
    self._constraint = None

  def _read_variable_op(self):
    result = gen.read_variable_op(self._handle, dtype=self._dtype)
    if result.get_shape().ndims is None and self._shape.ndims is not None:
      result.set_shape(self._shape)
    return result

  def _order(self):
    """Returns the scope that reads and writes are made in: here none, behind a write the control input of that."""
    return contextlib.nullcontext()

  def _as_graph_element(self):
    return self._graph_element

  def value(self):
    if self._cached_value is not None:
      return self._cached_value
    with self._order(), ops.colocate_with(None, ignore_existing=True):
      return self._read_variable_op()

  def read_value(self):
    with self._order():
      with ops.name_scope("Read"):
        value = self._read_variable_op()
      return tf.identity(value)

  def sparse_read(self, indices, name=None):
    with ops.name_scope("Gather" if name is None else name) as scope:
      return gen.resource_gather(self._handle, indices, dtype=self._dtype, name=scope)

  def gather_nd(self, indices, name=None):
    with ops.name_scope("GatherNd" if name is None else name) as scope:
      value = gen.resource_gather_nd(self._handle, indices, dtype=self._dtype, name=scope)
    return tf.identity(value)

  def eval(self, session=None):
    return self._graph_element.eval(session=session)

  def set_shape(self, shape):
    self._shape = self._shape.merge_with(shape)
    self._graph_element.set_shape(shape)

  def is_initialized(self, name=None):
    """Returns whether the variable has a value when the op runs, a bool."""
    return gen.var_is_initialized_op(self._handle, name=name)

  def _lazy_read(self, op):
    """Returns the variable as it is behind `op`, a write."""
    return _UnreadVariable(self, op)

  def _result(self, op, read_value):
    return self._lazy_read(op) if read_value else op

  def _value_to_write(self, value):
    return convert.convert_to_tensor(value, dtype=self._dtype)

  def assign(self, value, use_locking=None, name=None, read_value=True):
    with self._order():
      tensor = self._value_to_write(value)
      if not self._shape.is_compatible_with(tensor.shape):
        raise ValueError(
          "Cannot assign value to variable '{}': Shape mismatch.The variable shape {}, and the assigned value shape {} are "
          "incompatible.".format(" " + self.name, self._shape, tensor.shape)
        )
      # A shape that is not known lets a variable grow.
      validate_shape = self._validate_shape and self._shape.is_fully_defined()
      op = gen.assign_variable_op(self._handle, tensor, validate_shape=validate_shape, name=name)
      return self._result(op, read_value)

  def assign_add(self, delta, use_locking=None, name=None, read_value=True):
    with self._order():
      op = gen.assign_add_variable_op(self._handle, self._value_to_write(delta), name=name)
      return self._result(op, read_value)

  def assign_sub(self, delta, use_locking=None, name=None, read_value=True):
    with self._order():
      op = gen.assign_sub_variable_op(self._handle, self._value_to_write(delta), name=name)
      return self._result(op, read_value)

  def _scatter(self, op, sparse_delta, name):
    if not isinstance(sparse_delta, composite.IndexedSlices):
      raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}")
    with self._order():
      values = self._value_to_write(sparse_delta.values)
      return self._lazy_read(op(self._handle, sparse_delta.indices, values, name=name))

  def scatter_sub(self, sparse_delta, use_locking=False, name=None):
    return self._scatter(gen.resource_scatter_sub, sparse_delta, name)

  def scatter_add(self, sparse_delta, use_locking=False, name=None):
    return self._scatter(gen.resource_scatter_add, sparse_delta, name)

  def scatter_max(self, sparse_delta, use_locking=False, name=None):
    return self._scatter(gen.resource_scatter_max, sparse_delta, name)

  def scatter_min(self, sparse_delta, use_locking=False, name=None):
    return self._scatter(gen.resource_scatter_min, sparse_delta, name)

  def scatter_mul(self, sparse_delta, use_locking=False, name=None):
    return self._scatter(gen.resource_scatter_mul, sparse_delta, name)

  def scatter_div(self, sparse_delta, use_locking=False, name=None):
    return self._scatter(gen.resource_scatter_div, sparse_delta, name)

  def scatter_update(self, sparse_delta, use_locking=False, name=None):
    return self._scatter(gen.resource_scatter_update, sparse_delta, name)

  def batch_scatter_update(self, sparse_delta, use_locking=False, name=None):
    with self._order():
      written = state.batch_scatter_update(self, sparse_delta.indices, sparse_delta.values, use_locking=use_locking, name=name)
      return self._lazy_read(written.op)

  def _scatter_nd(self, op, indices, updates, name):
    with self._order():
      return self._lazy_read(op(self._handle, indices, self._value_to_write(updates), name=name))

  def scatter_nd_sub(self, indices, updates, name=None):
    return self._scatter_nd(gen.resource_scatter_nd_sub, indices, updates, name)

  def scatter_nd_add(self, indices, updates, name=None):
    return self._scatter_nd(gen.resource_scatter_nd_add, indices, updates, name)

  def scatter_nd_update(self, indices, updates, name=None):
    return self._scatter_nd(gen.resource_scatter_nd_update, indices, updates, name)

  def _strided_slice_assign(
    self, begin, end, strides, value, name, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
  ):
    op = gen.resource_strided_slice_assign(
      self._handle,
      begin,
      end,
      strides,
      self._value_to_write(value),
      name=name,
      begin_mask=begin_mask,
      end_mask=end_mask,
      ellipsis_mask=ellipsis_mask,
      new_axis_mask=new_axis_mask,
      shrink_axis_mask=shrink_axis_mask,
    )
    return self._lazy_read(op)

  def count_up_to(self, limit):
    return gen.resource_count_up_to(self._handle, limit=limit, T=self._dtype)

  @property
  def handle(self):
    """The handle: a scalar tensor of type tf.resource."""
    return self._handle

  @property
  def shape(self):
    return self._shape

  @property
  def name(self):
    return self._handle_name

  @property
  def dtype(self):
    return self._dtype

  @property
  def op(self):
    return self._handle.op

  @property
  def device(self):
    return self._handle.device

  @property
  def graph(self):
    return self._handle.graph

  @property
  def _unique_id(self):
    """What tells the variable from others in tables of optimizers."""
    return self._shared_name

  @property
  def create(self):
    """The op that writes the initial value: `initializer`, by another name."""
    return self._initializer_op

  def to_proto(self, export_scope=None):
    from millrace.framework import protos

    if export_scope is not None and not self.handle.name.startswith(export_scope):
      return None
    snapshot = self._cached_value if self._cached_value is not None else self._graph_element
    message = protos.VariableDef(
      variable_name=ops.strip_name_scope(self.handle.name, export_scope),
      initializer_name=ops.strip_name_scope(self._initializer_op.name, export_scope),
      snapshot_name=ops.strip_name_scope(snapshot.name, export_scope),
      is_resource=True,
      trainable=self._trainable,
      synchronization=self._synchronization.value,
      aggregation=self._aggregation.value,
    )
    if self._initial_value is not None:
      message.initial_value_name = ops.strip_name_scope(self._initial_value.name, export_scope)
    if self._save_slice_info:
      message.save_slice_info_def.MergeFrom(self._save_slice_info.to_proto(export_scope=export_scope))
    return message

  @staticmethod
  def from_proto(variable_def, import_scope=None):
    return ResourceVariable(variable_def=variable_def, import_scope=import_scope)


class _UnreadVariable(ResourceVariable):
  """A variable behind a write: its op is that write, and what is read of it is read later."""

  def __init__(self, variable, op):
    # All that describes the variable is the same; the attributes are taken over as they are.
    self.__dict__.update(variable.__dict__)
    self._parent_op = op
    self._cached_value = None
    self._graph_element = None
    with self._order():
      self._graph_element = self._read_variable_op()

  def _order(self):
    return ops.control_dependencies([self._parent_op])

  def read_value(self):
    with self._order():
      return self._read_variable_op()

  def value(self):
    """Read where the program is, and not where the variable is: as TensorFlow does."""
    return self.read_value()

  @property
  def name(self):
    return self._parent_op.name

  @property
  def op(self):
    return self._parent_op


def _to_tensor(variable, dtype=None, name=None, as_ref=False):
  """The conversion of resources: their value."""
  if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(variable.dtype):
    raise ValueError(
      f"Incompatible type conversion requested to type {dtypes.as_dtype(dtype).name} for `tf.Variable of type {variable.dtype.name}. (Variable: {variable})"
    )
  if as_ref:
    return variable.read_value().op.inputs[0]
  return variable.value()


convert.register_tensor_conversion_function(ResourceVariable, _to_tensor)
convert.register_dense_tensor_like_type(ResourceVariable)
overloads.overload(ResourceVariable)
