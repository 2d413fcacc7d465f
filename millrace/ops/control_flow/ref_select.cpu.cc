#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"

namespace millrace::ops {
namespace {

Status RunRefSelect(KernelContext& ctx) {
  const Tensor& index = ctx.input(0);
  if (index.rank() != 0) {
    return InvalidArgument("Index must be a scalar, but it has shape ",
                           index.shape().DebugString());
  }
  const int32_t chosen = index.scalar<int32_t>();
  const int count = ctx.num_inputs() - 1;
  if (chosen < 0 || chosen >= count) {
    return InvalidArgument("Index must be in the range [0, ", count,
                           ") but got ", chosen);
  }
  ctx.set_output_ref(0, ctx.shared_ref_input(1 + chosen));
  return OkStatus();
}

}  // namespace

MR_KERNELS(RefSelect, Cpu){{.types = "T: " MR_ELEMENT_TYPES,
                            .make = MakeFunctionKernel<RunRefSelect>,
                            .host = "index",
                            .cheap = true}};

}  // namespace millrace::ops
