#include <cmath>

#include "millrace/ops/train/optimizer_kernel.h"

namespace millrace::ops {
namespace {

// With epsilon in the form of version 2.
template <bool kEpsilon>
struct AdagradRule {
  static constexpr int kVariables = 2;
  static constexpr const char* kScalars[] = {"lr", kEpsilon ? "epsilon" : "lr"};
  using ElementTypes = ApplyTypes;
  static StatusOr<AdagradRule> Make(const KernelInit& init) {
    AdagradRule rule;
    MR_ASSIGN(rule.update_slots, init.Attr<bool>("update_slots"));
    return rule;
  }
  template <class S, class F>
  MR_RULE void ForLoop(const S*, const F& f) const {
    update_slots ? f(AdagradRule{true}) : f(AdagradRule{false});
  }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    if (update_slots) v[1] += g * g;
    const S root = std::sqrt(v[1]);
    v[0] -= g * h[0] / (kEpsilon ? root + h[1] : root);
  }
  bool update_slots = true;
};

struct AdadeltaRule {
  static constexpr int kVariables = 3;
  static constexpr const char* kScalars[] = {"lr", "rho", "epsilon"};
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

// Dual averaging: the variable follows from the sums alone.
struct AdagradDaRule {
  static constexpr int kVariables = 3;
  static constexpr const char* kScalars[] = {"lr", "l1", "l2", "global_step"};
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

MR_KERNELS(ApplyAdagrad,
           Cpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseKernel<AdagradRule<false>>>}};
MR_KERNELS(ResourceApplyAdagrad,
           Cpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseKernel<AdagradRule<false>>>,
                 .host = "var, accum"}};
MR_KERNELS(SparseApplyAdagrad,
           Cpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<AdagradRule<false>>>}};
MR_KERNELS(ResourceSparseApplyAdagrad,
           Cpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<AdagradRule<false>>>,
                 .host = "var, accum"}};
MR_KERNELS(ApplyAdagradV2,
           Cpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseKernel<AdagradRule<true>>>}};
MR_KERNELS(ResourceApplyAdagradV2,
           Cpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseKernel<AdagradRule<true>>>,
                 .host = "var, accum"}};
MR_KERNELS(SparseApplyAdagradV2,
           Cpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<AdagradRule<true>>>}};
MR_KERNELS(ResourceSparseApplyAdagradV2,
           Cpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<AdagradRule<true>>>,
                 .host = "var, accum"}};
MR_KERNELS(ApplyAdadelta, Cpu){
    {.types = MR_APPLY_TYPES, .make = MakeKernel<DenseKernel<AdadeltaRule>>}};
MR_KERNELS(ResourceApplyAdadelta,
           Cpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseKernel<AdadeltaRule>>,
                 .host = "var, accum, accum_update"}};
MR_KERNELS(SparseApplyAdadelta,
           Cpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<AdadeltaRule>>}};
MR_KERNELS(ResourceSparseApplyAdadelta,
           Cpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<AdadeltaRule>>,
                 .host = "var, accum, accum_update"}};
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
