#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/deep_copy.h"
#include "millrace/ops/array/element_types.h"

namespace millrace::ops {
namespace {

Status PassThrough(KernelContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i)
    ctx.set_output(i, ctx.TakeInput(i));
  return OkStatus();
}

Status PassReferenceOn(KernelContext& ctx) {
  ctx.set_output_ref(0, ctx.shared_ref_input(0));
  return OkStatus();
}

constexpr KernelEntry kPass = {
    .make = MakeFunctionKernel<PassThrough>, .views = "input", .cheap = true};

}  // namespace

MR_KERNELS(Identity, Cpu){kPass};
MR_KERNELS(IdentityN, Cpu){kPass};
MR_KERNELS(RefIdentity,
           Cpu){{.make = MakeFunctionKernel<PassReferenceOn>, .cheap = true}};
MR_KERNELS(StopGradient, Cpu){kPass};
MR_KERNELS(PreventGradient, Cpu){kPass};
MR_KERNELS(DebugGradientIdentity, Cpu){kPass};
MR_KERNELS(DebugGradientRefIdentity,
           Cpu){{.make = MakeFunctionKernel<PassReferenceOn>, .cheap = true}};
MR_KERNELS(GuaranteeConst, Cpu){kPass};
// Takes no view: the input is bound when the kernel starts, and shared buffers
// are immutable, so the current value needs no copy.
MR_KERNELS(Snapshot, Cpu){{.types = "T: " MR_PLAIN_TYPES,
                           .make = MakeFunctionKernel<PassThrough>,
                           .cheap = true}};
MR_KERNELS(DeepCopy, Cpu){{.make = MakeOnCpu<MoveBy<RunDeepCopy>>}};

}  // namespace millrace::ops
