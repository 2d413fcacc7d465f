#include "millrace/ops/train/apply.gpu.h"

namespace millrace::ops {
namespace {

struct AddSignOnGpu {
  static constexpr const char* kRule = "AddSign";
  static constexpr const char* kNames[] = {"var", "m"};
  static constexpr Hyperparameter kScalars[] = {"lr", "alpha", "sign_decay",
                                                "beta"};
};

struct PowerSignOnGpu {
  static constexpr const char* kRule = "PowerSign";
  static constexpr const char* kNames[] = {"var", "m"};
  static constexpr Hyperparameter kScalars[] = {"lr", "logbase", "sign_decay",
                                                "beta"};
};

}  // namespace

MR_KERNELS(ApplyAddSign, Gpu){{.types = "T: bfloat16, double, float, half",
                               .make = MakeKernel<DenseOnGpu<AddSignOnGpu>>}};
MR_KERNELS(ResourceApplyAddSign,
           Gpu){{.types = "T: bfloat16, double, float, half",
                 .make = MakeKernel<DenseOnGpu<AddSignOnGpu>>,
                 .host = "var, m"}};
MR_KERNELS(ApplyPowerSign,
           Gpu){{.types = "T: bfloat16, double, float, half",
                 .make = MakeKernel<DenseOnGpu<PowerSignOnGpu>>}};
MR_KERNELS(ResourceApplyPowerSign,
           Gpu){{.types = "T: bfloat16, double, float, half",
                 .make = MakeKernel<DenseOnGpu<PowerSignOnGpu>>,
                 .host = "var, m"}};

}  // namespace millrace::ops
