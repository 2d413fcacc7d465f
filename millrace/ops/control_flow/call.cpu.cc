#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/control_flow/call_function.h"
#include "millrace/tensor/wire_format.h"

namespace millrace::ops {
namespace {

// Fails: the executor sets arguments and takes results itself.
Status RunSlot(KernelContext& ctx) {
  return Internal(ctx.node().op->name, " ran outside of the executor");
}

// Returns whether the bytes are those of a protocol buffer of some type.
bool IsMessage(absl::string_view bytes) {
  ChunkReader in(bytes);
  FieldTag tag;
  while (!in.done()) {
    if (!in.ReadTag(&tag) || !in.SkipField(tag)) return false;
  }
  return true;
}

// Nothing here uses these attributes, but stock refuses other values.
Status CheckAttrs(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(const auto config, init.Attr<std::string>("config"));
  if (!IsMessage(config)) {
    return InvalidArgument(
        "Unable to parse config string as tensorflow::RewriteOptions proto.");
  }
  MR_ASSIGN_OR_RETURN(const auto proto, init.Attr<std::string>("config_proto"));
  if (!IsMessage(proto)) {
    return InvalidArgument(
        "Unable to parse config_proto string as tensorflow::ConfigProto "
        "proto.");
  }
  MR_ASSIGN_OR_RETURN(const auto executor,
                      init.Attr<std::string>("executor_type"));
  if (!executor.empty() && executor != "DEFAULT" &&
      executor != "SINGLE_THREADED_EXECUTOR") {
    return NotFound(
        "No executor factory registered for the given executor type: ",
        executor,
        " Registered factories are {DEFAULT, , SINGLE_THREADED_EXECUTOR}.");
  }
  return OkStatus();
}

class CallKernel {
 public:
  static StatusOr<CallKernel> Make(const KernelInit& init) {
    CallKernel k;
    MR_ASSIGN_OR_RETURN(k.function_, init.Attr<AttrValue::Func>("f"));
    if (k.function_ == nullptr)
      return InvalidArgument("attribute f names no function");
    MR_RETURN_IF_ERROR(CheckAttrs(init));
    if (init.node().op->Is(kStateful))
      k.function_ = InstanceOfCall(init.node(), *k.function_);
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const auto handle = InstantiateInStep(ctx, function_);
    if (!handle.ok()) return std::move(done)(handle.status());
    ctx.step().functions->Run(ctx, *handle, TakeInputs(ctx, 0),
                              FunctionRunner::Views::kHandOn,
                              CallResultsToOutputs(ctx, std::move(done)));
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
