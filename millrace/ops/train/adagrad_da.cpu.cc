#include <algorithm>
#include <cmath>

#include "millrace/ops/train/optimizer_kernel.h"

namespace millrace::ops {
namespace {

// Dual averaging: the sums alone determine the variable.
struct AdagradDaRule {
  static constexpr int kVariables = 3;
  static constexpr const char* kNames[] = {"var", "accum", "accum"};
  static constexpr Hyperparameter kScalars[] = {
      "lr",
      {"l1", "l1 regularization strength is not a scalar"},
      {"l2", "l2 regularization strength is not a scalar"},
      "global_step"};
  using ElementTypes = Types<float, double>;
  static constexpr BadIndex kBadIndex = BadIndex::kEarlierDone;
  static StatusOr<AdagradDaRule> Make(const KernelInit&) {
    return AdagradDaRule();
  }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    v[1] += g;
    v[2] += g * g;
    const S shrunk = h[1] > 0 ? std::max(std::abs(v[1]) - h[1] * h[3], S(0))
                              : std::abs(v[1]);
    const S up = h[0] * std::copysign(shrunk, v[1]);
    v[0] = -up / (h[2] * h[3] * h[0] + std::sqrt(v[2]));
  }
};

}  // namespace

MR_KERNELS(ApplyAdagradDA,
           Cpu){{.types = "T: double, float",
                 .make = MakeKernel<DenseKernel<AdagradDaRule>>}};
MR_KERNELS(ResourceApplyAdagradDA, Cpu){
    {.types = "T: double, float",
     .make = MakeKernel<DenseKernel<AdagradDaRule>>,
     .host = "var, gradient_accumulator, gradient_squared_accumulator"}};
MR_KERNELS(SparseApplyAdagradDA,
           Cpu){{.types = "T: double, float"
                          "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<AdagradDaRule>>}};
MR_KERNELS(ResourceSparseApplyAdagradDA, Cpu){
    {.types = "T: double, float"
              "; Tindices: int32, int64",
     .make = MakeKernel<SparseKernel<AdagradDaRule>>,
     .host = "var, gradient_accumulator, gradient_squared_accumulator"}};

}  // namespace millrace::ops
