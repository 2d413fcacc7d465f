#include "millrace/base/hash/crc32c.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/session_tensors.h"

namespace millrace::ops {
namespace {

StatusOr<SessionTensors*> TensorsOfSession(KernelContext& ctx) {
  if (ctx.step().session_tensors != nullptr) return ctx.step().session_tensors;
  return FailedPrecondition(ctx.node().op->name,
                            " called on null session state");
}

std::string KeepInput(KernelContext& ctx, SessionTensors& tensors) {
  return tensors.Add(ctx.node().name, ctx.device().name(), ctx.TakeInput(0));
}

Status RunGetSessionHandle(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(SessionTensors* const tensors, TensorsOfSession(ctx));
  ctx.set_output(0, Tensor::Scalar<std::string>(KeepInput(ctx, *tensors)));
  return OkStatus();
}

Status RunGetSessionHandleV2(KernelContext& ctx) {
  constexpr absl::string_view kType = "TensorHandle";
  MR_ASSIGN_OR_RETURN(SessionTensors* const tensors, TensorsOfSession(ctx));
  auto handle = MakeRef<ResourceHandle>();
  handle->device = ctx.device().name();
  handle->container = std::string(kType);
  handle->name = KeepInput(ctx, *tensors);
  handle->type_name = std::string(kType);
  handle->hash_code = crc32c::Value(kType);
  ctx.set_output(0, Tensor::Scalar<ResourceElement>(handle));
  return OkStatus();
}

Status RunGetSessionTensor(KernelContext& ctx) {
  if (ctx.input(0).rank() != 0) {
    return InvalidArgument("handle must be scalar");
  }
  MR_ASSIGN_OR_RETURN(SessionTensors* const tensors, TensorsOfSession(ctx));
  MR_ASSIGN_OR_RETURN(
      Tensor value, tensors->Find(ctx.input(0).scalar<StringElement>().view()));
  if (value.dtype() != ctx.output_type(0)) {
    return Internal("Output 0 of type ", DataTypeName(value.dtype()),
                    " does not match declared output type ",
                    DataTypeName(ctx.output_type(0)));
  }
  ctx.set_output(0, std::move(value));
  return OkStatus();
}

Status RunDeleteSessionTensor(KernelContext& ctx) {
  if (ctx.input(0).rank() != 0) {
    return InvalidArgument("`handle` must be scalar");
  }
  MR_ASSIGN_OR_RETURN(SessionTensors* const tensors, TensorsOfSession(ctx));
  return tensors->Delete(ctx.input(0).scalar<StringElement>().view());
}

}  // namespace

MR_KERNELS(GetSessionHandle,
           Cpu){{.make = MakeFunctionKernel<RunGetSessionHandle>,
                 .host = "handle",
                 .cheap = true}};
MR_KERNELS(GetSessionHandleV2,
           Cpu){{.make = MakeFunctionKernel<RunGetSessionHandleV2>,
                 .host = "handle",
                 .cheap = true}};
MR_KERNELS(GetSessionTensor,
           Cpu){{.make = MakeFunctionKernel<RunGetSessionTensor>,
                 .host = "handle",
                 .cheap = true}};
MR_KERNELS(DeleteSessionTensor,
           Cpu){{.make = MakeFunctionKernel<RunDeleteSessionTensor>,
                 .host = "handle",
                 .cheap = true}};

}  // namespace millrace::ops
