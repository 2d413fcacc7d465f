#include "millrace/ops/train/apply.gpu.h"

namespace millrace::ops {
namespace {

struct RmsPropOnGpu {
  static constexpr const char* kRule = "RmsProp";
  static constexpr const char* kNames[] = {"var", "ms", "mom"};
  static constexpr Hyperparameter kScalars[] = {
      {"lr", "lr is not a scalar "}, "rho", "momentum", "epsilon"};
};

struct RmsPropRowsOnGpu {
  static constexpr const char* kRule = "RmsProp";
  static constexpr const char* kNames[] = {"var", "ms", "mom"};
  static constexpr Hyperparameter kScalars[] = {"lr", "rho", "momentum",
                                                "epsilon"};
};

struct CenteredRmsPropOnGpu {
  static constexpr const char* kRule = "CenteredRmsProp";
  static constexpr const char* kNames[] = {"var", "mg", "ms", "mom"};
  static constexpr Hyperparameter kScalars[] = {
      {"lr", "lr is not a scalar "}, "rho", "momentum", "epsilon"};
};

struct CenteredRmsPropRowsOnGpu {
  static constexpr const char* kRule = "CenteredRmsProp";
  static constexpr const char* kNames[] = {"var", "mg", "ms", "mom"};
  static constexpr Hyperparameter kScalars[] = {"lr", "rho", "momentum",
                                                "epsilon"};
};

#define MR_GPU_ROWS_TYPES \
  "T: complex128, complex64, double, float, half; Tindices: int32, int64"

}  // namespace

MR_KERNELS(ApplyRMSProp, Gpu){
    {.types = MR_APPLY_TYPES, .make = MakeKernel<DenseOnGpu<RmsPropOnGpu>>}};
MR_KERNELS(ResourceApplyRMSProp,
           Gpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseOnGpu<RmsPropOnGpu>>,
                 .host = "var, ms, mom"}};
MR_KERNELS(SparseApplyRMSProp,
           Gpu){{.types = MR_GPU_ROWS_TYPES,
                 .make = MakeKernel<RowsOnGpu<RmsPropRowsOnGpu>>}};
MR_KERNELS(ResourceSparseApplyRMSProp,
           Gpu){{.types = MR_GPU_ROWS_TYPES,
                 .make = MakeKernel<RowsOnGpu<RmsPropRowsOnGpu>>,
                 .host = "var, ms, mom"}};
MR_KERNELS(ApplyCenteredRMSProp,
           Gpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseOnGpu<CenteredRmsPropOnGpu>>}};
MR_KERNELS(ResourceApplyCenteredRMSProp,
           Gpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseOnGpu<CenteredRmsPropOnGpu>>,
                 .host = "var, mg, ms, mom"}};
MR_KERNELS(SparseApplyCenteredRMSProp,
           Gpu){{.types = MR_GPU_ROWS_TYPES,
                 .make = MakeKernel<RowsOnGpu<CenteredRmsPropRowsOnGpu>>}};
MR_KERNELS(ResourceSparseApplyCenteredRMSProp,
           Gpu){{.types = MR_GPU_ROWS_TYPES,
                 .make = MakeKernel<RowsOnGpu<CenteredRmsPropRowsOnGpu>>,
                 .host = "var, mg, ms, mom"}};

}  // namespace millrace::ops
