"""Control-flow contexts: the branch of a conditional or the body of a loop in which a program builds at the moment.

A graph has a current context. Every op that is made goes through it: values of outside reach the op by the Switch or Enter nodes
that the context adds, and an op that nothing else ties to the branch or the iteration waits for its pivot. All of that is the
extension's; the classes here give it the names that programs know, and write it to meta graphs and read it from there.
"""

import contextlib

from millrace import _binding
from millrace.framework import graph as graphs
from millrace.framework import protos


class ControlFlowContext:
  """What `CondContext` and `WhileContext` have in common. One object stands for one context of a graph."""

  def __init__(self, graph, core):
    self._given_number = len(_known(graph))
    self._graph = graph
    self._core = core
    self._entered = []
    _known(graph)[core.key] = self

  @classmethod
  def _of(cls, graph, core):
    """The object for a context that is there already."""
    context = cls.__new__(cls)
    ControlFlowContext.__init__(context, graph, core)
    return context

  @property
  def name(self):
    return self._core.name

  @property
  def graph(self):
    return self._graph

  @property
  def outer_context(self):
    """The context around this one; None: the graph itself."""
    return wrap(self._graph, self._core.outer)

  @property
  def _outer_context(self):
    return self.outer_context

  @property
  def grad_state(self):
    return None

  @property
  def back_prop(self):
    return None

  @property
  def values(self):
    """The names of all tensors that are known inside."""
    return set(self._core.values)

  def Enter(self):
    """Makes this the context in which the graph is built, until Exit."""
    self._entered.append(current(self._graph))
    set_current(self._graph, self)

  def Exit(self):
    set_current(self._graph, self._entered.pop())

  @contextlib.contextmanager
  def entered(self):
    """The context is current in the block."""
    self.Enter()
    try:
      yield self
    finally:
      self.Exit()

  def AddName(self, name):
    self._core.add_name(name)

  def AddValue(self, val):
    """Returns the tensor that stands for `val` inside."""
    return self._core.add_value(self._graph, val)

  def AddResult(self, val):
    """Returns the tensor that stands for `val`, a result of a branch, inside."""
    return self._core.add_result(self._graph, val)

  def AddOp(self, op):
    """Takes in an op that was made while another context was current."""
    self._core.add_op(self._graph, op)

  def AddInnerOp(self, op):
    """Hears of an op that was added to a context inside of this one."""
    if self.outer_context is not None:
      self.outer_context.AddInnerOp(op)

  def ExitResult(self, result):
    """Makes results of this context known to the one around it."""
    outer = self._core.outer
    if outer is not None:
      for tensor in result:
        outer.add_name(tensor.name)

  def GetWhileContext(self):
    """The innermost loop around what is built here, or None."""
    context = self
    while context is not None and not context.IsWhileContext():
      context = context.outer_context
    return context

  def IsWhileContext(self):
    return False

  def IsCondContext(self):
    return False

  def IsXLAContext(self):
    return False

  def _values_def(self, scope):
    values = protos.ValuesDef()
    values.values.extend(graphs.strip_name_scope(name, scope) for name in self._core.values)
    for name, tensor in self._core.external(self._graph).items():
      values.external_values[graphs.strip_name_scope(name, scope)] = graphs.strip_name_scope(tensor.name, scope)
    return values

  def _nested_contexts(self):
    mine = [context for context in _known(self._graph).values() if context is not self and context.outer_context is self]
    return sorted(mine, key=lambda context: context._number)

  def _write_nested(self, message, scope):
    for context in self._nested_contexts():
      context.to_control_flow_context_def(message.nested_contexts.add(), scope)

  def _restore(self, message, scope):
    """Fills in the known values from a message, gives the ops of the graph their context, and reads the contexts inside."""
    graph = self._graph
    values = message.values_def
    for name in values.values:
      self._core.add_name(graphs.prepend_name_scope(name, scope))
    for name, inside in values.external_values.items():
      tensor = graph.as_graph_element(graphs.prepend_name_scope(inside, scope))
      self._core.add_external(graphs.prepend_name_scope(name, scope), tensor)
    outside = {graphs.prepend_name_scope(name, scope) for name in values.external_values}
    for name in self._core.values:
      if name in outside:
        continue
      operation = _operation_of(graph, name)
      if operation is not None:
        _binding.set_context_of(operation, self._core)
    with self.entered():
      for nested in message.nested_contexts:
        from_control_flow_context_def(nested, import_scope=scope)

  @property
  def _number(self):
    return self._given_number

  def __str__(self):
    return self.name


