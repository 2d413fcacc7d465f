#include "millrace/train/layers/regularizers.h"

#include <vector>

#include "millrace/client/ops.h"

namespace millrace::train {
namespace {

bool CheckScale(const Scope& scope, double scale) {
  if (scale >= 0) return true;
  scope.Fail(
      InvalidArgument("Setting a scale less than 0 on a regularizer: ", scale),
      "Regularizer");
  return false;
}

}  // namespace

Regularizer L1Regularizer(double scale) {
  return [scale](const Scope& scope, const Output& value) -> Output {
    if (!CheckScale(scope, scale)) return {};
    const Output flat = ops::Reshape(scope, ops::Abs(scope, value), {-1});
    return ops::Mul(scope, ops::Sum(scope, flat, {0}), scale);
  };
}

Regularizer L2Regularizer(double scale) {
  return [scale](const Scope& scope, const Output& value) -> Output {
    if (!CheckScale(scope, scale)) return {};
    return ops::Mul(scope, ops::L2Loss(scope, value), scale);
  };
}

Output RegularizationLoss(const Scope& scope) {
  const std::vector<Output> losses =
      scope.graph().Collection<Output>(graph_keys::kRegularizationLosses);
  if (losses.empty()) return {};
  return ops::AddN(scope.WithOpName("total_regularization_loss"), losses);
}

}  // namespace millrace::train
