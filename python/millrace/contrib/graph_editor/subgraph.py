"""SubGraphView: a part of a graph with its inputs and outputs in an order."""

import copy

import millrace as tf
from millrace.contrib.graph_editor import elements, selecting


class SubGraphView:
  """Ops of a graph; `inputs` are tensors from outside that they read, `outputs` are theirs that others, or nobody, read.

  Tensors `passthrough_ts` are inputs and outputs at once. Views are not changed: `remap...` return others.
  """

  def __init__(self, inside_ops=(), passthrough_ts=()):
    inside_ops = elements.make_list_of_op(inside_ops)
    passthrough_ts = elements.make_list_of_t(passthrough_ts)
    self._graph = elements.check_one_graph([*inside_ops, *passthrough_ts])
    self._ops = list(dict.fromkeys(inside_ops))
    inputs, outputs, _ = selecting.compute_boundary_ts(self._ops)
    known = [*inputs, *(tensor for op in self._ops for tensor in op.outputs)]
    self._passthrough_ts = [tensor for tensor in dict.fromkeys(passthrough_ts) if tensor not in known]
    self._input_ts = inputs + self._passthrough_ts
    self._output_ts = outputs + self._passthrough_ts

  def __copy__(self):
    made = SubGraphView.__new__(SubGraphView)
    made.__dict__.update({name: copy.copy(value) if name != "_graph" else value for name, value in self.__dict__.items()})
    return made

  def copy(self):
    return self.__copy__()

  @property
  def graph(self):
    return self._graph

  @property
  def ops(self):
    return self._ops

  def op(self, op_id):
    return self._ops[op_id]

  @property
  def inputs(self):
    return list(self._input_ts)

  @property
  def outputs(self):
    return list(self._output_ts)

  @property
  def connected_inputs(self):
    """Inputs that some op of the view reads."""
    return [tensor for tensor in self._input_ts if not self.is_passthrough(tensor)]

  @property
  def connected_outputs(self):
    """Outputs that some op of the view makes."""
    return [tensor for tensor in self._output_ts if not self.is_passthrough(tensor)]

  @property
  def passthroughs(self):
    return list(self._passthrough_ts)

  def is_passthrough(self, t):
    return t in self._passthrough_ts

  def __bool__(self):
    return self._graph is not None

  def __enter__(self):
    return self.copy()

  def __exit__(self, kind, value, trace):
    pass

  def __str__(self):
    lines = ["SubGraphView", "** ops:"] + [f"  {op.name}" for op in self._ops]
    for title, tensors in (("inputs", self._input_ts), ("outputs", self._output_ts)):
      lines += [f"** {title}:"] + [f"  {tensor.name}" for tensor in tensors]
    return "\n".join(lines)

  def find_op_by_name(self, op_name):
    """Returns the op of a name. Raises ValueError if the view has none."""
    for op in self._ops:
      if op.name == op_name:
        return op
    raise ValueError(f"{op_name} not found in subgraph.")

  def input_index(self, t):
    """Returns the place of an input, a tensor or an op. Raises ValueError if it is none."""
    return self._index(self._input_ts, t, "inputs")

  def output_index(self, t):
    """Returns the place of an output, a tensor or an op. Raises ValueError if it is none."""
    return self._index(self._output_ts, t, "outputs")

  def _index(self, tensors, t, what):
    for index, tensor in enumerate(tensors):
      if tensor is t or tensor.op is t:
        return index
    raise ValueError(f"Can't find {t.name} in subgraph {what}.")

  def consumers(self):
    """Returns the ops outside that read the view's outputs."""
    inside = set(self._ops)
    return [op for op in elements.get_consuming_ops(self._output_ts) if op not in inside]

  def remap_inputs(self, new_input_indices):
    """Returns the view with only these inputs, numbers or tensors, in this order."""
    made = self.copy()
    made._input_ts = [self._chosen(self._input_ts, one, self.input_index) for one in new_input_indices]
    return made

  def remap_outputs(self, new_output_indices):
    """Returns the view with only these outputs, numbers or tensors, in this order; one may come several times."""
    made = self.copy()
    made._output_ts = [self._chosen(self._output_ts, one, self.output_index) for one in new_output_indices]
    return made

  def _chosen(self, tensors, one, find):
    return tensors[one if isinstance(one, int) else find(one)]

  def remap(self, new_input_indices=None, new_output_indices=None):
    """Returns the view with only these inputs and outputs."""
    made = self if new_input_indices is None else self.remap_inputs(new_input_indices)
    return made if new_output_indices is None else made.remap_outputs(new_output_indices)

  def remap_outputs_make_unique(self):
    """Returns the view with each output once."""
    made = self.copy()
    made._output_ts = list(dict.fromkeys(self._output_ts))
    return made

  def remap_outputs_to_consumers(self):
    """Returns the view with each output as often as ops outside read it."""
    made = self.remap_outputs_make_unique()
    inside = set(self._ops)
    made._output_ts = [tensor for tensor in made._output_ts for op in tensor.consumers() if op not in inside]
    return made

  def remap_default(self, remove_input_map=True, remove_output_map=True):
    """Returns the view with the inputs and outputs that it has of itself."""
    made = self.copy()
    fresh = SubGraphView(self._ops, self._passthrough_ts)
    if remove_input_map:
      made._input_ts = fresh._input_ts
    if remove_output_map:
      made._output_ts = fresh._output_ts
    return made

  def remove_unused_ops(self, control_inputs=True):
    """Returns the view without ops that its outputs do not need."""
    needed = selecting.get_backward_walk_ops(self.connected_outputs, within_ops=self._ops, control_inputs=control_inputs)
    made = self.copy()
    made._ops = [op for op in self._ops if op in set(needed)]
    return made


def make_view(*args, **kwargs):
  """Returns a SubGraphView of ops, tensors (that pass through) and patterns, as select_ops_and_ts takes them, or the view that is given."""
  if len(args) == 1 and isinstance(args[0], SubGraphView):
    return args[0]
  ops, ts = selecting.select_ops_and_ts(*args, **kwargs)
  return SubGraphView(ops, ts)


def make_view_from_scope(scope, graph):
  """Returns the view of all ops below a scope of a graph. Raises TypeError for something else than a graph."""
  if not isinstance(graph, tf.Graph):
    raise TypeError(f"Expected a graph, got: {type(graph)}")
  return SubGraphView(selecting.get_name_scope_ops(graph, scope))
