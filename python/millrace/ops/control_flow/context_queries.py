"""What programs ask of control-flow contexts and of the ops that make conditionals and loops."""


def IsSwitch(op):
  return op.type in ("Switch", "RefSwitch")


def IsMerge(op):
  return op.type in ("Merge", "RefMerge")


def IsLoopEnter(op):
  return op.type in ("Enter", "RefEnter")


def IsLoopExit(op):
  return op.type in ("Exit", "RefExit")


def IsLoopConstantEnter(op):
  """True if an Enter brings a value into a loop that is the same in each iteration."""
  return IsLoopEnter(op) and op.get_attr("is_constant")


def GetLoopConstantEnter(value):
  """Returns the Enter of such a value behind Switch and Identity, or None."""
  op = value.op
  while op.type in ("Switch", "RefSwitch", "Identity", "RefIdentity"):
    op = op.inputs[0].op
  return op if IsLoopConstantEnter(op) else None


def IsCondSwitch(op):
  """True for a Switch of a conditional, rather than of a loop."""
  if not IsSwitch(op) or not op.outputs:
    return False
  users = [user for output in op.outputs for user in output.consumers()]
  return all(_is_in_cond(user) for user in users)


def _is_in_cond(op):
  context = op._get_control_flow_context()
  if IsLoopEnter(op):
    context = context.outer_context
  return context is not None and context.IsCondContext()


def IsCondMerge(op):
  """True for a Merge of a conditional, rather than of a loop."""
  return bool(IsMerge(op) and op.inputs) and all(_output_in_cond(value.op) for value in op.inputs)


def _output_in_cond(op):
  context = GetOutputContext(op)
  return context is not None and context.IsCondContext()


def IsLoopSwitch(op):
  """True for a Switch of a loop."""
  if not IsSwitch(op):
    return False
  context = op._get_control_flow_context()
  return context is not None and context.IsWhileContext() and not IsCondSwitch(op)


def IsLoopMerge(op):
  """True for a Merge of a loop."""
  if not IsMerge(op):
    return False
  context = op._get_control_flow_context()
  return context is not None and context.IsWhileContext() and not IsCondMerge(op)


def GetOutputContext(op):
  """Returns the context in which the outputs of an op are: for an Exit the one around its loop."""
  context = op._get_control_flow_context()
  return context.outer_context if context is not None and IsLoopExit(op) else context


def _innermost(context, wanted):
  """Returns the first of a context and those around it that is wanted, or None."""
  while context is not None and not wanted(context):
    context = context.outer_context
  return context


def GetContainingWhileContext(ctxt, stop_ctxt=None):
  """Returns the innermost loop of a context, itself included, or `stop_ctxt` if that comes first; None: there is none."""
  return _innermost(ctxt, lambda context: context.IsWhileContext() or context is stop_ctxt)


def GetContainingXLAContext(ctxt):
  """Returns None: nothing is compiled."""
  return _innermost(ctxt, lambda context: context.IsXLAContext())


def GetContainingCondContext(ctxt):
  """Returns the innermost conditional of a context, itself included, or None."""
  return _innermost(ctxt, lambda context: context.IsCondContext())


def IsContainingContext(ctxt, maybe_containing_ctxt):
  """True if the second context is the first or around it."""
  return _innermost(ctxt, lambda context: context is maybe_containing_ctxt) is maybe_containing_ctxt


def OpInContext(op, ctxt):
  return IsContainingContext(op._get_control_flow_context(), ctxt)


def TensorInContext(tensor, ctxt):
  return OpInContext(tensor.op, ctxt)


def GetWhileContext(op):
  """Returns the innermost loop that an op is in, or None."""
  context = op._get_control_flow_context()
  return context.GetWhileContext() if context is not None else None


def IsInWhileLoop(op):
  return GetContainingWhileContext(op._get_control_flow_context()) is not None


def IsInCond(op):
  return GetContainingCondContext(op._get_control_flow_context()) is not None


def IsInXLAContext(op):
  return GetContainingXLAContext(op._get_control_flow_context()) is not None


def InXlaContext(graph):
  return GetContainingXLAContext(graph._get_control_flow_context()) is not None


def GraphOrParentsInXlaContext(graph):
  return InXlaContext(graph)


def EnableControlFlowV2(graph):
  """False: conditionals and loops are TensorFlow 1's."""
  del graph
  return False
