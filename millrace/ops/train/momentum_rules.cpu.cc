#include <algorithm>
#include <cmath>

#include "millrace/ops/train/optimizer_kernel.h"

namespace millrace::ops {
namespace {

struct MomentumRule {
  static constexpr int kVariables = 2;
  static constexpr const char* kScalars[] = {"lr", "momentum"};
  using ElementTypes = ApplyTypes;
  static constexpr BadIndex kBadIndex = BadIndex::kEarlierDone;
  static StatusOr<MomentumRule> Make(const KernelInit& init) {
    MomentumRule rule;
    MR_ASSIGN(rule.nesterov, init.Attr<bool>("use_nesterov"));
    return rule;
  }
  template <class S, class F>
  MR_RULE void ForLoop(const S*, const F& f) const {
    nesterov ? f(MomentumRule{true}) : f(MomentumRule{false});
  }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    v[1] = v[1] * h[1] + g;
    v[0] -= nesterov ? g * h[0] + v[1] * h[1] * h[0] : v[1] * h[0];
  }
  bool nesterov = false;
};

// The rate inside the accumulator.
struct KerasMomentumRule {
  static constexpr int kVariables = 2;
  static constexpr const char* kScalars[] = {"lr", "momentum"};
  using ElementTypes = ApplyTypes;
  static constexpr BadIndex kBadIndex = BadIndex::kEarlierDoneNth;
  static StatusOr<KerasMomentumRule> Make(const KernelInit& init) {
    KerasMomentumRule rule;
    MR_ASSIGN(rule.nesterov, init.Attr<bool>("use_nesterov"));
    return rule;
  }
  template <class S, class F>
  MR_RULE void ForLoop(const S*, const F& f) const {
    nesterov ? f(KerasMomentumRule{true}) : f(KerasMomentumRule{false});
  }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    v[1] = v[1] * h[1] - g * h[0];
    v[0] += nesterov ? v[1] * h[1] - g * h[0] : v[1];
  }
  bool nesterov = false;
};

template <class S>
inline MR_RULE S SignOf(S x) {
  return static_cast<S>((x > 0) - (x < 0));
}

struct AddSignRule {
  static constexpr int kVariables = 2;
  static constexpr const char* kScalars[] = {"lr", "alpha", "sign_decay",
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
  static constexpr const char* kScalars[] = {"lr", "logbase", "sign_decay",
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

struct AdaMaxRule {
  static constexpr int kVariables = 3;
  static constexpr const char* kScalars[] = {"beta1_power", "lr", "beta1",
                                             "beta2", "epsilon"};
  using ElementTypes = Types<float, double, Half>;
  static StatusOr<AdaMaxRule> Make(const KernelInit&) { return AdaMaxRule(); }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    v[1] += (g - v[1]) * (S(1) - h[2]);
    v[2] = std::max(h[3] * v[2], std::abs(g));
    v[0] -= h[1] / (S(1) - h[0]) * (v[1] / (v[2] + h[4]));
  }
};

#define MR_SIGN_TYPES "T: bfloat16, double, float, half"
#define MR_ADA_MAX_TYPES "T: double, float, half"

}  // namespace

MR_KERNELS(SparseApplyMomentum,
           Cpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<MomentumRule>>}};
MR_KERNELS(ResourceSparseApplyMomentum,
           Cpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<MomentumRule>>,
                 .host = "var, accum"}};
MR_KERNELS(ResourceApplyKerasMomentum,
           Cpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseKernel<KerasMomentumRule>>,
                 .host = "var, accum"}};
MR_KERNELS(ResourceSparseApplyKerasMomentum,
           Cpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<KerasMomentumRule>>,
                 .host = "var, accum"}};
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
MR_KERNELS(ApplyAdaMax, Cpu){
    {.types = MR_ADA_MAX_TYPES, .make = MakeKernel<DenseKernel<AdaMaxRule>>}};
MR_KERNELS(ResourceApplyAdaMax,
           Cpu){{.types = MR_ADA_MAX_TYPES,
                 .make = MakeKernel<DenseKernel<AdaMaxRule>>,
                 .host = "var, m, v"}};

}  // namespace millrace::ops
