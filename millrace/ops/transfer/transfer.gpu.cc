// Transfers of devices with memory of their own. In the rendezvous are tensors
// in host memory and, between such devices of one process, those of the
// sender's memory, which the receiver copies.
#include "millrace/ops/transfer/transfer.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/variable_view.h"

namespace millrace::ops {
namespace {

// The receiver's reader could not bind a view in this device's order, so the
// executor binds the input.
class SendHere {
 public:
  static StatusOr<SendHere> Make(const KernelInit& init) {
    SendHere k;
    MR_ASSIGN_OR_RETURN(k.send_, SendKernel::Make(init));
    return k;
  }
  Status Run(KernelContext& ctx) const { return send_.Run(ctx); }

 private:
  SendKernel send_;
};

enum class To { kDevice, kHost };

// Receives, and copies what lies in another memory than the output.
template <To kTo>
class RecvTo {
 public:
  static StatusOr<RecvTo> Make(const KernelInit& init) {
    RecvTo k;
    MR_ASSIGN_OR_RETURN(k.recv_, RecvKernel::Make(init));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    recv_.RunAsync(
        ctx, Done([&ctx, done = std::move(done)](Status status) mutable {
          Tensor& value = *ctx.output(0);
          const bool host = !value.on_device();
          if (!status.ok() || !value.valid() ||
              !ctx.device().has_own_memory() || (kTo == To::kHost && host)) {
            return std::move(done)(std::move(status));
          }
          Move(ctx, std::move(done));
        }));
  }

 private:
  static void Move(KernelContext& ctx, Done done) {
    Tensor from = std::move(*ctx.output(0));
    if (Status bound = Bind(&from, nullptr); !bound.ok()) {
      return std::move(done)(std::move(bound));
    }
    const StatusOr<Tensor*> to = ctx.AllocateOutput(0, from.shape());
    if (!to.ok()) return std::move(done)(to.status());
    Device& device = ctx.device();
    if (kTo == To::kHost) {
      device.CopyToHost(std::move(from), *to, std::move(done));
    } else if (from.on_device()) {
      device.CopyFromPeer(std::move(from), *to, std::move(done));
    } else {
      device.CopyFromHost(std::move(from), *to, std::move(done));
    }
  }

  RecvKernel recv_;
};

}  // namespace

MR_KERNELS(_Send, Gpu){{.make = MakeKernel<SendHere>, .cheap = true}};
MR_KERNELS(_HostSend, Gpu){{.make = OnHost, .host = "*"}};
MR_KERNELS(_Recv,
           Gpu){{.make = MakeKernel<RecvTo<To::kDevice>>, .cheap = true}};
MR_KERNELS(_HostRecv, Gpu){
    {.make = MakeKernel<RecvTo<To::kHost>>, .host = "*", .cheap = true}};

}  // namespace millrace::ops
