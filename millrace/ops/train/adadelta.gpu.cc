#include "millrace/ops/train/apply.gpu.h"

namespace millrace::ops {
namespace {

struct AdadeltaOnGpu {
  static constexpr const char* kRule = "Adadelta";
  static constexpr const char* kNames[] = {"var", "accum", "accum_update"};
  static constexpr Hyperparameter kScalars[] = {"lr", "rho", "epsilon"};
};

struct AdadeltaRowsOnGpu {
  static constexpr const char* kRule = "Adadelta";
  static constexpr const char* kNames[] = {"var", "accum_grad", "accum_update"};
  static constexpr Hyperparameter kScalars[] = {"lr", "rho", "epsilon"};
};

}  // namespace

MR_KERNELS(ApplyAdadelta, Gpu){
    {.types = MR_APPLY_TYPES, .make = MakeKernel<DenseOnGpu<AdadeltaOnGpu>>}};
MR_KERNELS(ResourceApplyAdadelta,
           Gpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseOnGpu<AdadeltaOnGpu>>,
                 .host = "var, accum, accum_update"}};
MR_KERNELS(SparseApplyAdadelta,
           Gpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<RowsOnGpu<AdadeltaRowsOnGpu>>}};
MR_KERNELS(ResourceSparseApplyAdadelta,
           Gpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<RowsOnGpu<AdadeltaRowsOnGpu>>,
                 .host = "var, accum, accum_update"}};

}  // namespace millrace::ops
