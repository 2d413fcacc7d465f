#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/control_flow/call_function.h"

namespace millrace::ops {
namespace {

class IfKernel {
 public:
  static StatusOr<IfKernel> Make(const KernelInit& init) {
    IfKernel k;
    MR_ASSIGN_OR_RETURN(k.then_, init.Attr<AttrValue::Func>("then_branch"));
    MR_ASSIGN_OR_RETURN(k.else_, init.Attr<AttrValue::Func>("else_branch"));
    MR_ASSIGN_OR_RETURN(k.read_, ReadResultsOf(init));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<bool> truth = IsTrue(ctx.input(0));
    if (!truth.ok()) return std::move(done)(truth.status());
    const auto handle = InstantiateInStep(ctx, *truth ? then_ : else_, read_);
    if (!handle.ok()) return std::move(done)(handle.status());
    ctx.step().functions->Run(ctx, *handle, TakeInputs(ctx, 1),
                              FunctionRunner::Views::kHandOn,
                              ResultsToOutputs(ctx, read_, std::move(done)));
  }

 private:
  AttrValue::Func then_, else_;
  ReadResults read_;
};

}  // namespace

MR_KERNELS(StatelessIf, Cpu){{.make = MakeKernel<IfKernel>, .views = "input"}};
MR_KERNELS(If, Cpu){{.make = MakeKernel<IfKernel>, .views = "input"}};

}  // namespace millrace::ops
