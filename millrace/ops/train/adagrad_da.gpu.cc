#include "millrace/ops/train/apply.gpu.h"

namespace millrace::ops {
namespace {

struct AdagradDaOnGpu {
  static constexpr const char* kRule = "AdagradDa";
  static constexpr const char* kNames[] = {"var", "accum", "accum"};
  static constexpr Hyperparameter kScalars[] = {
      "lr",
      {"l1", "l1 regularization strength is not a scalar"},
      {"l2", "l2 regularization strength is not a scalar"},
      "global_step"};
};

#define MR_GPU_DUAL_TYPES "T: double, float"

}  // namespace

MR_KERNELS(ApplyAdagradDA,
           Gpu){{.types = MR_GPU_DUAL_TYPES,
                 .make = MakeKernel<DenseOnGpu<AdagradDaOnGpu>>}};
MR_KERNELS(ResourceApplyAdagradDA, Gpu){
    {.types = MR_GPU_DUAL_TYPES,
     .make = MakeKernel<DenseOnGpu<AdagradDaOnGpu>>,
     .host = "var, gradient_accumulator, gradient_squared_accumulator"}};
MR_KERNELS(SparseApplyAdagradDA,
           Gpu){{.types = MR_GPU_DUAL_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<RowsOnGpu<AdagradDaOnGpu>>}};
MR_KERNELS(ResourceSparseApplyAdagradDA, Gpu){
    {.types = MR_GPU_DUAL_TYPES "; Tindices: int32, int64",
     .make = MakeKernel<RowsOnGpu<AdagradDaOnGpu>>,
     .host = "var, gradient_accumulator, gradient_squared_accumulator"}};

}  // namespace millrace::ops
