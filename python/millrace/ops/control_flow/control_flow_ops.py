"""The names that programs know of `tensorflow.python.ops.control_flow_ops`."""

from millrace.ops.control_flow.assertion import Assert
from millrace.ops.control_flow.basics import (
  enter,
  exit,
  group,
  identity,
  loop_cond,
  merge,
  next_iteration,
  no_op,
  switch,
  switch_ref_or_tensor,
  tuple,
  with_dependencies,
)
from millrace.ops.control_flow.case import case
from millrace.ops.control_flow.conditional import cond, smart_cond, smart_constant_value
from millrace.ops.control_flow.contexts import CondContext, ControlFlowContext, WhileContext, from_control_flow_context_def
from millrace.ops.control_flow.while_loop import while_loop

cond_v2 = cond
_Enter = enter
_Identity = identity
_NextIteration = next_iteration
_SwitchRefOrTensor = switch_ref_or_tensor

__all__ = [
  "Assert",
  "CondContext",
  "ControlFlowContext",
  "WhileContext",
  "case",
  "cond",
  "cond_v2",
  "enter",
  "exit",
  "from_control_flow_context_def",
  "group",
  "identity",
  "loop_cond",
  "merge",
  "next_iteration",
  "no_op",
  "smart_cond",
  "smart_constant_value",
  "switch",
  "switch_ref_or_tensor",
  "tuple",
  "while_loop",
  "with_dependencies",
]
