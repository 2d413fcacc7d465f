"""The base class of optimizers: gradients of a loss, and the ops that apply them."""

import millrace as tf
from millrace.framework import composite, convert, dtypes, nest
from millrace.framework import graph as graph_lib
from millrace.train.optimizers import processors, slots


def is_resource_variable(v):
  """Whether `v` is a variable that its ops reach by a handle."""
  return isinstance(v, tf.Variable) and v.op.type == "VarHandleOp"


def cast(value, dtype):
  """`value` as `dtype`; a tensor or variable that has it already is returned as it is."""
  if isinstance(value, (tf.Tensor, tf.Variable)) and value.dtype.base_dtype == dtype:
    return value
  return tf.cast(value, dtype)


def call_if_callable(param):
  """Hyperparameters may be functions, which are called each time that update ops are made."""
  return param() if callable(param) else param


def deduplicate_indexed_slices(values, indices):
  """Sums `values` whose `indices` are equal; returns the sums and the indices, each once."""
  unique_indices, positions = tf.unique(indices)
  summed = tf.unsorted_segment_sum(values, positions, tf.shape(unique_indices)[0])
  return summed, unique_indices


class Optimizer:
  """Base class of optimizers.

  A subclass makes its slots in `_create_slots`, its hyperparameters in `_prepare`, and one update op a variable in
  `_apply_dense`, `_apply_sparse`, `_resource_apply_dense` and `_resource_apply_sparse`; `_finish` puts them together.
  """

  GATE_NONE = 0
  GATE_OP = 1
  GATE_GRAPH = 2

  def __init__(self, use_locking, name):
    if not name:
      raise ValueError("Must specify the optimizer name")
    self._use_locking = use_locking
    self._name = name
    self._slots = {}
    self._non_slot_dict = {}

  def get_name(self):
    return self._name

  def minimize(
    self,
    loss,
    global_step=None,
    var_list=None,
    gate_gradients=GATE_OP,
    aggregation_method=None,
    colocate_gradients_with_ops=False,
    name=None,
    grad_loss=None,
  ):
    """The op that makes one step towards a smaller `loss`: `compute_gradients`, then `apply_gradients`."""
    grads_and_vars = self.compute_gradients(
      loss,
      var_list=var_list,
      gate_gradients=gate_gradients,
      aggregation_method=aggregation_method,
      colocate_gradients_with_ops=colocate_gradients_with_ops,
      grad_loss=grad_loss,
    )
    if not any(g is not None for g, _ in grads_and_vars):
      raise ValueError(
        "No gradients provided for any variable, check your graph for ops that do not support gradients, "
        f"between variables {[str(v) for _, v in grads_and_vars]} and loss {loss}."
      )
    return self.apply_gradients(grads_and_vars, global_step=global_step, name=name)

  def compute_gradients(
    self,
    loss,
    var_list=None,
    gate_gradients=GATE_OP,
    aggregation_method=None,
    colocate_gradients_with_ops=False,
    grad_loss=None,
  ):
    """Pairs (gradient or None, variable) of `loss` for `var_list`, which defaults to the trainable variables."""
    if callable(loss):
      loss = loss()
    if gate_gradients not in (Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH):
      raise ValueError(
        f"gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH.  Not {gate_gradients}"
      )
    self._assert_valid_dtypes([loss])
    if grad_loss is not None:
      self._assert_valid_dtypes([grad_loss])
    if var_list is None:
      var_list = tf.trainable_variables() + tf.get_collection(tf.GraphKeys.TRAINABLE_RESOURCE_VARIABLES)
    else:
      var_list = nest.flatten(var_list)
    var_list = list(var_list) + tf.get_collection("_streaming_model_ports")
    targets = [processors.get_processor(v).target() for v in var_list]
    if not var_list:
      raise ValueError("No variables to optimize.")
    grads = tf.gradients(
      loss,
      targets,
      grad_ys=grad_loss,
      gate_gradients=(gate_gradients == Optimizer.GATE_OP),
      aggregation_method=aggregation_method,
      colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if gate_gradients == Optimizer.GATE_GRAPH:
      grads = tf.tuple(grads)
    grads_and_vars = list(zip(grads, var_list))
    self._assert_valid_dtypes([v for g, v in grads_and_vars if g is not None and v.dtype != dtypes.resource])
    return grads_and_vars

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    """The op that applies gradients to their variables, and then adds 1 to `global_step`, if it is given."""
    grads_and_vars = tuple(grads_and_vars)
    if not grads_and_vars:
      raise ValueError("No variables provided.")
    converted = []
    for g, v in grads_and_vars:
      if g is not None:
        try:
          g = convert.convert_to_tensor_or_indexed_slices(g)
        except TypeError:
          raise TypeError(f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {g}")
        if not isinstance(g, (tf.Tensor, composite.IndexedSlices)):
          raise TypeError(f"Gradient must be a Tensor, IndexedSlices, or None: {g}")
      converted.append((g, v, processors.get_processor(v)))
    var_list = [v for g, v, _ in converted if g is not None]
    if not var_list:
      raise ValueError(f"No gradients provided for any variable: {[str(v) for _, v, _ in converted]}.")
    with tf.init_scope():
      self._create_slots(var_list)
    update_ops = []
    with tf.name_scope(name, self._name) as scope:
      self._prepare()
      for grad, var, processor in converted:
        if grad is None:
          continue
        with tf.name_scope("update_" + var.op.name), graph_lib.colocate_with(var):
          update_ops.append(processor.update_op(self, grad))
      if global_step is None:
        apply_updates = self._finish(update_ops, scope)
      else:
        with tf.control_dependencies([self._finish(update_ops, "update")]), graph_lib.colocate_with(global_step):
          apply_updates = _increment(global_step, scope)
      if isinstance(apply_updates, tf.Tensor):
        apply_updates = apply_updates.op
      train_ops = tf.get_collection_ref(tf.GraphKeys.TRAIN_OP)
      if apply_updates not in train_ops:
        train_ops.append(apply_updates)
      return apply_updates

  def get_slot(self, var, name):
    """The slot `name` of `var`, or None."""
    slot = self._slots.get(name, {}).get(_var_key(var))
    return slot

  def get_slot_names(self):
    return sorted(self._slots)

  def variables(self):
    """The variables of this optimizer in the current graph, by their names."""
    graph = tf.get_default_graph()
    found = [v for v in self._non_slot_dict.values() if v.op.graph is graph]
    for slot_dict in self._slots.values():
      found.extend(slot for slot in slot_dict.values() if slot.op.graph is graph)
    return sorted(found, key=lambda v: v.name)

  def _assert_valid_dtypes(self, tensors):
    valid = self._valid_dtypes()
    for t in tensors:
      dtype = t.dtype.base_dtype
      if dtype not in valid:
        raise ValueError(f"Invalid type {dtype!r} for {t.name}, expected: {[v for v in valid]}.")

  def _valid_dtypes(self):
    """The types of losses, gradients and variables that this optimizer takes."""
    return [dtypes.float32, dtypes.float64, dtypes.float16, dtypes.bfloat16]

  def _create_non_slot_variable(self, initial_value, name, colocate_with):
    """A variable that belongs to no single variable, made once a graph, beside `colocate_with`."""
    key = (name, colocate_with.op.graph)
    v = self._non_slot_dict.get(key)
    if v is None:
      with graph_lib.colocate_with(colocate_with):
        v = tf.Variable(initial_value, name=name, trainable=False, use_resource=is_resource_variable(colocate_with))
      self._non_slot_dict[key] = v
    return v

  def _get_non_slot_variable(self, name, graph=None):
    return self._non_slot_dict.get((name, graph))

  def _non_slot_variables(self):
    return self._non_slot_dict.values()

  def _call_if_callable(self, param):
    return call_if_callable(param)

  def _create_slots(self, var_list):
    """Makes the slots of all variables that have none yet."""

  def _prepare(self):
    """Makes the tensors of hyperparameters; runs in the name scope of the update."""

  def _apply_dense(self, grad, var):
    raise NotImplementedError()

  def _resource_apply_dense(self, grad, handle):
    raise NotImplementedError()

  def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
    """Applies slices whose indices may occur several times; optimizers that need no sums override it."""
    summed, unique_indices = deduplicate_indexed_slices(grad, indices)
    return self._resource_apply_sparse(summed, handle, unique_indices)

  def _resource_apply_sparse(self, grad, handle, indices):
    raise NotImplementedError()

  def _apply_sparse_duplicate_indices(self, grad, var):
    """Applies slices whose indices may occur several times; optimizers that need no sums override it."""
    summed, unique_indices = deduplicate_indexed_slices(grad.values, grad.indices)
    return self._apply_sparse(composite.IndexedSlices(summed, unique_indices, grad.dense_shape), var)

  def _apply_sparse(self, grad, var):
    raise NotImplementedError()

  def _finish(self, update_ops, name_scope):
    """The op behind all `update_ops`; its name is `name_scope`."""
    return tf.group(*update_ops, name=name_scope)

  def _slot_dict(self, slot_name):
    return self._slots.setdefault(slot_name, {})

  def _get_or_make_slot(self, var, val, slot_name, op_name):
    named = self._slot_dict(slot_name)
    key = _var_key(var)
    if key not in named:
      named[key] = slots.create_slot(var, val, op_name)
    return named[key]

  def _get_or_make_slot_with_initializer(self, var, initializer, shape, dtype, slot_name, op_name):
    named = self._slot_dict(slot_name)
    key = _var_key(var)
    if key not in named:
      named[key] = slots.create_slot_with_initializer(var, initializer, shape, dtype, op_name)
    return named[key]

  def _zeros_slot(self, var, slot_name, op_name):
    named = self._slot_dict(slot_name)
    key = _var_key(var)
    if key not in named:
      named[key] = slots.create_zeros_slot(var, op_name)
    return named[key]


def _var_key(var):
  return (var.op.graph, var.op.name)


def _increment(global_step, name):
  """Adds 1 to `global_step`, which is a variable of any kind, by an op called `name`."""
  if is_resource_variable(global_step):
    from millrace import gen

    return gen.assign_add_variable_op(global_step.handle, tf.convert_to_tensor(1, dtype=global_step.dtype), name=name)
  return tf.assign_add(global_step, 1, name=name)
