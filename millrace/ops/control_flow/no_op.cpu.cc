#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

Status RunNoOp(KernelContext&) { return OkStatus(); }

}  // namespace

MR_KERNELS(NoOp, Cpu){{.make = MakeFunctionKernel<RunNoOp>, .cheap = true}};
MR_KERNELS(ControlTrigger,
           Cpu){{.make = MakeFunctionKernel<RunNoOp>, .cheap = true}};

}  // namespace millrace::ops
