#include "millrace/ops/train/optimizer_kernel.h"

namespace millrace::ops {
namespace {

// Applies the learning rate inside the accumulator.
template <GradientForm kForm>
struct KerasMomentumRule {
  static constexpr int kVariables = 2;
  static constexpr const char* kNames[] = {"var", "accum"};
  static constexpr Hyperparameter kScalars[] = {
      {"lr", kForm == GradientForm::kDense ? nullptr : "lr is not a scalar "},
      "momentum"};
  using ElementTypes = ApplyTypes;
  static constexpr BadIndex kBadIndex = BadIndex::kEarlierDoneNth;
  static StatusOr<KerasMomentumRule> Make(const KernelInit& init) {
    KerasMomentumRule rule;
    MR_ASSIGN_OR_RETURN(rule.nesterov, init.Attr<bool>("use_nesterov"));
    return rule;
  }
  template <class S, class F>
  MR_RULE void ForLoop(const S*, const F& f) const {
    nesterov ? f(KerasMomentumRule{.nesterov = true})
             : f(KerasMomentumRule{.nesterov = false});
  }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    v[1] = v[1] * h[1] - g * h[0];
    v[0] += nesterov ? v[1] * h[1] - g * h[0] : v[1];
  }
  bool nesterov = false;
};

}  // namespace

MR_KERNELS(ResourceApplyKerasMomentum, Cpu){
    {.types = MR_APPLY_TYPES,
     .make = MakeKernel<DenseKernel<KerasMomentumRule<GradientForm::kDense>>>,
     .host = "var, accum"}};
MR_KERNELS(ResourceSparseApplyKerasMomentum, Cpu){
    {.types = MR_APPLY_TYPES "; Tindices: int32, int64",
     .make = MakeKernel<SparseKernel<KerasMomentumRule<GradientForm::kRows>>>,
     .host = "var, accum"}};

}  // namespace millrace::ops
