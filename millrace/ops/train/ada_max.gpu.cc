#include "millrace/ops/train/apply.gpu.h"

namespace millrace::ops {
namespace {

struct AdaMaxOnGpu {
  static constexpr const char* kRule = "AdaMax";
  static constexpr const char* kNames[] = {"var", "m", "v"};
  static constexpr Hyperparameter kScalars[] = {"beta1_power",
                                                {"lr", "lr is not a scalar "},
                                                "beta1",
                                                "beta2",
                                                "epsilon"};
};

}  // namespace

MR_KERNELS(ApplyAdaMax, Gpu){{.types = "T: double, float, half",
                              .make = MakeKernel<DenseOnGpu<AdaMaxOnGpu>>}};
MR_KERNELS(ResourceApplyAdaMax,
           Gpu){{.types = "T: double, float, half",
                 .make = MakeKernel<DenseOnGpu<AdaMaxOnGpu>>,
                 .host = "var, m, v"}};

}  // namespace millrace::ops
