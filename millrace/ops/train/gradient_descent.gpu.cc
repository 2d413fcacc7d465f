#include "millrace/ops/train/apply.gpu.h"

namespace millrace::ops {
namespace {

struct GradientDescentOnGpu {
  static constexpr const char* kRule = "GradientDescent";
  static constexpr const char* kNames[] = {"var"};
  static constexpr Hyperparameter kScalars[] = {"alpha"};
};

}  // namespace

MR_KERNELS(ApplyGradientDescent,
           Gpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseOnGpu<GradientDescentOnGpu>>}};
MR_KERNELS(ResourceApplyGradientDescent,
           Gpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseOnGpu<GradientDescentOnGpu>>,
                 .host = "var"}};

}  // namespace millrace::ops
