"""Lists of ops and tensors of a graph, who reads a tensor, and placeholders in a tensor's place."""

import collections.abc

import millrace as tf

DEFAULT_PLACEHOLDER_PREFIX = "geph"


def _flat(values):
  if isinstance(values, collections.abc.Iterable) and not isinstance(values, (str, bytes, tf.Tensor, tf.Operation)):
    for value in values:
      yield from _flat(value)
  else:
    yield values


def make_list_of_op(ops, check_graph=True, allow_graph=True, ignore_ts=False):
  """Returns a list of Operations, of ops in whatever lists, or of all of a Graph; tensors are left out if `ignore_ts`.

  Raises TypeError for something else, ValueError for ops of several graphs if `check_graph`.
  """
  return _made_list(ops, tf.Operation, tf.Tensor if ignore_ts else None, check_graph, allow_graph, lambda g: g.get_operations())


def make_list_of_t(ts, check_graph=True, allow_graph=True, ignore_ops=False):
  """Returns a list of Tensors, of tensors in whatever lists, or of all of a Graph; ops are left out if `ignore_ops`.

  Raises TypeError for something else, ValueError for tensors of several graphs if `check_graph`.
  """
  return _made_list(ts, tf.Tensor, tf.Operation if ignore_ops else None, check_graph, allow_graph, get_tensors)


def _made_list(values, kind, ignored, check_graph, allow_graph, all_of):
  if isinstance(values, tf.Graph):
    if allow_graph:
      return list(all_of(values))
    raise TypeError(f"allow_graph is False: cannot convert a tf.Graph to a list of {kind.__name__}")
  found = []
  for value in _flat(values):
    if isinstance(value, tf.Variable) and kind is tf.Tensor:
      value = tf.convert_to_tensor(value)
    if isinstance(value, kind):
      found.append(value)
    elif ignored is None or not isinstance(value, ignored):
      raise TypeError(f"Expected a {kind.__name__}, got: {type(value)}")
  if check_graph:
    check_one_graph(found)
  return found


def check_one_graph(values):
  """Raises ValueError unless all are of one graph; returns it, or None for no values."""
  graphs = {id(value.graph): value.graph for value in values}
  if len(graphs) > 1:
    raise ValueError("Elements are of several graphs")
  return next(iter(graphs.values()), None)


def get_tensors(graph):
  """Returns all tensors of a graph, in the order of their ops. Raises TypeError for something else."""
  if not isinstance(graph, tf.Graph):
    raise TypeError(f"Expected a graph, got: {type(graph)}")
  return [tensor for op in graph.get_operations() for tensor in op.outputs]


def get_generating_ops(ts):
  """Returns the ops that make tensors, one for each."""
  return [tensor.op for tensor in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts):
  """Returns the ops that read any of these tensors, each once."""
  found = {}
  for tensor in make_list_of_t(ts, allow_graph=False):
    for op in tensor.consumers():
      found.setdefault(op.name, op)
  return list(found.values())


class ControlOutputs:
  """The ops that wait for each op of a graph, as they were when it was made or updated."""

  def __init__(self, graph):
    if not isinstance(graph, tf.Graph):
      raise TypeError(f"Expected a graph, got: {type(graph)}")
    self._graph = graph
    self.update()

  def update(self):
    """Looks at the graph again; returns this object."""
    self._found = {}
    for op in self._graph.get_operations():
      for before in op.control_inputs:
        self._found.setdefault(before, []).append(op)
    return self

  def get_all(self):
    return self._found

  def get(self, op):
    """The ops that wait for an op."""
    return self._found.get(op, ())

  @property
  def graph(self):
    return self._graph


def placeholder_name(t=None, scope=None, prefix=DEFAULT_PLACEHOLDER_PREFIX):
  """Returns a name for a placeholder in a tensor's place: `PREFIX__OP_INDEX`, in the tensor's scope or in `scope`."""
  scope = scope.rstrip("/") if scope is not None else None
  if t is None:
    return f"{scope}/{prefix}" if scope else prefix
  if not isinstance(t, tf.Tensor):
    raise TypeError(f"Expected a tf.Tensor, got: {type(t)}")
  outer, _, last = t.op.name.rpartition("/")
  scope = outer if scope is None else scope
  name = f"{prefix}__{last}_{t.value_index}"
  return f"{scope}/{name}" if scope else name


def make_placeholder_from_tensor(t, scope=None, prefix=DEFAULT_PLACEHOLDER_PREFIX):
  """Makes a placeholder of a tensor's type and shape, in the default graph."""
  return tf.placeholder(t.dtype, t.shape, name=placeholder_name(t, scope, prefix))


def make_placeholder_from_dtype_and_shape(dtype, shape=None, scope=None, prefix=DEFAULT_PLACEHOLDER_PREFIX):
  """Makes a placeholder of this type and shape, in the default graph."""
  return tf.placeholder(dtype, shape, name=placeholder_name(scope=scope, prefix=prefix))
