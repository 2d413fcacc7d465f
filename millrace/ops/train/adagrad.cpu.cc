#include <cmath>

#include "millrace/ops/train/optimizer_kernel.h"

namespace millrace::ops {
namespace {

// Version 2 has an epsilon.
template <OpVersion kVersion>
struct AdagradRule {
  static constexpr bool kEpsilon = kVersion == OpVersion::k2;
  static constexpr int kVariables = 2;
  static constexpr const char* kNames[] = {"var", "accum"};
  static constexpr Hyperparameter kScalars[] = {"lr",
                                                kEpsilon ? "epsilon" : "lr"};
  using ElementTypes = ApplyTypes;
  static constexpr GradRank kGradRank = GradRank::kChecked;
  static StatusOr<AdagradRule> Make(const KernelInit& init) {
    AdagradRule rule;
    MR_ASSIGN_OR_RETURN(rule.update_slots, init.Attr<bool>("update_slots"));
    return rule;
  }
  template <class S, class F>
  MR_RULE void ForLoop(const S*, const F& f) const {
    update_slots ? f(AdagradRule{.update_slots = true})
                 : f(AdagradRule{.update_slots = false});
  }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    if (update_slots) v[1] += g * g;
    const S root = std::sqrt(v[1]);
    v[0] -= g * h[0] / (kEpsilon ? root + h[1] : root);
  }
  bool update_slots = true;
};

}  // namespace

MR_KERNELS(ApplyAdagrad,
           Cpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseKernel<AdagradRule<OpVersion::k1>>>}};
MR_KERNELS(ResourceApplyAdagrad,
           Cpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseKernel<AdagradRule<OpVersion::k1>>>,
                 .host = "var, accum"}};
MR_KERNELS(SparseApplyAdagrad,
           Cpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<AdagradRule<OpVersion::k1>>>}};
MR_KERNELS(ResourceSparseApplyAdagrad,
           Cpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<AdagradRule<OpVersion::k1>>>,
                 .host = "var, accum"}};
MR_KERNELS(ApplyAdagradV2,
           Cpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseKernel<AdagradRule<OpVersion::k2>>>}};
MR_KERNELS(ResourceApplyAdagradV2,
           Cpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseKernel<AdagradRule<OpVersion::k2>>>,
                 .host = "var, accum"}};
MR_KERNELS(SparseApplyAdagradV2,
           Cpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<AdagradRule<OpVersion::k2>>>}};
MR_KERNELS(ResourceSparseApplyAdagradV2,
           Cpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<AdagradRule<OpVersion::k2>>>,
                 .host = "var, accum"}};

}  // namespace millrace::ops
