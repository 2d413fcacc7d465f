#include "millrace/ops/train/apply.gpu.h"

namespace millrace::ops {
namespace {

struct FtrlOnGpu {
  static constexpr const char* kRule = "Ftrl";
  static constexpr const char* kNames[] = {"var", "accum", "linear"};
  static constexpr Hyperparameter kScalars[] = {
      "lr",
      {"l1", "l1 regularization strength is not a scalar"},
      {"l2", "l2 regularization strength is not a scalar"},
      "lr_power"};
  static constexpr const char* kFlag = "multiply_linear_by_lr";
};

struct FtrlRowsOnGpu {
  static constexpr const char* kRule = "Ftrl";
  static constexpr const char* kNames[] = {"var", "accum", "linear"};
  static constexpr Hyperparameter kScalars[] = {
      {"lr",
       "lr is not a positive scalar (or zero if multiply_linear_by_lr is set)"},
      {"l1", "l1 regularization strength is not a non-negative scalar"},
      {"l2", "l2 regularization strength is not a non-negative scalar"},
      {"lr_power", "lr_power is not a non-positive scalar"}};
  static constexpr const char* kFlag = "multiply_linear_by_lr";
};

struct FtrlV2OnGpu {
  static constexpr const char* kRule = "FtrlV2";
  static constexpr const char* kNames[] = {"var", "accum", "linear"};
  static constexpr Hyperparameter kScalars[] = {
      "lr",
      {"l1", "l1 regularization strength is not a scalar"},
      {"l2", "l2 regularization strength is not a scalar"},
      "lr_power",
      {"l2_shrinkage", "l2 shrinkage regularization strength is not a scalar"}};
  static constexpr const char* kFlag = "multiply_linear_by_lr";
};

struct FtrlV2RowsOnGpu {
  static constexpr const char* kRule = "FtrlV2";
  static constexpr const char* kNames[] = {"var", "accum", "linear"};
  static constexpr Hyperparameter kScalars[] = {
      {"lr",
       "lr is not a positive scalar (or zero if multiply_linear_by_lr is set)"},
      {"l1", "l1 regularization strength is not a non-negative scalar"},
      {"l2", "l2 regularization strength is not a non-negative scalar"},
      {"lr_power", "lr_power is not a non-positive scalar"},
      {"l2_shrinkage",
       "l2 shrinkage regularization strength is not a non-negative scalar"}};
  static constexpr const char* kFlag = "multiply_linear_by_lr";
};

#define MR_GPU_FTRL_TYPES "T: bfloat16, double, float, half"

}  // namespace

MR_KERNELS(ApplyFtrl, Gpu){
    {.types = MR_GPU_FTRL_TYPES, .make = MakeKernel<DenseOnGpu<FtrlOnGpu>>}};
MR_KERNELS(ResourceApplyFtrl, Gpu){{.types = MR_GPU_FTRL_TYPES,
                                    .make = MakeKernel<DenseOnGpu<FtrlOnGpu>>,
                                    .host = "var, accum, linear"}};
MR_KERNELS(SparseApplyFtrl,
           Gpu){{.types = MR_GPU_FTRL_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<RowsOnGpu<FtrlRowsOnGpu>>}};
MR_KERNELS(ResourceSparseApplyFtrl,
           Gpu){{.types = MR_GPU_FTRL_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<RowsOnGpu<FtrlRowsOnGpu>>,
                 .host = "var, accum, linear"}};
MR_KERNELS(ApplyFtrlV2, Gpu){
    {.types = MR_GPU_FTRL_TYPES, .make = MakeKernel<DenseOnGpu<FtrlV2OnGpu>>}};
MR_KERNELS(ResourceApplyFtrlV2,
           Gpu){{.types = MR_GPU_FTRL_TYPES,
                 .make = MakeKernel<DenseOnGpu<FtrlV2OnGpu>>,
                 .host = "var, accum, linear"}};
MR_KERNELS(SparseApplyFtrlV2,
           Gpu){{.types = MR_GPU_FTRL_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<RowsOnGpu<FtrlV2RowsOnGpu>>}};
MR_KERNELS(ResourceSparseApplyFtrlV2,
           Gpu){{.types = MR_GPU_FTRL_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<RowsOnGpu<FtrlV2RowsOnGpu>>,
                 .host = "var, accum, linear"}};

}  // namespace millrace::ops
