#include "millrace/ops/train/optimizer_kernel.h"

namespace millrace::ops {
namespace {

struct MomentumRule {
  static constexpr int kVariables = 2;
  static constexpr const char* kNames[] = {"var", "accum"};
  static constexpr Hyperparameter kScalars[] = {{"lr", "lr is not a scalar "},
                                                "momentum"};
  using ElementTypes = ApplyTypes;
  static constexpr BadIndex kBadIndex = BadIndex::kEarlierDone;
  static StatusOr<MomentumRule> Make(const KernelInit& init) {
    MomentumRule rule;
    MR_ASSIGN_OR_RETURN(rule.nesterov, init.Attr<bool>("use_nesterov"));
    return rule;
  }
  template <class S, class F>
  MR_RULE void ForLoop(const S*, const F& f) const {
    nesterov ? f(MomentumRule{.nesterov = true})
             : f(MomentumRule{.nesterov = false});
  }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    v[1] = v[1] * h[1] + g;
    v[0] -= nesterov ? g * h[0] + v[1] * h[1] * h[0] : v[1] * h[0];
  }
  bool nesterov = false;
};

}  // namespace

MR_KERNELS(SparseApplyMomentum,
           Cpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<MomentumRule>>}};
MR_KERNELS(ResourceSparseApplyMomentum,
           Cpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<MomentumRule>>,
                 .host = "var, accum"}};

}  // namespace millrace::ops
