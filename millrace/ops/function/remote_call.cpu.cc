#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/graph/device_name.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/control_flow/call_function.h"

namespace millrace::ops {
namespace {

// Returns the full name of the device that `target` means to a caller on
// `here`.
StatusOr<std::string> TargetDevice(absl::string_view target,
                                   const Device& here) {
  StatusOr<DeviceName> name = DeviceName::Parse(target);
  // "CPU:0" is short for "/device:CPU:0".
  if (!name.ok() && absl::StrContains(target, ':'))
    name = DeviceName::Parse(absl::StrCat("/device:", target));
  if (!name.ok()) {
    return InvalidArgument("Could not parse ", target,
                           " into a device specification.");
  }
  return here.parsed_name().OverriddenBy(*name).ToString();
}

class RemoteCallKernel {
 public:
  static StatusOr<RemoteCallKernel> Make(const KernelInit& init) {
    RemoteCallKernel k;
    MR_ASSIGN_OR_RETURN(k.function_, init.Attr<AttrValue::Func>("f"));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    if (ctx.step().functions == nullptr) {
      return std::move(done)(FailedPrecondition("the step has no functions"));
    }
    const Tensor& target = ctx.input(0);
    if (target.num_elements() != 1) {
      return std::move(done)(
          InvalidArgument("target must be a scalar, but its shape is ",
                          target.shape().DebugString()));
    }
    const StatusOr<std::string> device =
        TargetDevice(target.scalar<StringElement>().view(), ctx.device());
    if (!device.ok()) return std::move(done)(device.status());
    std::vector<DataType> types;
    for (int i = 0; i < ctx.num_outputs(); ++i)
      types.push_back(ctx.output_type(i));
    ctx.step().functions->RunOn(ctx.step(), ctx.device(), *device, *function_,
                                std::move(types), TakeInputs(ctx, 1),
                                CallResultsToOutputs(ctx, std::move(done)));
  }

 private:
  AttrValue::Func function_;
};

}  // namespace

MR_KERNELS(RemoteCall,
           Cpu){{.make = MakeKernel<RemoteCallKernel>, .host = "target"}};

}  // namespace millrace::ops
