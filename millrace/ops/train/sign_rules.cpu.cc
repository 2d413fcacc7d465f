#include <cmath>

#include "millrace/ops/train/optimizer_kernel.h"

namespace millrace::ops {
namespace {

// Returns NaN for NaN.
template <class S>
inline MR_RULE S SignOf(S x) {
  return x == x ? static_cast<S>((x > 0) - (x < 0)) : x;
}

struct AddSignRule {
  static constexpr int kVariables = 2;
  static constexpr const char* kNames[] = {"var", "m"};
  static constexpr Hyperparameter kScalars[] = {"lr", "alpha", "sign_decay",
                                                "beta"};
  using ElementTypes = FloatTypes;
  static StatusOr<AddSignRule> Make(const KernelInit&) { return AddSignRule(); }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    v[1] = v[1] * h[3] + g * (S(1) - h[3]);
    v[0] -= h[0] * (h[1] + h[2] * SignOf(g) * SignOf(v[1])) * g;
  }
};

struct PowerSignRule {
  static constexpr int kVariables = 2;
  static constexpr const char* kNames[] = {"var", "m"};
  static constexpr Hyperparameter kScalars[] = {"lr", "logbase", "sign_decay",
                                                "beta"};
  using ElementTypes = FloatTypes;
  static StatusOr<PowerSignRule> Make(const KernelInit&) {
    return PowerSignRule();
  }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    v[1] = v[1] * h[3] + g * (S(1) - h[3]);
    v[0] -= h[0] * std::exp(h[1] * h[2] * SignOf(g) * SignOf(v[1])) * g;
  }
};

#define MR_SIGN_TYPES "T: bfloat16, double, float, half"

}  // namespace

MR_KERNELS(ApplyAddSign, Cpu){
    {.types = MR_SIGN_TYPES, .make = MakeKernel<DenseKernel<AddSignRule>>}};
MR_KERNELS(ResourceApplyAddSign,
           Cpu){{.types = MR_SIGN_TYPES,
                 .make = MakeKernel<DenseKernel<AddSignRule>>,
                 .host = "var, m"}};
MR_KERNELS(ApplyPowerSign, Cpu){
    {.types = MR_SIGN_TYPES, .make = MakeKernel<DenseKernel<PowerSignRule>>}};
MR_KERNELS(ResourceApplyPowerSign,
           Cpu){{.types = MR_SIGN_TYPES,
                 .make = MakeKernel<DenseKernel<PowerSignRule>>,
                 .host = "var, m"}};

}  // namespace millrace::ops
