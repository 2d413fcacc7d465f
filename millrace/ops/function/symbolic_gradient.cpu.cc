#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/control_flow/call_function.h"

namespace millrace::ops {
namespace {

class SymbolicGradientKernel {
 public:
  static StatusOr<SymbolicGradientKernel> Make(const KernelInit& init) {
    NameAttrList gradient{init.node().op->name, {}};
    for (const char* name : {"f", "Tout"}) {
      if (const AttrValue* const value = init.node().attrs.Find(name))
        gradient.attrs.Set(name, *value);
    }
    SymbolicGradientKernel k;
    k.gradient_ = InstanceOfCall(init.node(), gradient);
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const auto handle = InstantiateInStep(ctx, gradient_);
    if (!handle.ok()) return std::move(done)(handle.status());
    ctx.step().functions->Run(
        ctx, *handle, TakeInputs(ctx, 0), FunctionRunner::Views::kHandOn,
        [&ctx, finish = ResultsToOutputs(ctx, std::move(done))](
            Status status, std::vector<Tensor> gradients) mutable {
          if (status.ok() &&
              static_cast<int>(gradients.size()) != ctx.num_outputs()) {
            status = InvalidArgument("SymGrad expects to return ",
                                     ctx.num_outputs(), " tensor(s), but get ",
                                     gradients.size(), " tensor(s) instead.");
          }
          std::move(finish)(std::move(status), std::move(gradients));
        });
  }

 private:
  AttrValue::Func gradient_;
};

}  // namespace

MR_KERNELS(SymbolicGradient,
           Cpu){{.make = MakeKernel<SymbolicGradientKernel>, .views = "input"}};

}  // namespace millrace::ops
