#include "millrace/ops/train/apply.gpu.h"

namespace millrace::ops {
namespace {

struct AmsGradOnGpu {
  static constexpr const char* kRule = "AmsGrad";
  static constexpr const char* kNames[] = {"var", "m", "v", "vhat"};
  static constexpr Hyperparameter kScalars[] = {
      "beta1_power", "beta2_power", {"lr", "lr is not a scalar "},
      "beta1",       "beta2",       "epsilon"};
};

}  // namespace

MR_KERNELS(ResourceApplyAdamWithAmsgrad,
           Gpu){{.types = "T: bfloat16, double, float, half",
                 .make = MakeKernel<DenseOnGpu<AmsGradOnGpu>>,
                 .host = "var, m, v, vhat"}};

}  // namespace millrace::ops
