// A max pooling and its gradient that share argmax offsets
// (pass/pair_pools.cc), for GPUs.
#include "millrace/ops/pooling/max_pool_pair.h"

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/fused/lazy_fused_kernels.h"
#include "millrace/ops/pooling/max_pool.gpu.h"

namespace millrace::ops {
namespace {

using GpuMaxPoolWithOffsets =
    MaxPoolWithOffsetsKernel<GpuPoolOffsets, LazyFusedKernels>;
using GpuMaxPoolGradByOffsets =
    MaxPoolGradByOffsetsKernel<GpuPoolOffsets, LazyFusedKernels>;

}  // namespace

MR_KERNELS(_MaxPoolWithOffsets,
           Gpu){{.types = "T: half, bfloat16, float, double",
                 .make = MakeKernel<GpuMaxPoolWithOffsets>}};
MR_KERNELS(_MaxPoolGradByOffsets,
           Gpu){{.types = "T: half, bfloat16, float, double",
                 .make = MakeKernel<GpuMaxPoolGradByOffsets>}};

}  // namespace millrace::ops
