#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

// Fails: it runs only if a step did not feed it.
struct PlaceholderKernel {
  static StatusOr<PlaceholderKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(PartialShape shape, init.Attr<PartialShape>("shape"));
    return PlaceholderKernel{std::move(shape)};
  }
  Status Run(KernelContext& ctx) const {
    const std::string type = DataTypeName(ctx.node().output_types[0]);
    if (!shape.known_rank() || shape.rank() == 0) {
      return InvalidArgument("You must feed a value for placeholder tensor '",
                             ctx.node().name, "' with dtype ", type);
    }
    return InvalidArgument("You must feed a value for placeholder tensor '",
                           ctx.node().name, "' with dtype ", type,
                           " and shape ", shape.DebugString());
  }
  PartialShape shape;
};

Status PassOn(KernelContext& ctx) {
  ctx.set_output(0, ctx.TakeInput(0));
  return OkStatus();
}

}  // namespace

MR_KERNELS(Placeholder,
           Cpu){{.make = MakeKernel<PlaceholderKernel>, .cheap = true}};

MR_KERNELS(PlaceholderV2,
           Cpu){{.make = MakeKernel<PlaceholderKernel>, .cheap = true}};

MR_KERNELS(PlaceholderWithDefault, Cpu){
    {.make = MakeFunctionKernel<PassOn>, .views = "input", .cheap = true}};

}  // namespace millrace::ops
