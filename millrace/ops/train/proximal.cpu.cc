#include <algorithm>
#include <cmath>

#include "millrace/ops/train/optimizer_kernel.h"

namespace millrace::ops {
namespace {

// Returns `x` after a proximal step of length `rate` with both regularizations.
template <class S>
inline MR_RULE S Shrink(S x, S rate, S l1, S l2) {
  const S size = l1 > 0 ? std::max(std::abs(x) - rate * l1, S(0)) : std::abs(x);
  return std::copysign(size, x) / (S(1) + l2 * rate);
}

template <GradientForm kForm>
struct ProximalGradientDescentRule {
  static constexpr int kVariables = 1;
  static constexpr const char* kNames[] = {"var"};
  static constexpr Hyperparameter kScalars[] = {
      {"alpha", kForm == GradientForm::kDense ? nullptr : "lr is not a scalar"},
      {"l1", "l1 regularization strength is not a scalar"},
      {"l2", "l2 regularization strength is not a scalar"}};
  using ElementTypes = Types<float, double>;
  static constexpr BadIndex kBadIndex = BadIndex::kEarlierDone;
  static StatusOr<ProximalGradientDescentRule> Make(const KernelInit&) {
    return ProximalGradientDescentRule();
  }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    v[0] = Shrink(v[0] - g * h[0], h[0], h[1], h[2]);
  }
};

struct ProximalAdagradRule {
  static constexpr int kVariables = 2;
  static constexpr const char* kNames[] = {"var", "accum"};
  static constexpr Hyperparameter kScalars[] = {
      {"lr", "lr is not a positive scalar", ScalarRange::kPositive},
      {"l1", "l1 regularization strength is not a non-negative scalar",
       ScalarRange::kNotNegative},
      {"l2", "l2 regularization strength is not a non-negative scalar",
       ScalarRange::kNotNegative}};
  using ElementTypes = Types<float, double>;
  static constexpr BadIndex kBadIndex = BadIndex::kEarlierDone;
  static StatusOr<ProximalAdagradRule> Make(const KernelInit&) {
    return ProximalAdagradRule();
  }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    v[1] += g * g;
    const S rate = h[0] / std::sqrt(v[1]);
    v[0] = Shrink(v[0] - g * rate, rate, h[1], h[2]);
  }
};

#define MR_PROXIMAL_TYPES "T: double, float"

}  // namespace

MR_KERNELS(ApplyProximalGradientDescent, Cpu){
    {.types = MR_PROXIMAL_TYPES,
     .make = MakeKernel<
         DenseKernel<ProximalGradientDescentRule<GradientForm::kDense>>>}};
MR_KERNELS(ResourceApplyProximalGradientDescent, Cpu){
    {.types = MR_PROXIMAL_TYPES,
     .make = MakeKernel<
         DenseKernel<ProximalGradientDescentRule<GradientForm::kDense>>>,
     .host = "var"}};
MR_KERNELS(SparseApplyProximalGradientDescent, Cpu){
    {.types = MR_PROXIMAL_TYPES "; Tindices: int32, int64",
     .make = MakeKernel<
         SparseKernel<ProximalGradientDescentRule<GradientForm::kRows>>>}};
MR_KERNELS(ResourceSparseApplyProximalGradientDescent, Cpu){
    {.types = MR_PROXIMAL_TYPES "; Tindices: int32, int64",
     .make = MakeKernel<
         SparseKernel<ProximalGradientDescentRule<GradientForm::kRows>>>,
     .host = "var"}};
MR_KERNELS(ApplyProximalAdagrad,
           Cpu){{.types = MR_PROXIMAL_TYPES,
                 .make = MakeKernel<DenseKernel<ProximalAdagradRule>>}};
MR_KERNELS(ResourceApplyProximalAdagrad,
           Cpu){{.types = MR_PROXIMAL_TYPES,
                 .make = MakeKernel<DenseKernel<ProximalAdagradRule>>,
                 .host = "var, accum"}};
MR_KERNELS(SparseApplyProximalAdagrad,
           Cpu){{.types = MR_PROXIMAL_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<ProximalAdagradRule>>}};
MR_KERNELS(ResourceSparseApplyProximalAdagrad,
           Cpu){{.types = MR_PROXIMAL_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<ProximalAdagradRule>>,
                 .host = "var, accum"}};

}  // namespace millrace::ops
