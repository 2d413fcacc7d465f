#include "millrace/base/clock.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

Status RunTimestamp(KernelContext& ctx) {
  ctx.set_output(
      0, Tensor::Scalar<double>(static_cast<double>(WallMicros()) * 1e-6));
  return OkStatus();
}

}  // namespace

MR_KERNELS(Timestamp,
           Cpu){{.make = MakeFunctionKernel<RunTimestamp>, .cheap = true}};

}  // namespace millrace::ops
