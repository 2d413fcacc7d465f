"""Initial values that read other variables.

The initializers of a program run in one step, in no order. An initial value that reads another variable is therefore built
again from what that variable will be: its own initial value where it has none yet.
"""

from millrace.framework import graph as ops
from millrace.framework.graph import GraphKeys

# Ops that are taken as they are: questions about variables, reads of resources.
_LEFT_ALONE = frozenset(["IsVariableInitialized", "VarIsInitializedOp", "ReadVariableOp", "If"])
_VARIABLES = frozenset(["Variable", "VariableV2", "VarHandleOp"])


def guarded(name, tensor):
  """Returns the tensor, computed from initialized values of all variables that it reads.

  Ops that depend on variables are made again with "_" + `name` behind their names. A value that is computed in a loop stays
  as it is.
  """
  if not _reads_variables(tensor.op):
    return tensor
  return _Rebuilder(name, tensor.graph).tensor(tensor)


def _reads_variables(op):
  """Returns whether variables are above the op and no loop is."""
  seen = set()
  reads = False
  stack = [op]
  while stack:
    op = stack.pop()
    if op in seen:
      continue
    seen.add(op)
    if op.type in ("NextIteration", "RefNextIteration"):
      return False
    reads = reads or op.type in _VARIABLES
    stack.extend(t.op for t in op.inputs)
    stack.extend(op.control_inputs)
  return reads


class _Rebuilder:
  """Makes ops again, each once."""

  def __init__(self, name, graph):
    self._name = name
    self._graph = graph
    self._made = {}

  def tensor(self, tensor):
    if tensor.dtype.name == "resource":
      # An op that takes the handle itself changes the variable, which no value stands for.
      return tensor
    op = tensor.op
    new = self._made.get(op)
    if new is None:
      new = self._made[op] = self._op(op)
    return new.outputs[tensor.value_index]

  def _op(self, op):
    if op.type in _LEFT_ALONE:
      return op
    if op.type in _VARIABLES:
      initialized = _initialized_value(op)
      return op if initialized is None else initialized.op
    old = list(op.inputs)
    new = [self.tensor(t) for t in old]
    if all(a is b for a, b in zip(old, new)):
      return op
    op_type = "Switch" if op.type == "RefSwitch" else op.type
    # The name of a scope ends with a slash, which makes the whole an absolute name.
    return self._graph.create_op(
      op_type,
      new,
      [t.dtype.base_dtype for t in op.outputs],
      name=(op.name + "_" + self._name).replace(":", "_"),
      attrs=op.node_def.attr,
    )


def _initialized_value(op):
  """Returns the initialized value of the variable that the op holds, None where no collection has it."""
  names = (op.name, op.name + ":0")
  for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES):
    for variable in ops.get_collection(key):
      if variable.name in names:
        return variable.initialized_value()
  return None
