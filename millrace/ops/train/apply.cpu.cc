#include "millrace/ops/train/apply.h"

namespace millrace::ops {
namespace {

StatusOr<Ref<Variable>> VariableAt(KernelContext& ctx, int input) {
  if (ctx.ref_input(input) != nullptr) return ctx.shared_ref_input(input);
  return LookupVariable(ctx, input);
}

}  // namespace

StatusOr<std::unique_ptr<LockedVariables>> LockedVariables::Make(
    KernelContext& ctx, int count, const Tensor* grad, const char* grad_name) {
  std::unique_ptr<LockedVariables> locked(new LockedVariables);
  std::vector<Variable*> pointers;
  for (int i = 0; i < count; ++i) {
    MR_ASSIGN(Ref<Variable> variable, VariableAt(ctx, i));
    pointers.push_back(variable.get());
    locked->variables_.push_back(std::move(variable));
  }
  locked->locks_ = std::make_unique<VariableLocks>(pointers);
  for (Variable* variable : pointers) {
    if (!variable->initialized_locked()) {
      return FailedPrecondition("Attempting to use uninitialized variables: ",
                                variable->name());
    }
  }
  const TensorShape& shape = pointers[0]->value_locked().shape();
  for (int i = 1; i < count; ++i) {
    if (!(pointers[i]->value_locked().shape() == shape)) {
      return InvalidArgument("var and ", pointers[i]->name(),
                             " do not have the same shape", shape.DebugString(),
                             " ",
                             pointers[i]->value_locked().shape().DebugString());
    }
  }
  for (Variable* variable : pointers) {
    if (grad != nullptr && variable->dtype() != grad->dtype()) {
      return InvalidArgument("variable ", variable->name(), " has type ",
                             DataTypeName(variable->dtype()), ", the gradient ",
                             DataTypeName(grad->dtype()));
    }
  }
  if (grad != nullptr && !(grad->shape() == shape)) {
    return InvalidArgument("var and ", grad_name, " do not have the same shape",
                           shape.DebugString(), " ",
                           grad->shape().DebugString());
  }
  for (Variable* variable : pointers) {
    MR_ASSIGN(Tensor* const tensor,
              variable->MutableLocked(ctx.device().allocator()));
    locked->tensors_.push_back(tensor);
  }
  return locked;
}

void PassReference(KernelContext& ctx) {
  if (ctx.num_outputs() > 0) ctx.set_output_ref(0, ctx.shared_ref_input(0));
}

Status CheckHyperparameter(KernelContext& ctx, int input, const char* name) {
  if (ctx.input(input).rank() == 0) return OkStatus();
  return InvalidArgument(
      name, " is not a scalar: ", ctx.input(input).shape().DebugString());
}

}  // namespace millrace::ops
