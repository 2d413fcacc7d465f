#include "millrace/exec/node_kind.h"

#include <algorithm>
#include <iterator>

namespace millrace {
namespace {

struct KindRow {
  absl::string_view op;
  NodeKind kind;
};

// Sorted by name.
constexpr KindRow kRows[] = {
    {"Const", NodeKind::kConstant},
    {"ControlTrigger", NodeKind::kControlTrigger},
    {"Enter", NodeKind::kEnter},
    {"Exit", NodeKind::kExit},
    {"Merge", NodeKind::kMerge},
    {"NextIteration", NodeKind::kNextIteration},
    {"NoOp", NodeKind::kNoOp},
    {"RefEnter", NodeKind::kEnter},
    {"RefExit", NodeKind::kExit},
    {"RefMerge", NodeKind::kMerge},
    {"RefNextIteration", NodeKind::kNextIteration},
    {"RefSwitch", NodeKind::kSwitch},
    {"Switch", NodeKind::kSwitch},
    {"_Arg", NodeKind::kArg},
    {"_HostRecv", NodeKind::kTransfer},
    {"_HostSend", NodeKind::kTransfer},
    {"_Recv", NodeKind::kTransfer},
    {"_Retval", NodeKind::kRetval},
    {"_Send", NodeKind::kTransfer},
    {"_SwitchN", NodeKind::kSwitch},
};

}  // namespace

NodeKind KindOf(const OpDef& op) {
  const auto* row = std::lower_bound(
      std::begin(kRows), std::end(kRows), op.name,
      [](const KindRow& r, const std::string& name) { return r.op < name; });
  return row != std::end(kRows) && row->op == op.name ? row->kind
                                                      : NodeKind::kPlain;
}

}  // namespace millrace
