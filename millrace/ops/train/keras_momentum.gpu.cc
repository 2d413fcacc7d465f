#include "millrace/ops/train/apply.gpu.h"

namespace millrace::ops {
namespace {

struct KerasMomentumOnGpu {
  static constexpr const char* kRule = "KerasMomentum";
  static constexpr const char* kNames[] = {"var", "accum"};
  static constexpr Hyperparameter kScalars[] = {"lr", "momentum"};
  static constexpr const char* kFlag = "use_nesterov";
};

struct KerasMomentumRowsOnGpu {
  static constexpr const char* kRule = "KerasMomentum";
  static constexpr const char* kNames[] = {"var", "accum"};
  static constexpr Hyperparameter kScalars[] = {{"lr", "lr is not a scalar "},
                                                "momentum"};
  static constexpr const char* kFlag = "use_nesterov";
};

}  // namespace

MR_KERNELS(ResourceApplyKerasMomentum,
           Gpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseOnGpu<KerasMomentumOnGpu>>,
                 .host = "var, accum"}};
MR_KERNELS(ResourceSparseApplyKerasMomentum,
           Gpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<RowsOnGpu<KerasMomentumRowsOnGpu>>,
                 .host = "var, accum"}};

}  // namespace millrace::ops
