#include <algorithm>
#include <cmath>

#include "millrace/ops/train/optimizer_kernel.h"

namespace millrace::ops {
namespace {

struct AdaMaxRule {
  static constexpr int kVariables = 3;
  static constexpr const char* kNames[] = {"var", "m", "v"};
  static constexpr Hyperparameter kScalars[] = {"beta1_power",
                                                {"lr", "lr is not a scalar "},
                                                "beta1",
                                                "beta2",
                                                "epsilon"};
  using ElementTypes = Types<float, double, Half>;
  static StatusOr<AdaMaxRule> Make(const KernelInit&) { return AdaMaxRule(); }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    v[1] += (g - v[1]) * (S(1) - h[2]);
    v[2] = std::max(h[3] * v[2], std::abs(g));
    v[0] -= h[1] / (S(1) - h[0]) * (v[1] / (v[2] + h[4]));
  }
};

#define MR_ADA_MAX_TYPES "T: double, float, half"

}  // namespace

MR_KERNELS(ApplyAdaMax, Cpu){
    {.types = MR_ADA_MAX_TYPES, .make = MakeKernel<DenseKernel<AdaMaxRule>>}};
MR_KERNELS(ResourceApplyAdaMax,
           Cpu){{.types = MR_ADA_MAX_TYPES,
                 .make = MakeKernel<DenseKernel<AdaMaxRule>>,
                 .host = "var, m, v"}};

}  // namespace millrace::ops
