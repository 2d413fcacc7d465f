#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

// The executor runs merges itself, since it knows which input came first; this
// kernel runs where a node is run alone.
Status RunMerge(KernelContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    EdgeValue& input = ctx.input_edge(i);
    if (input.is_dead || (!input.tensor.valid() && input.ref == nullptr)) {
      continue;
    }
    ctx.output_edge(0) = std::move(input);
    ctx.set_output(1, Tensor::Scalar<int32_t>(i));
    return OkStatus();
  }
  ctx.set_output_dead(0);
  ctx.set_output_dead(1);
  return OkStatus();
}

}  // namespace

MR_KERNELS(Merge, Cpu){{.make = MakeFunctionKernel<RunMerge>,
                        .host = "value_index",
                        .cheap = true}};
MR_KERNELS(RefMerge, Cpu){{.make = MakeFunctionKernel<RunMerge>,
                           .host = "value_index",
                           .cheap = true}};

}  // namespace millrace::ops
