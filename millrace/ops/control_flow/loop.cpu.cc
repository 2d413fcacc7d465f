#include "millrace/kernel/kernel_decl.h"

namespace millrace {
namespace {

// Passes a value or a reference on.
Status RunPass(KernelContext& ctx) {
  ctx.output_edge(0) = std::move(ctx.input_edge(0));
  return OkStatus();
}

#define MR_NEXT_ITERATION_TYPES                                            \
  "T: bfloat16, bool, complex128, complex64, double, float, half, int16, " \
  "int32, int64, int8, resource, string, uint16, uint32, uint64, uint8, "  \
  "variant"

}  // namespace
}  // namespace millrace

namespace millrace::ops {

MR_KERNELS(Enter, Cpu){
    {.make = MakeFunctionKernel<RunPass>, .views = "data", .cheap = true}};
MR_KERNELS(RefEnter, Cpu){{.make = MakeFunctionKernel<RunPass>, .cheap = true}};
MR_KERNELS(Exit, Cpu){
    {.make = MakeFunctionKernel<RunPass>, .views = "data", .cheap = true}};
MR_KERNELS(RefExit, Cpu){{.make = MakeFunctionKernel<RunPass>, .cheap = true}};
MR_KERNELS(NextIteration, Cpu){{.types = MR_NEXT_ITERATION_TYPES,
                                .make = MakeFunctionKernel<RunPass>,
                                .views = "data",
                                .cheap = true}};
MR_KERNELS(RefNextIteration,
           Cpu){{.make = MakeFunctionKernel<RunPass>, .cheap = true}};
MR_KERNELS(LoopCond, Cpu){{.make = MakeFunctionKernel<RunPass>,
                           .host = "input, output",
                           .views = "input",
                           .cheap = true}};

}  // namespace millrace::ops
