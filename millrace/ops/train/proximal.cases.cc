#include "millrace/ops/train/optimizer.cases.h"

namespace millrace::cases {
namespace {

Optimizer Proximal() { return {1, {0.25, 0.5, 0.125}, {}}; }
Optimizer ProximalAdagrad() { return {2, {0.25, 0.5, 0.125}, {}}; }

// Scalars that the op refuses.
void ProximalRefused(CaseList& c) {
  const auto refused = [&c](double lr, double l1, double l2,
                            const char* words) {
    const auto scalar = [](double x) { return Scalar(DataType::kFloat, x); };
    c.Error({Var(F32({2})), Var(F32({2})), scalar(lr), scalar(l1), scalar(l2),
             F32({2})},
            StatusCode::kInvalidArgument, words)
        .Name("a scalar that is refused");
  };
  refused(0, 0, 0, "lr is not a positive scalar: []");
  refused(1, -1, 0, "l1 regularization strength is not a non-negative scalar");
  refused(1, 0, -1, "l2 regularization strength is not a non-negative scalar");
}

}  // namespace

MR_CASES(ApplyProximalGradientDescent)(CaseList& c) {
  DenseCases(c, Proximal());
}
MR_CASES(ResourceApplyProximalGradientDescent)(CaseList& c) {
  DenseCases(c, Proximal());
}
MR_CASES(SparseApplyProximalGradientDescent)(CaseList& c) {
  SparseCases(c, Proximal());
}
MR_CASES(ResourceSparseApplyProximalGradientDescent)(CaseList& c) {
  SparseCases(c, Proximal());
}
MR_CASES(ApplyProximalAdagrad)(CaseList& c) {
  DenseCases(c, ProximalAdagrad());
  ProximalRefused(c);
}
MR_CASES(ResourceApplyProximalAdagrad)(CaseList& c) {
  DenseCases(c, ProximalAdagrad());
}
MR_CASES(SparseApplyProximalAdagrad)(CaseList& c) {
  SparseCases(c, ProximalAdagrad());
}
MR_CASES(ResourceSparseApplyProximalAdagrad)(CaseList& c) {
  SparseCases(c, ProximalAdagrad());
}

}  // namespace millrace::cases