def _known(graph):
  """The contexts of a graph by the keys of the extension's."""
  return graph.__dict__.setdefault("_flow_contexts", {})


def _operation_of(graph, tensor_name):
  try:
    return graph.get_tensor_by_name(tensor_name).op
  except (KeyError, ValueError):
    return None


def wrap(graph, core):
  """Returns the object for a context of the extension, or None for None."""
  if core is None:
    return None
  known = _known(graph).get(core.key)
  if known is not None:
    return known
  return (WhileContext if core.is_while else CondContext)._of(graph, core)


def current(graph):
  """Returns the context in which `graph` is built, or None."""
  return wrap(graph, _binding.current_context(graph))


def set_current(graph, context):
  _binding.set_current_context(graph, None if context is None else context._core)


def of_operation(op):
  """Returns the context that an op was made in, or None."""
  return wrap(op.graph, _binding.context_of(op))


def of_output(op):
  """Returns the context that an op's outputs are in: that of the end of a loop is around the loop."""
  context = of_operation(op)
  return context.outer_context if context is not None and op.type in ("Exit", "RefExit") else context


class CondContext(ControlFlowContext):
  """One branch of a conditional."""

  def __init__(self, pred=None, pivot=None, branch=None, name="cond_text", context_def=None, import_scope=None):
    graph = graphs.get_default_graph()
    if context_def is not None:
      find = lambda tensor: graph.as_graph_element(graphs.prepend_name_scope(tensor, import_scope))
      pred, pivot, branch = find(context_def.pred_name), find(context_def.pivot_name), context_def.branch
      full_name = graphs.prepend_name_scope(context_def.context_name, import_scope)
    else:
      full_name = graph.unique_name(name)
    core = _binding.make_branch(full_name, pred, pivot, branch, _binding.current_context(graph))
    super().__init__(graph, core)
    if context_def is not None:
      self._restore(context_def, import_scope)

  @property
  def pred(self):
    return self._core.part(self._graph, "pred")

  @property
  def pivot(self):
    return self._core.part(self._graph, "pivot")

  @property
  def branch(self):
    return self._core.branch

  @property
  def back_prop(self):
    loop = self.GetWhileContext()
    return loop.back_prop if loop is not None else False

  def IsCondContext(self):
    return True

  def GetControlPivot(self):
    return self.pivot

  def to_proto(self, export_scope=None):
    """Returns a CondContextDef; None if the branch is not in the name scope that is exported."""
    if export_scope is not None and not self.name.startswith(export_scope):
      return None
    message = protos.CondContextDef()
    message.context_name = graphs.strip_name_scope(self.name, export_scope)
    message.pred_name = graphs.strip_name_scope(self.pred.name, export_scope)
    message.pivot_name = graphs.strip_name_scope(self.pivot.name, export_scope)
    message.branch = self.branch
    message.values_def.MergeFrom(self._values_def(export_scope))
    self._write_nested(message, export_scope)
    return message

  def to_control_flow_context_def(self, context_def, export_scope=None):
    context_def.cond_ctxt.CopyFrom(self.to_proto(export_scope=export_scope))

  @staticmethod
  def from_proto(context_def, import_scope=None):
    """Makes the context in the default graph, whose nodes are there already."""
    return CondContext(context_def=context_def, import_scope=import_scope)


