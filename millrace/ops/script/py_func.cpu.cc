// Kernels of Python functions, which no server can run.
#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

Status RunPyFunc(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const std::string token,
                      GetAttr<std::string>(ctx.node().attrs, "token"));
  return InvalidArgument(
      "ValueError: Could not find callback with key=", token,
      " in the registry: it is a function of the client's Python process, and ",
      ctx.device().name(),
      " is in a server, which runs no Python. Use ops of the graph instead, or "
      "call the function in the client and feed what it returns");
}

}  // namespace

MR_KERNELS(PyFunc, Cpu){{.make = MakeFunctionKernel<RunPyFunc>}};
MR_KERNELS(PyFuncStateless, Cpu){{.make = MakeFunctionKernel<RunPyFunc>}};
MR_KERNELS(EagerPyFunc, Cpu){{.make = MakeFunctionKernel<RunPyFunc>}};

}  // namespace millrace::ops
