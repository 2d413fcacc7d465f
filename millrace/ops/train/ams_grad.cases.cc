#include "millrace/ops/train/optimizer.cases.h"

namespace millrace::cases {

MR_CASES(ResourceApplyAdamWithAmsgrad)(CaseList& c) {
  const Optimizer amsgrad = {
      4, {0.5, 0.25, 0.25, 0.5, 0.5, 0.125}, {}, Both("use_locking")};
  DenseCases(c, amsgrad);
  const DataType f = DataType::kFloat;
  const auto wrong_scalar = [&](int which, const char* words) {
    std::vector<Value> inputs;
    for (int i = 0; i < 4; ++i) inputs.push_back(Var(F32({2})));
    for (int i = 0; i < 6; ++i) {
      inputs.push_back(i == which ? F32({1}) : Scalar(f, 0.5));
    }
    inputs.push_back(F32({2}));
    c.Error(std::move(inputs), StatusCode::kInvalidArgument, words)
        .NoShapeCheck();
  };
  wrong_scalar(0, "beta1_power is not a scalar");
  wrong_scalar(2, "lr is not a scalar");
  wrong_scalar(5, "epsilon is not a scalar");
}

}  // namespace millrace::cases
