#include "millrace/ops/train/apply.gpu.h"

namespace millrace::ops {
namespace {

struct ProximalGradientDescentOnGpu {
  static constexpr const char* kRule = "ProximalGradientDescent";
  static constexpr const char* kNames[] = {"var"};
  static constexpr Hyperparameter kScalars[] = {
      "alpha",
      {"l1", "l1 regularization strength is not a scalar"},
      {"l2", "l2 regularization strength is not a scalar"}};
};

struct ProximalGradientDescentRowsOnGpu {
  static constexpr const char* kRule = "ProximalGradientDescent";
  static constexpr const char* kNames[] = {"var"};
  static constexpr Hyperparameter kScalars[] = {
      {"alpha", "lr is not a scalar"},
      {"l1", "l1 regularization strength is not a scalar"},
      {"l2", "l2 regularization strength is not a scalar"}};
};

struct ProximalAdagradOnGpu {
  static constexpr const char* kRule = "ProximalAdagrad";
  static constexpr const char* kNames[] = {"var", "accum"};
  static constexpr Hyperparameter kScalars[] = {
      {"lr", "lr is not a positive scalar"},
      {"l1", "l1 regularization strength is not a non-negative scalar"},
      {"l2", "l2 regularization strength is not a non-negative scalar"}};
};

#define MR_GPU_PROXIMAL_TYPES "T: double, float"
#define MR_GPU_PROXIMAL_ADAGRAD_TYPES "T: double, float, half"

}  // namespace

MR_KERNELS(ApplyProximalGradientDescent,
           Gpu){{.types = MR_GPU_PROXIMAL_TYPES,
                 .make = MakeKernel<DenseOnGpu<ProximalGradientDescentOnGpu>>}};
MR_KERNELS(ResourceApplyProximalGradientDescent,
           Gpu){{.types = MR_GPU_PROXIMAL_TYPES,
                 .make = MakeKernel<DenseOnGpu<ProximalGradientDescentOnGpu>>,
                 .host = "var"}};
MR_KERNELS(SparseApplyProximalGradientDescent, Gpu){
    {.types = MR_GPU_PROXIMAL_TYPES "; Tindices: int32, int64",
     .make = MakeKernel<RowsOnGpu<ProximalGradientDescentRowsOnGpu>>}};
MR_KERNELS(ResourceSparseApplyProximalGradientDescent, Gpu){
    {.types = MR_GPU_PROXIMAL_TYPES "; Tindices: int32, int64",
     .make = MakeKernel<RowsOnGpu<ProximalGradientDescentRowsOnGpu>>,
     .host = "var"}};
MR_KERNELS(ApplyProximalAdagrad,
           Gpu){{.types = MR_GPU_PROXIMAL_ADAGRAD_TYPES,
                 .make = MakeKernel<DenseOnGpu<ProximalAdagradOnGpu>>}};
MR_KERNELS(ResourceApplyProximalAdagrad,
           Gpu){{.types = MR_GPU_PROXIMAL_ADAGRAD_TYPES,
                 .make = MakeKernel<DenseOnGpu<ProximalAdagradOnGpu>>,
                 .host = "var, accum"}};
MR_KERNELS(SparseApplyProximalAdagrad, Gpu){
    {.types = MR_GPU_PROXIMAL_ADAGRAD_TYPES "; Tindices: int32, int64",
     .make = MakeKernel<RowsOnGpu<ProximalAdagradOnGpu>>}};
MR_KERNELS(ResourceSparseApplyProximalAdagrad, Gpu){
    {.types = MR_GPU_PROXIMAL_ADAGRAD_TYPES "; Tindices: int32, int64",
     .make = MakeKernel<RowsOnGpu<ProximalAdagradOnGpu>>,
     .host = "var, accum"}};

}  // namespace millrace::ops
