#include "millrace/train/global_step.h"

#include "millrace/client/ops.h"

namespace millrace::train {

ops::Variable CreateGlobalStep(const Scope& scope,
                               const ops::VariableOptions& options) {
  if (GetGlobalStep(scope)) {
    scope.Fail(InvalidArgument("the graph has a global step already"),
               graph_keys::kGlobalStep);
    return {};
  }
  ops::VariableOptions all = options;
  all.trainable = false;
  all.collections = {graph_keys::kGlobalVariables, graph_keys::kGlobalStep};
  return ops::Variable(
      scope.SubScope("").WithOpName(graph_keys::kGlobalStep),
      [](const Scope& s) {
        return ops::Const(s.WithOpName("zeros"), int64_t{0});
      },
      all);
}

ops::Variable GetGlobalStep(const Scope& scope) {
  const auto steps =
      scope.graph().Collection<ops::Variable>(graph_keys::kGlobalStep);
  return steps.empty() ? ops::Variable() : steps.front();
}

ops::Variable GetOrCreateGlobalStep(const Scope& scope) {
  const ops::Variable step = GetGlobalStep(scope);
  return step ? step : CreateGlobalStep(scope);
}

StatusOr<int64_t> ReadGlobalStep(Session& session,
                                 const ops::Variable& global_step) {
  MR_ASSIGN_OR_RETURN(const std::vector<Tensor> values,
                      session.Run({global_step.value()}));
  if (values[0].dtype() == DataType::kInt64) return values[0].scalar<int64_t>();
  if (values[0].dtype() == DataType::kInt32) return values[0].scalar<int32_t>();
  return InvalidArgument("a global step is int32 or int64, not ",
                         DataTypeName(values[0].dtype()));
}

}  // namespace millrace::train