class WhileContext(ControlFlowContext):
  """The condition and the body of a loop."""

  def __init__(
    self,
    maximum_iterations=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    name="while_context",
    grad_state=None,
    context_def=None,
    import_scope=None,
  ):
    graph = graphs.get_default_graph()
    if context_def is not None:
      find = lambda tensor: graph.as_graph_element(graphs.prepend_name_scope(tensor, import_scope))
      full_name = graphs.prepend_name_scope(context_def.context_name, import_scope)
      limit = context_def.maximum_iterations_name
      core = _binding.make_loop(
        graph,
        full_name,
        context_def.parallel_iterations,
        context_def.back_prop,
        context_def.swap_memory,
        find(limit) if limit else None,
        _binding.current_context(graph),
      )
      for part in ("pivot", "pivot_for_pred", "pivot_for_body"):
        core.set_part(part, find(getattr(context_def, part + "_name")))
      core.restore([find(tensor) for tensor in context_def.loop_enter_names])
      core.set_exits([find(tensor) for tensor in context_def.loop_exit_names])
    else:
      if maximum_iterations is not None and not hasattr(maximum_iterations, "op"):
        maximum_iterations = None
      core = _binding.make_loop(
        graph,
        graph.unique_name(name),
        parallel_iterations,
        back_prop,
        swap_memory,
        maximum_iterations,
        _binding.current_context(graph),
      )
    super().__init__(graph, core)
    if context_def is not None:
      self._restore(context_def, import_scope)

  @property
  def maximum_iterations(self):
    return self._core.part(self._graph, "maximum_iterations")

  @property
  def parallel_iterations(self):
    return self._core.parallel_iterations

  @property
  def back_prop(self):
    return self._core.back_prop

  @property
  def swap_memory(self):
    return self._core.swap_memory

  @property
  def pivot(self):
    return self._core.part(self._graph, "pivot")

  @property
  def loop_enters(self):
    return self._core.enters(self._graph)

  @property
  def loop_exits(self):
    return self._core.exits(self._graph)

  def IsWhileContext(self):
    return True

  def GetWhileContext(self):
    return self

  def GetControlPivot(self):
    """The op that runs once an iteration, in the body or, until there is one, in the condition."""
    return self._core.part(self._graph, "pivot_for_body") or self._core.part(self._graph, "pivot_for_pred")

  def to_proto(self, export_scope=None):
    """Returns a WhileContextDef; None if the loop is not in the name scope that is exported."""
    if export_scope is not None and not self.name.startswith(export_scope):
      return None
    strip = lambda name: graphs.strip_name_scope(name, export_scope)
    message = protos.WhileContextDef()
    message.context_name = strip(self.name)
    message.parallel_iterations = self.parallel_iterations
    if self.maximum_iterations is not None:
      message.maximum_iterations_name = strip(self.maximum_iterations.name)
    message.back_prop = self.back_prop
    message.swap_memory = self.swap_memory
    for part in ("pivot", "pivot_for_pred", "pivot_for_body"):
      tensor = self._core.part(self._graph, part)
      if tensor is not None:
        setattr(message, part + "_name", strip(tensor.name))
    message.loop_exit_names.extend(strip(tensor.name) for tensor in self.loop_exits)
    message.loop_enter_names.extend(strip(tensor.name) for tensor in self.loop_enters)
    message.values_def.MergeFrom(self._values_def(export_scope))
    self._write_nested(message, export_scope)
    return message

  def to_control_flow_context_def(self, context_def, export_scope=None):
    context_def.while_ctxt.CopyFrom(self.to_proto(export_scope=export_scope))

  @staticmethod
  def from_proto(context_def, import_scope=None):
    """Makes the context in the default graph, whose nodes are there already."""
    return WhileContext(context_def=context_def, import_scope=import_scope)


def from_control_flow_context_def(context_def, import_scope=None):
  """Makes the context that a ControlFlowContextDef describes."""
  kind = context_def.WhichOneof("ctxt")
  if kind == "cond_ctxt":
    return CondContext.from_proto(context_def.cond_ctxt, import_scope=import_scope)
  if kind == "while_ctxt":
    return WhileContext.from_proto(context_def.while_ctxt, import_scope=import_scope)
  raise NotImplementedError("Unknown ControlFlowContextDef field: %s" % kind)
