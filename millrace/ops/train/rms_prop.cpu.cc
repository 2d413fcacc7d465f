#include <cmath>

#include "millrace/ops/train/optimizer_kernel.h"

namespace millrace::ops {
namespace {

struct RmsPropRule {
  static constexpr int kVariables = 3;
  static constexpr const char* kScalars[] = {"lr", "rho", "momentum",
                                             "epsilon"};
  using ElementTypes = ApplyTypes;
  static StatusOr<RmsPropRule> Make(const KernelInit&) { return RmsPropRule(); }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    v[1] += (g * g - v[1]) * (S(1) - h[1]);
    v[2] = v[2] * h[2] + g * h[0] / std::sqrt(v[1] + h[3]);
    v[0] -= v[2];
  }
};

struct CenteredRmsPropRule {
  static constexpr int kVariables = 4;
  static constexpr const char* kScalars[] = {"lr", "rho", "momentum",
                                             "epsilon"};
  using ElementTypes = ApplyTypes;
  static StatusOr<CenteredRmsPropRule> Make(const KernelInit&) {
    return CenteredRmsPropRule();
  }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    const S rest = S(1) - h[1];
    v[2] += (g * g - v[2]) * rest;
    v[1] += (g - v[1]) * rest;
    v[3] = v[3] * h[2] + g * h[0] / std::sqrt(v[2] - v[1] * v[1] + h[3]);
    v[0] -= v[3];
  }
};

#define MR_SPARSE_TYPES "T: complex128, complex64, double, float, half"

}  // namespace

MR_KERNELS(ApplyRMSProp, Cpu){
    {.types = MR_APPLY_TYPES, .make = MakeKernel<DenseKernel<RmsPropRule>>}};
MR_KERNELS(ResourceApplyRMSProp,
           Cpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseKernel<RmsPropRule>>,
                 .host = "var, ms, mom"}};
MR_KERNELS(SparseApplyRMSProp,
           Cpu){{.types = MR_SPARSE_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<RmsPropRule>>}};
MR_KERNELS(ResourceSparseApplyRMSProp,
           Cpu){{.types = MR_SPARSE_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<RmsPropRule>>,
                 .host = "var, ms, mom"}};
MR_KERNELS(ApplyCenteredRMSProp,
           Cpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseKernel<CenteredRmsPropRule>>}};
MR_KERNELS(ResourceApplyCenteredRMSProp,
           Cpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseKernel<CenteredRmsPropRule>>,
                 .host = "var, mg, ms, mom"}};
MR_KERNELS(SparseApplyCenteredRMSProp,
           Cpu){{.types = MR_SPARSE_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<CenteredRmsPropRule>>}};
MR_KERNELS(ResourceSparseApplyCenteredRMSProp,
           Cpu){{.types = MR_SPARSE_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<SparseKernel<CenteredRmsPropRule>>,
                 .host = "var, mg, ms, mom"}};

}  // namespace millrace::ops
