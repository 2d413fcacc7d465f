#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/control_flow/call_function.h"

namespace millrace::ops {
namespace {

// Fails: the executor sets arguments and takes results itself.
Status RunSlot(KernelContext& ctx) {
  return Internal(ctx.node().op->name, " ran outside of the executor");
}

class CallKernel {
 public:
  static StatusOr<CallKernel> Make(const KernelInit& init) {
    CallKernel k;
    MR_ASSIGN_OR_RETURN(k.function_, init.Attr<AttrValue::Func>("f"));
    if (k.function_ == nullptr)
      return InvalidArgument("attribute f names no function");
    if (init.node().op->Is(kStateful))
      k.function_ = InstanceOfCall(init.node(), *k.function_);
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const auto handle = InstantiateInStep(ctx, function_);
    if (!handle.ok()) return std::move(done)(handle.status());
    ctx.step().functions->Run(ctx, *handle, TakeInputs(ctx, 0),
                              FunctionRunner::Views::kHandOn,
                              ResultsToOutputs(ctx, std::move(done)));
  }

 private:
  AttrValue::Func function_;
};

}  // namespace

MR_KERNELS(_Arg, Cpu){{.make = MakeFunctionKernel<RunSlot>, .cheap = true}};
MR_KERNELS(_Retval, Cpu){{.make = MakeFunctionKernel<RunSlot>, .cheap = true}};
MR_KERNELS(PartitionedCall,
           Cpu){{.make = MakeKernel<CallKernel>, .views = "args"}};
MR_KERNELS(StatefulPartitionedCall,
           Cpu){{.make = MakeKernel<CallKernel>, .views = "args"}};

}  // namespace millrace::ops
