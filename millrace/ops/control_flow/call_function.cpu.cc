#include "millrace/ops/control_flow/call_function.h"

#include <algorithm>

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

StatusOr<ReadResults> ReadResultsOf(const KernelInit& init) {
  if (!init.HasAttr(builtin::kReadResults)) return ReadResults();
  MR_ASSIGN_OR_RETURN(std::vector<int64_t> read,
                      init.Attr<AttrValue::IntList>(builtin::kReadResults));
  for (const int64_t i : read) {
    if (i < builtin::kReadEffects || i >= init.num_outputs()) {
      return InvalidArgument("attribute ", builtin::kReadResults,
                             " names result ", i, " of ", init.num_outputs());
    }
  }
  return ReadResults(std::move(read));
}

StatusOr<FunctionRunner::Handle> InstantiateInStep(
    KernelContext& ctx, const AttrValue::Func& function,
    const ReadResults& read) {
  if (!read.has_value()) return InstantiateInStep(ctx, function);
  if (ctx.step().functions == nullptr) {
    return FailedPrecondition("the step has no functions");
  }
  return ctx.step().functions->Instantiate(*function, *read);
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
      status = Internal("Expect to produce ", ctx.num_outputs(),
                        " tensors, but only get ", outputs.size());
    }
    for (size_t i = 0; status.ok() && i < outputs.size(); ++i) {
      if (outputs[i].valid()) {
        // Consumers of the output rely on the type that the node promises.
        const DataType wanted = ctx.output_type(static_cast<int>(i));
        if (outputs[i].dtype() != wanted) {
          status = Internal("Expect ", i, "-th output is of type ",
                            DataTypeName(wanted), " but get ",
                            DataTypeName(outputs[i].dtype()));
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

FunctionRunner::RunDone ResultsToOutputs(KernelContext& ctx,
                                         const ReadResults& read, Done done) {
  if (!read.has_value()) return ResultsToOutputs(ctx, std::move(done));
  return [&ctx, to_outputs = ResultsToOutputs(ctx, std::move(done))](
             Status status, std::vector<Tensor> outputs) mutable {
    if (status.ok()) outputs.resize(static_cast<size_t>(ctx.num_outputs()));
    std::move(to_outputs)(std::move(status), std::move(outputs));
  };
}

FunctionRunner::RunDone CallResultsToOutputs(KernelContext& ctx, Done done) {
  return [&ctx, to_outputs = ResultsToOutputs(ctx, std::move(done))](
             Status status, std::vector<Tensor> outputs) mutable {
    const size_t count =
        std::min(outputs.size(), static_cast<size_t>(ctx.num_outputs()));
    for (size_t i = 0; status.ok() && i < count; ++i) {
      const DataType declared = ctx.output_type(static_cast<int>(i));
      if (!outputs[i].valid() || outputs[i].dtype() == declared) continue;
      status = Internal(
          "Output ", i, " of type ", DataTypeName(outputs[i].dtype()),
          " does not match declared output type ", DataTypeName(declared),
          " for node {{node ", ctx.node().name, "}}");
    }
    std::move(to_outputs)(std::move(status), std::move(outputs));
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
