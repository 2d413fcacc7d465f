// Gradients of max pooling on CPUs.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/fused/fused_kernels.h"
#include "millrace/ops/pooling/max_pool_pair.h"

namespace millrace::ops {
namespace {

class CpuPoolOffsets {
 public:
  CpuPoolOffsets() = default;
  CpuPoolOffsets(const KernelInit& /*init*/, DataType /*type*/) {}

  Status Find(KernelContext& ctx, const PoolProblem& p, const Tensor& x,
              Tensor* output, Tensor* offsets) const {
    return FindOffsets(ctx, p, x, output, offsets);
  }
  Status Sum(KernelContext& ctx, const PoolProblem& p, const Tensor& offsets,
             const Tensor& grad, Tensor* out) const {
    return SumByOffsets(ctx, p, offsets, grad, out);
  }
};

using CpuMaxPoolGrad = MaxPoolGradKernel<CpuPoolOffsets>;
using CpuMaxPoolWithOffsets =
    MaxPoolWithOffsetsKernel<CpuPoolOffsets, FusedKernels>;
using CpuMaxPoolGradByOffsets =
    MaxPoolGradByOffsetsKernel<CpuPoolOffsets, FusedKernels>;

}  // namespace

MR_KERNELS(MaxPoolGrad, Cpu){
    {.types = "T: " MR_REAL_TYPES, .make = MakeKernel<CpuMaxPoolGrad>}};
MR_KERNELS(MaxPoolGradV2, Cpu){
    {.types = "T: " MR_REAL_TYPES, .make = MakeKernel<CpuMaxPoolGrad>}};
MR_KERNELS(MaxPool3DGrad, Cpu){
    {.types = "T: float; TInput: float", .make = MakeKernel<CpuMaxPoolGrad>},
    {.types = "T: bfloat16; TInput: bfloat16",
     .make = MakeKernel<CpuMaxPoolGrad>}};
MR_KERNELS(_MaxPoolWithOffsets, Cpu){
    {.types = "T: " MR_REAL_TYPES, .make = MakeKernel<CpuMaxPoolWithOffsets>}};
MR_KERNELS(_MaxPoolGradByOffsets,
           Cpu){{.types = "T: " MR_REAL_TYPES,
                 .make = MakeKernel<CpuMaxPoolGradByOffsets>}};

}  // namespace millrace::ops
