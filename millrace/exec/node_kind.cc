#include "millrace/exec/node_kind.h"

namespace millrace {

NodeKind KindOf(const OpDef& op) {
  switch (op.role) {
    case OpRole::kConstant:
      return NodeKind::kConstant;
    case OpRole::kNoOp:
      return NodeKind::kNoOp;
    case OpRole::kControlTrigger:
      return NodeKind::kControlTrigger;
    case OpRole::kArg:
      return NodeKind::kArg;
    case OpRole::kRetval:
      return NodeKind::kRetval;
    case OpRole::kSend:
    case OpRole::kRecv:
      return NodeKind::kTransfer;
    case OpRole::kSwitch:
      return NodeKind::kSwitch;
    case OpRole::kMerge:
      return NodeKind::kMerge;
    case OpRole::kEnter:
      return NodeKind::kEnter;
    case OpRole::kExit:
      return NodeKind::kExit;
    case OpRole::kNextIteration:
      return NodeKind::kNextIteration;
    case OpRole::kPlain:
    case OpRole::kPlaceholder:
    case OpRole::kPlaceholderWithDefault:
    case OpRole::kCall:
    case OpRole::kStackPush:
    case OpRole::kStackPop:
    case OpRole::kLoopCond:
      return NodeKind::kPlain;
  }
  return NodeKind::kPlain;
}

}  // namespace millrace
