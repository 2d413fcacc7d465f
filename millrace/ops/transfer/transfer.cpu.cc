#include "millrace/ops/transfer/transfer.h"

#include "absl/strings/str_cat.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

// Returns the key of a transfer without frame and iteration. INVALID_ARGUMENT
// for devices that have no such names.
StatusOr<std::string> KeyPrefix(const KernelInit& init) {
  RendezvousKey key;
  MR_ASSIGN_OR_RETURN(key.send_device, init.Attr<std::string>("send_device"));
  MR_ASSIGN_OR_RETURN(key.recv_device, init.Attr<std::string>("recv_device"));
  MR_ASSIGN_OR_RETURN(key.tensor_name, init.Attr<std::string>("tensor_name"));
  MR_ASSIGN_OR_RETURN(const int64_t incarnation,
                      init.Attr<int64_t>("send_device_incarnation"));
  key.send_incarnation = static_cast<uint64_t>(incarnation);
  std::string text = key.ToString();
  if (!DeviceName::Parse(key.send_device).ok() ||
      !DeviceName::Parse(key.recv_device).ok()) {
    return InvalidArgument("Invalid  rendezvous key: ", text);
  }
  text.resize(text.rfind(';') + 1);
  return text;
}

std::string FullKey(const std::string& prefix, const KernelContext& ctx) {
  return absl::StrCat(prefix, ctx.frame_id, ":", ctx.iteration);
}

Status SetOutput(KernelContext& ctx, StatusOr<RendezvousValue> received) {
  MR_RETURN_IF_ERROR(received.status());
  Tensor& value = received->tensor;
  if (received->is_dead) {
    ctx.set_output_dead(0);
    return OkStatus();
  }
  if (value.dtype() != ctx.output_type(0)) {
    return Internal("received a tensor of type ", DataTypeName(value.dtype()),
                    ", expected ", DataTypeName(ctx.output_type(0)));
  }
  ctx.set_output(0, std::move(value));
  return OkStatus();
}

}  // namespace

StatusOr<SendKernel> SendKernel::Make(const KernelInit& init) {
  SendKernel k;
  MR_ASSIGN_OR_RETURN(k.prefix_, KeyPrefix(init));
  MR_ASSIGN_OR_RETURN(const auto from, init.Attr<std::string>("send_device"));
  MR_ASSIGN_OR_RETURN(const auto to, init.Attr<std::string>("recv_device"));
  MR_ASSIGN_OR_RETURN(const DeviceName from_name, DeviceName::Parse(from));
  MR_ASSIGN_OR_RETURN(const DeviceName to_name, DeviceName::Parse(to));
  k.stays_in_task_ = from_name.SameTask(to_name);
  return k;
}

Status SendKernel::Run(KernelContext& ctx) const {
  if (ctx.step().rendezvous == nullptr) {
    return FailedPrecondition("the step has no rendezvous to send through");
  }
  // A view stays a view between the devices of one task.
  if (!stays_in_task_ && !ctx.has_dead_input) {
    MR_RETURN_IF_ERROR(ctx.BindInput(0));
  }
  return ctx.step().rendezvous->Send(
      FullKey(prefix_, ctx),
      {.tensor = ctx.input(0), .is_dead = ctx.has_dead_input});
}

StatusOr<RecvKernel> RecvKernel::Make(const KernelInit& init) {
  RecvKernel k;
  MR_ASSIGN_OR_RETURN(k.prefix_, KeyPrefix(init));
  return k;
}

void RecvKernel::RunAsync(KernelContext& ctx, Done done) const {
  if (ctx.step().rendezvous == nullptr) {
    std::move(done)(
        FailedPrecondition("the step has no rendezvous to receive from"));
    return;
  }
  ctx.step().rendezvous->RecvAsync(
      FullKey(prefix_, ctx), ctx.step().cancel,
      [&ctx,
       done = std::move(done)](StatusOr<RendezvousValue> received) mutable {
        std::move(done)(SetOutput(ctx, std::move(received)));
      });
}

MR_KERNELS(_Send, Cpu){
    {.make = MakeKernel<SendKernel>, .views = "tensor", .cheap = true}};
MR_KERNELS(_HostSend, Cpu){
    {.make = MakeKernel<SendKernel>, .views = "tensor", .cheap = true}};
MR_KERNELS(_Recv, Cpu){{.make = MakeKernel<RecvKernel>, .cheap = true}};
MR_KERNELS(_HostRecv, Cpu){{.make = MakeKernel<RecvKernel>, .cheap = true}};

}  // namespace millrace::ops
