// Kernels of Python functions, which only a process of Python can run.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/script_calls.h"

namespace millrace::ops {
namespace {

Status CheckOutputs(const KernelContext& ctx, const std::string& token,
                    const std::vector<Tensor>& outputs) {
  if (static_cast<int>(outputs.size()) != ctx.num_outputs()) {
    return InvalidArgument(token, " returns ", outputs.size(),
                           " values, but expects to see ", ctx.num_outputs(),
                           " values.");
  }
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    if (outputs[i].dtype() != ctx.output_type(i)) {
      return InvalidArgument(i, "-th value returned by ", token, " is ",
                             DataTypeName(outputs[i].dtype()), ", but expects ",
                             DataTypeName(ctx.output_type(i)));
    }
  }
  return OkStatus();
}

Status RunPyFunc(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const std::string token,
                      GetAttr<std::string>(ctx.node().attrs, "token"));
  if (const ScriptFunction call = GetScriptFunction()) {
    std::vector<Tensor> inputs, outputs;
    for (int i = 0; i < ctx.num_inputs(); ++i) inputs.push_back(ctx.input(i));
    MR_RETURN_IF_ERROR(call({.token = token,
                             .eager = ctx.node().op->name == "EagerPyFunc",
                             .device = ctx.device().name(),
                             .inputs = inputs},
                            &outputs));
    MR_RETURN_IF_ERROR(CheckOutputs(ctx, token, outputs));
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      ctx.set_output(i, std::move(outputs[i]));
    }
    return OkStatus();
  }
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
