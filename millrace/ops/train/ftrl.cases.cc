#include "millrace/ops/train/optimizer.cases.h"

namespace millrace::cases {
namespace {

Optimizer Ftrl() {
  return {3, {}, {0.25, 0.125, 0.5, -0.5}, Both("multiply_linear_by_lr")};
}
Optimizer FtrlV2() {
  return {3, {}, {0.25, 0.125, 0.5, 0.25, -0.5}, Both("multiply_linear_by_lr")};
}

// Scalars that the op on rows refuses.
void Refused(CaseList& c) {
  const auto inputs = [](double lr, double l1, double lr_power) {
    const auto scalar = [](double x) { return Scalar(DataType::kFloat, x); };
    return std::vector<Value>{Var(F32({2})), Var(F32({2})), Var(F32({2})),
                              F32({1}),      Vec({0}),      scalar(lr),
                              scalar(l1),    scalar(0),     scalar(lr_power)};
  };
  const StatusCode invalid = StatusCode::kInvalidArgument;
  c.Error(inputs(0, 0, -0.5), invalid, "lr is not a positive scalar (or zero")
      .Name("a scalar that is refused");
  c.Error(inputs(1, -1, -0.5), invalid,
          "l1 regularization strength is not a non-negative scalar")
      .Name("a scalar that is refused");
  c.Error(inputs(1, 0, 0.5), invalid, "lr_power is not a non-positive scalar")
      .Name("a scalar that is refused");
}

}  // namespace

MR_CASES(ApplyFtrl)(CaseList& c) { DenseCases(c, Ftrl()); }
MR_CASES(ResourceApplyFtrl)(CaseList& c) { DenseCases(c, Ftrl()); }
MR_CASES(SparseApplyFtrl)(CaseList& c) {
  SparseCases(c, Ftrl());
  Refused(c);
}
MR_CASES(ResourceSparseApplyFtrl)(CaseList& c) { SparseCases(c, Ftrl()); }
MR_CASES(ApplyFtrlV2)(CaseList& c) { DenseCases(c, FtrlV2()); }
MR_CASES(ResourceApplyFtrlV2)(CaseList& c) { DenseCases(c, FtrlV2()); }
MR_CASES(SparseApplyFtrlV2)(CaseList& c) { SparseCases(c, FtrlV2()); }
MR_CASES(ResourceSparseApplyFtrlV2)(CaseList& c) { SparseCases(c, FtrlV2()); }

}  // namespace millrace::cases
