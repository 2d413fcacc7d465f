#include "millrace/client/gradients/loop_nodes.h"

#include "millrace/graph/builtin_ops.h"

namespace millrace {

Output EnterLoop(const Scope& scope, const Output& value, const LoopName& loop,
                 LoopEntry entry) {
  const bool is_constant = entry == LoopEntry::kEachIteration;
  if (value && value.is_ref()) {
    return ops::RefEnter(scope, value, loop.frame,
                         {.is_constant = is_constant,
                          .parallel_iterations = loop.parallel_iterations});
  }
  return ops::Enter(scope, value, loop.frame,
                    {.is_constant = is_constant,
                     .parallel_iterations = loop.parallel_iterations});
}

Output OpenLoopVariable(const Scope& scope, const Output& entered,
                        const PartialShape& shape) {
  if (!scope.ok() || !entered) return {};
  ClientGraph::NodeSpec spec = scope.NewNode();
  spec.name = scope.TakeOpName("Merge");
  if (spec.name.empty()) return {};
  spec.op = builtin::kMerge;
  spec.inputs = absl::MakeConstSpan(&entered, 1);
  spec.attrs.Set("T", entered.dtype());
  spec.attrs.Set("N", int64_t{2});
  spec.may_lack_inputs = true;
  const StatusOr<Operation> merge = scope.graph().AddNode(spec);
  if (!merge.ok()) {
    scope.Fail(merge.status(), spec.name);
    return {};
  }
  const Output variable = merge->output(0);
  variable.SetShape(shape);
  return variable;
}

Operation CloseLoopVariable(const Scope& scope, const Output& variable,
                            const Output& next) {
  const Output closing = ops::NextIteration(scope, next);
  if (!closing) return {};
  scope.Fail(scope.graph().SetInput(variable.op(), 1, closing),
             variable.op().name());
  return closing.op();
}

}  // namespace millrace
