#include <algorithm>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/control_flow/call_function.h"

namespace millrace::ops {
namespace {

class SwitchCaseKernel {
 public:
  static StatusOr<SwitchCaseKernel> Make(const KernelInit& init) {
    SwitchCaseKernel k;
    MR_ASSIGN_OR_RETURN(k.branches_,
                        init.Attr<AttrValue::FuncList>("branches"));
    MR_ASSIGN_OR_RETURN(k.read_, ReadResultsOf(init));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const Tensor& index = ctx.input(0);
    if (index.rank() != 0) {
      return std::move(done)(InvalidArgument("branch_index must be scalar"));
    }
    // As unsigned numbers, negative ones are the largest.
    const auto number = static_cast<uint32_t>(index.scalar<int32_t>());
    const AttrValue::Func& branch =
        branches_[std::min<size_t>(number, branches_.size() - 1)];
    const auto handle = InstantiateInStep(ctx, branch, read_);
    if (!handle.ok()) return std::move(done)(handle.status());
    ctx.step().functions->Run(ctx, *handle, TakeInputs(ctx, 1),
                              FunctionRunner::Views::kHandOn,
                              ResultsToOutputs(ctx, read_, std::move(done)));
  }

 private:
  AttrValue::FuncList branches_;  // at least one
  ReadResults read_;
};

}  // namespace

MR_KERNELS(StatelessCase,
           Cpu){{.make = MakeKernel<SwitchCaseKernel>, .views = "input"}};
MR_KERNELS(Case, Cpu){{.make = MakeKernel<SwitchCaseKernel>, .views = "input"}};

}  // namespace millrace::ops
