#include <cmath>

#include "millrace/ops/train/optimizer_kernel.h"

namespace millrace::ops {
namespace {

// Moves `average` towards `x`; keeps the fraction `rho` of it.
template <GradientForm kForm, class S>
inline MR_RULE void Average(S& average, S x, S rho) {
  if constexpr (kForm == GradientForm::kDense) {
    average += (x - average) * (S(1) - rho);
  } else {
    average = average * rho + x * (S(1) - rho);
  }
}

template <GradientForm kForm>
struct RmsPropRule {
  static constexpr int kVariables = 3;
  static constexpr const char* kNames[] = {"var", "ms", "mom"};
  static constexpr Hyperparameter kScalars[] = {
      {"lr", kForm == GradientForm::kDense ? "lr is not a scalar " : nullptr},
      "rho",
      "momentum",
      "epsilon"};
  using ElementTypes = ApplyTypes;
  static StatusOr<RmsPropRule> Make(const KernelInit&) { return RmsPropRule(); }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    Average<kForm>(v[1], g * g, h[1]);
    v[2] = v[2] * h[2] + g * h[0] / std::sqrt(v[1] + h[3]);
    v[0] -= v[2];
  }
};

template <GradientForm kForm>
struct CenteredRmsPropRule {
  static constexpr int kVariables = 4;
  static constexpr const char* kNames[] = {"var", "mg", "ms", "mom"};
  static constexpr Hyperparameter kScalars[] = {
      {"lr", kForm == GradientForm::kDense ? "lr is not a scalar " : nullptr},
      "rho",
      "momentum",
      "epsilon"};
  using ElementTypes = ApplyTypes;
  static StatusOr<CenteredRmsPropRule> Make(const KernelInit&) {
    return CenteredRmsPropRule();
  }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    Average<kForm>(v[2], g * g, h[1]);
    Average<kForm>(v[1], g, h[1]);
    v[3] = v[3] * h[2] + g * h[0] / std::sqrt(v[2] - v[1] * v[1] + h[3]);
    v[0] -= v[3];
  }
};

#define MR_SPARSE_TYPES "T: complex128, complex64, double, float, half"

}  // namespace

MR_KERNELS(ApplyRMSProp, Cpu){
    {.types = MR_APPLY_TYPES,
     .make = MakeKernel<DenseKernel<RmsPropRule<GradientForm::kDense>>>}};
MR_KERNELS(ResourceApplyRMSProp, Cpu){
    {.types = MR_APPLY_TYPES,
     .make = MakeKernel<DenseKernel<RmsPropRule<GradientForm::kDense>>>,
     .host = "var, ms, mom"}};
MR_KERNELS(SparseApplyRMSProp, Cpu){
    {.types = MR_SPARSE_TYPES "; Tindices: int32, int64",
     .make = MakeKernel<SparseKernel<RmsPropRule<GradientForm::kRows>>>}};
MR_KERNELS(ResourceSparseApplyRMSProp, Cpu){
    {.types = MR_SPARSE_TYPES "; Tindices: int32, int64",
     .make = MakeKernel<SparseKernel<RmsPropRule<GradientForm::kRows>>>,
     .host = "var, ms, mom"}};
MR_KERNELS(ApplyCenteredRMSProp, Cpu){
    {.types = MR_APPLY_TYPES,
     .make =
         MakeKernel<DenseKernel<CenteredRmsPropRule<GradientForm::kDense>>>}};
MR_KERNELS(ResourceApplyCenteredRMSProp, Cpu){
    {.types = MR_APPLY_TYPES,
     .make = MakeKernel<DenseKernel<CenteredRmsPropRule<GradientForm::kDense>>>,
     .host = "var, mg, ms, mom"}};
MR_KERNELS(SparseApplyCenteredRMSProp, Cpu){
    {.types = MR_SPARSE_TYPES "; Tindices: int32, int64",
     .make =
         MakeKernel<SparseKernel<CenteredRmsPropRule<GradientForm::kRows>>>}};
MR_KERNELS(ResourceSparseApplyCenteredRMSProp, Cpu){
    {.types = MR_SPARSE_TYPES "; Tindices: int32, int64",
     .make = MakeKernel<SparseKernel<CenteredRmsPropRule<GradientForm::kRows>>>,
     .host = "var, mg, ms, mom"}};

}  // namespace millrace::ops
