// Kernels of handles of iterators as strings.
#include "millrace/ops/data/iterator_resource.h"
#include "millrace/ops/data/string_handle.h"

namespace millrace::ops {
namespace {

Status IteratorToString(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(IteratorOfInput(ctx, 0).status());
  SetStringHandle(ctx);
  return OkStatus();
}

}  // namespace

MR_KERNELS(IteratorToStringHandle,
           Cpu){{.make = MakeFunctionKernel<IteratorToString>, .cheap = true}};
MR_KERNELS(IteratorFromStringHandle,
           Cpu){{.make = MakeKernel<FromStringHandleKernel<IteratorResource>>,
                 .cheap = true}};
MR_KERNELS(IteratorFromStringHandleV2,
           Cpu){{.make = MakeKernel<FromStringHandleKernel<IteratorResource>>,
                 .cheap = true}};

}  // namespace millrace::ops
