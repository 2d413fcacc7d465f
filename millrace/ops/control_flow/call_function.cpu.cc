#include "millrace/ops/control_flow/call_function.h"

#include "millrace/graph/builtin_ops.h"
#include "millrace/kernel/kernel.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

StatusOr<FunctionRunner::Handle> InstantiateInStep(
    KernelContext& ctx, const AttrValue::Func& function) {
  if (ctx.step().functions == nullptr) {
    return FailedPrecondition("the step has no functions");
  }
  return ctx.step().functions->Instantiate(*function);
}

AttrValue::Func InstanceOfCall(const NodeInfo& node,
                               const NameAttrList& function) {
  NameAttrList instance = function;
  const AttrValue* const path = node.attrs.Find(builtin::kCallPath);
  instance.attrs.Set(builtin::kCallPath,
                     path != nullptr ? *path : AttrValue(node.name));
  return std::make_shared<const NameAttrList>(std::move(instance));
}

std::vector<Tensor> TakeInputs(KernelContext& ctx, int first) {
  std::vector<Tensor> args;
  for (int i = first; i < ctx.num_inputs(); ++i) {
    args.push_back(ctx.TakeInput(i));
  }
  return args;
}

FunctionRunner::RunDone ResultsToOutputs(KernelContext& ctx, Done done) {
  return [&ctx, done = std::move(done)](Status status,
                                        std::vector<Tensor> outputs) mutable {
    if (status.ok() && static_cast<int>(outputs.size()) != ctx.num_outputs()) {
      status = InvalidArgument("the function has ", outputs.size(),
                               " results, expected ", ctx.num_outputs());
    }
    for (size_t i = 0; status.ok() && i < outputs.size(); ++i) {
      if (outputs[i].valid()) {
        // Consumers of the output rely on the type that the node promises.
        const DataType wanted = ctx.output_type(static_cast<int>(i));
        if (outputs[i].dtype() != wanted) {
          status = InvalidArgument("result ", i, " of the function has type ",
                                   DataTypeName(outputs[i].dtype()),
                                   ", expected ", DataTypeName(wanted));
          break;
        }
        ctx.set_output(static_cast<int>(i), std::move(outputs[i]));
      } else {
        ctx.set_output_dead(static_cast<int>(i));
      }
    }
    std::move(done)(std::move(status));
  };
}

StatusOr<bool> IsTrue(const Tensor& t) {
  if (t.rank() != 0) return t.num_elements() > 0;
  if (t.dtype() == DataType::kBool) return t.scalar<bool>();
  if (t.dtype() == DataType::kString) {
    return t.scalar<StringElement>().size() > 0;
  }
  bool truth = false;
  MR_RETURN_IF_ERROR(Dispatch(RealTypes{}, t.dtype(), [&]<class T>() -> Status {
    truth = !(t.scalar<T>() == T(0));
    return OkStatus();
  }));
  return truth;
}

}  // namespace millrace::ops
