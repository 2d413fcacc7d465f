"""Takes views out of their graph and puts them elsewhere."""

import millrace as tf
from millrace.contrib.graph_editor import elements, rerouting, selecting, subgraph


def detach_control_inputs(sgv):
  """Lets the ops of a view wait for ops of the view only."""
  sgv = subgraph.make_view(sgv)
  for op in sgv.ops:
    outside = [before for before in op.control_inputs if before not in sgv.ops]
    if outside:
      rerouting.remove_control_inputs(op, outside)


def detach_control_outputs(sgv, control_outputs):
  """Lets ops outside wait for ops of a view no more; `control_outputs` is a ControlOutputs."""
  if not isinstance(control_outputs, elements.ControlOutputs):
    raise TypeError(f"Expected a ControlOutputs, got: {type(control_outputs)}")
  control_outputs.update()
  sgv = subgraph.make_view(sgv)
  for op in sgv.ops:
    for waiting in control_outputs.get(op):
      if waiting not in sgv.ops:
        rerouting.remove_control_inputs(waiting, op)


def _placeholders(graph, tensors):
  with graph.as_default():
    return [elements.make_placeholder_from_tensor(tensor) for tensor in tensors]


def detach_inputs(sgv, control_inputs=False):
  """Lets a view read placeholders; returns (view, placeholders). With `control_inputs`, it waits for nobody outside any more."""
  sgv = subgraph.make_view(sgv)
  made = _placeholders(sgv.graph, sgv.inputs)
  rerouting.reroute_ts(made, sgv.inputs, can_modify=sgv.ops)
  if control_inputs:
    detach_control_inputs(sgv)
  view = sgv.copy()
  view._input_ts = list(made)
  view._passthrough_ts = []
  return view, made


def detach_outputs(sgv, control_outputs=None):
  """Lets those that read a view's outputs read placeholders; returns (view, placeholders), of the outputs that others read."""
  sgv = subgraph.make_view(sgv)
  inside = set(sgv.ops)
  read = [t for t in sgv.outputs if any(op not in inside for op in t.consumers())]
  made = _placeholders(sgv.graph, read)
  rerouting.reroute_ts(made, read, cannot_modify=sgv.ops)
  if control_outputs is not None:
    detach_control_outputs(sgv, control_outputs)
  return sgv, made


def detach(sgv, control_inputs=False, control_outputs=None, control_ios=None):
  """Takes a view out of its graph; returns (view, placeholders that it reads, placeholders that others read)."""
  control_inputs, control_outputs = selecting.check_cios(control_inputs, control_outputs, control_ios)
  sgv, inputs = detach_inputs(sgv, control_inputs)
  sgv, outputs = detach_outputs(sgv, control_outputs)
  return sgv, inputs, outputs


def connect(sgv0, sgv1, disconnect_first=False):
  """Lets the second view read the outputs of the first one; returns both views.

  With `disconnect_first`, both are taken out of their places at these ends before.
  """
  sgv0, sgv1 = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
  elements.check_one_graph(sgv0.ops + sgv1.ops)
  if disconnect_first:
    detach_outputs(sgv0)
    sgv1, _ = detach_inputs(sgv1)
  outputs = sgv0.outputs
  rerouting.reroute_ts(outputs, sgv1.inputs, can_modify=sgv1.ops)
  view = sgv1.copy()
  view._input_ts = list(outputs)
  return sgv0, view


def bypass(sgv):
  """Lets those that read a view's outputs read its inputs; returns (view, placeholders that the view reads now)."""
  sgv = subgraph.make_view(sgv)
  inputs = list(sgv.inputs)
  sgv, made = detach_inputs(sgv)
  rerouting.reroute_ts(inputs, sgv.outputs, cannot_modify=sgv.ops)
  return sgv, made


def ph(dtype, shape=None, scope=None, prefix=elements.DEFAULT_PLACEHOLDER_PREFIX):
  """Makes a placeholder of this type and shape, in the default graph."""
  return elements.make_placeholder_from_dtype_and_shape(dtype=dtype, shape=shape, scope=scope, prefix=prefix)


def sgv(*args, **kwargs):
  """Returns a SubGraphView: see make_view."""
  return subgraph.make_view(*args, **kwargs)


def sgv_scope(scope, graph):
  """Returns the view of all ops below a scope of a graph."""
  return subgraph.make_view_from_scope(scope, graph)


class OpMatcher:
  """Whether an op's name, and the ops that it reads and is read by, fit: `OpMatcher("x$").input_ops(...)(op)`.

  What is to fit is a pattern, an Operation, a function of an op, or an OpMatcher.
  """

  def __init__(self, positive_filter):
    self._positive_filters = [positive_filter]
    self._input_filters = None
    self._output_filters = None
    self._control_filters = None

  def control_input_ops(self, *args):
    """What the ops that it waits for have to be, in whatever order."""
    self._control_filters = args
    return self

  def input_ops(self, *args):
    """What the ops that it reads have to be, in their order; None stands for any."""
    self._input_filters = args
    return self

  def output_ops(self, *args):
    """What those that read each of its outputs have to be: for each output a list, or None for any."""
    self._output_filters = args
    return self

  def __call__(self, op):
    if not isinstance(op, tf.Operation):
      raise TypeError(f"Expect tf.Operation, got: {type(op)}")
    if not all(_fits(one, op) for one in self._positive_filters):
      return False
    if self._input_filters is not None:
      if len(op.inputs) != len(self._input_filters):
        return False
      if not all(_fits(one, tensor.op) for one, tensor in zip(self._input_filters, op.inputs)):
        return False
    if self._control_filters is not None:
      if len(op.control_inputs) != len(self._control_filters):
        return False
      if not all(any(_fits(one, before) for before in op.control_inputs) for one in self._control_filters):
        return False
    if self._output_filters is not None:
      if len(op.outputs) != len(self._output_filters):
        return False
      for wanted, tensor in zip(self._output_filters, op.outputs):
        if wanted is None:
          continue
        wanted = wanted if isinstance(wanted, (list, tuple)) else [wanted]
        consumers = tensor.consumers()
        if len(consumers) != len(wanted) or not all(any(_fits(one, op_) for op_ in consumers) for one in wanted):
          return False
    return True


def _fits(wanted, op):
  if wanted is None:
    return True
  if isinstance(wanted, tf.Operation):
    return wanted is op
  if selecting.can_be_regex(wanted):
    return selecting.make_regex(wanted).search(op.name) is not None
  return bool(wanted(op))


def op_type(op_types, op=None):
  """Whether an op has one of these types; without an op, a function that says it."""
  op_types = [op_types] if isinstance(op_types, str) else op_types

  def has_type(one):
    return one.node_def.op in op_types

  return has_type if op is None else has_type(op)
