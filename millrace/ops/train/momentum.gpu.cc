#include "millrace/ops/train/apply.gpu.h"

namespace millrace::ops {
namespace {

struct MomentumOnGpu {
  static constexpr const char* kRule = "Momentum";
  static constexpr const char* kNames[] = {"var", "accum"};
  static constexpr Hyperparameter kScalars[] = {"lr", "momentum"};
  static constexpr const char* kFlag = "use_nesterov";
};

struct MomentumRowsOnGpu {
  static constexpr const char* kRule = "Momentum";
  static constexpr const char* kNames[] = {"var", "accum"};
  static constexpr Hyperparameter kScalars[] = {{"lr", "lr is not a scalar "},
                                                "momentum"};
  static constexpr const char* kFlag = "use_nesterov";
};

}  // namespace

MR_KERNELS(ApplyMomentum, Gpu){
    {.types = MR_APPLY_TYPES, .make = MakeKernel<DenseOnGpu<MomentumOnGpu>>}};
MR_KERNELS(ResourceApplyMomentum,
           Gpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseOnGpu<MomentumOnGpu>>,
                 .host = "var, accum"}};
MR_KERNELS(SparseApplyMomentum,
           Gpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<RowsOnGpu<MomentumRowsOnGpu>>}};
MR_KERNELS(ResourceSparseApplyMomentum,
           Gpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<RowsOnGpu<MomentumRowsOnGpu>>,
                 .host = "var, accum"}};

}  // namespace millrace::ops
