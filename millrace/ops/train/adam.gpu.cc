#include "millrace/ops/train/apply.gpu.h"

namespace millrace::ops {
namespace {

struct AdamOnGpu {
  static constexpr const char* kRule = "Adam";
  static constexpr const char* kNames[] = {"var", "m", "v"};
  static constexpr Hyperparameter kScalars[] = {
      "beta1_power", "beta2_power", {"lr", "lr is not a scalar "},
      "beta1",       "beta2",       "epsilon"};
  static constexpr const char* kFlag = "use_nesterov";
};

}  // namespace

MR_KERNELS(ApplyAdam, Gpu){
    {.types = MR_APPLY_TYPES, .make = MakeKernel<DenseOnGpu<AdamOnGpu>>}};
MR_KERNELS(ResourceApplyAdam, Gpu){{.types = MR_APPLY_TYPES,
                                    .make = MakeKernel<DenseOnGpu<AdamOnGpu>>,
                                    .host = "var, m, v"}};

}  // namespace millrace::ops
