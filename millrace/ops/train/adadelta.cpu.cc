#include <cmath>

#include "millrace/ops/train/optimizer_kernel.h"

namespace millrace::ops {
namespace {

template <GradientForm kForm>
struct AdadeltaRule {
  static constexpr int kVariables = 3;
  static constexpr const char* kNames[] = {
      "var", kForm == GradientForm::kDense ? "accum" : "accum_grad",
      "accum_update"};
  static constexpr Hyperparameter kScalars[] = {"lr", "rho", "epsilon"};
  using ElementTypes = ApplyTypes;
  static StatusOr<AdadeltaRule> Make(const KernelInit&) {
    return AdadeltaRule();
  }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    const S rest = S(1) - h[1];
    v[1] = v[1] * h[1] + g * g * rest;
    const S update = std::sqrt(v[2] + h[2]) / std::sqrt(v[1] + h[2]) * g;
    v[0] -= update * h[0];
    v[2] = v[2] * h[1] + update * update * rest;
  }
};

}  // namespace

MR_KERNELS(ApplyAdadelta, Cpu){
    {.types = MR_APPLY_TYPES,
     .make = MakeKernel<DenseKernel<AdadeltaRule<GradientForm::kDense>>>}};
MR_KERNELS(ResourceApplyAdadelta, Cpu){
    {.types = MR_APPLY_TYPES,
     .make = MakeKernel<DenseKernel<AdadeltaRule<GradientForm::kDense>>>,
     .host = "var, accum, accum_update"}};
MR_KERNELS(SparseApplyAdadelta, Cpu){
    {.types = MR_APPLY_TYPES "; Tindices: int32, int64",
     .make = MakeKernel<SparseKernel<AdadeltaRule<GradientForm::kRows>>>}};
MR_KERNELS(ResourceSparseApplyAdadelta, Cpu){
    {.types = MR_APPLY_TYPES "; Tindices: int32, int64",
     .make = MakeKernel<SparseKernel<AdadeltaRule<GradientForm::kRows>>>,
     .host = "var, accum, accum_update"}};

}  // namespace millrace::ops
