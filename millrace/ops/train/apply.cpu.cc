#include "millrace/ops/train/apply.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace millrace::ops {
namespace {

StatusOr<Ref<Variable>> OptimizerVariable(KernelContext& ctx, int input) {
  StatusOr<Ref<Variable>> found = VariableAt(ctx, input);
  if (!found.ok()) return Internal("Invalid variable reference.");
  return found;
}

Status CheckGradientType(const Variable& variable, DataType type) {
  if (variable.dtype() == type) return OkStatus();
  return InvalidArgument("variable ", variable.name(), " has type ",
                         DataTypeName(variable.dtype()), ", the gradient ",
                         DataTypeName(type));
}

template <class S>
bool InRange(S value, ScalarRange range) {
  switch (range) {
    case ScalarRange::kPositive:
      return value > S(0);
    case ScalarRange::kNotNegative:
      return value >= S(0);
    case ScalarRange::kNotPositive:
      return value <= S(0);
    case ScalarRange::kAny:
      break;
  }
  return true;
}

}  // namespace

StatusOr<std::unique_ptr<LockedVariables>> LockedVariables::Make(
    KernelContext& ctx, VariableNames names, DataType type, const Tensor* grad,
    const char* grad_name) {
  const int count = static_cast<int>(names.size());
  std::unique_ptr<LockedVariables> locked(new LockedVariables);
  std::vector<Variable*> pointers;
  for (int i = 0; i < count; ++i) {
    MR_ASSIGN_OR_RETURN(Ref<Variable> variable, OptimizerVariable(ctx, i));
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
      return InvalidArgument("var and ", names[static_cast<size_t>(i)],
                             " do not have the same shape", shape.DebugString(),
                             " ",
                             pointers[i]->value_locked().shape().DebugString());
    }
  }
  for (Variable* variable : pointers) {
    MR_RETURN_IF_ERROR(CheckGradientType(*variable, type));
  }
  if (grad != nullptr && !(grad->shape() == shape)) {
    return InvalidArgument("var and ", grad_name, " do not have the same shape",
                           shape.DebugString(), " ",
                           grad->shape().DebugString());
  }
  for (Variable* variable : pointers) {
    MR_ASSIGN_OR_RETURN(Tensor* const tensor,
                        variable->MutableLocked(ctx.allocator()));
    locked->tensors_.push_back(tensor);
  }
  return locked;
}

StatusOr<int64_t> RowElements(const TensorShape& variable, const Tensor& grad,
                              const Tensor& indices, GradRank grad_rank) {
  if (variable.rank() == 0) {
    return InvalidArgument("var must be at least 1 dimensional");
  }
  if (indices.rank() != 1) {
    return InvalidArgument("indices must be one-dimensional");
  }
  if (grad_rank == GradRank::kChecked && grad.rank() != variable.rank()) {
    return InvalidArgument(
        "grad must have the same number of dimensions as var, ",
        variable.rank(), ", and has the shape ", grad.shape().DebugString());
  }
  for (int d = 1; d < variable.rank(); ++d) {
    if (grad.rank() != variable.rank() || grad.dim(d) != variable.dim(d)) {
      return InvalidArgument("var and grad must match in dimension ", d);
    }
  }
  if (grad.rank() != variable.rank() || grad.dim(0) != indices.dim(0)) {
    return InvalidArgument(
        "grad must be the same size as indices in the first dimension.");
  }
  return variable.NumElements(1, variable.rank());
}

StatusOr<std::unique_ptr<SparseVariables>> SparseVariables::Make(
    KernelContext& ctx, VariableNames names, const Tensor& grad,
    const Tensor& indices, BadIndex bad_index, GradRank grad_rank) {
  const int count = static_cast<int>(names.size());
  std::unique_ptr<SparseVariables> made(new SparseVariables);
  std::vector<Variable*> pointers;
  for (int i = 0; i < count; ++i) {
    MR_ASSIGN_OR_RETURN(Ref<Variable> variable, OptimizerVariable(ctx, i));
    MR_RETURN_IF_ERROR(CheckGradientType(*variable, grad.dtype()));
    pointers.push_back(variable.get());
    made->variables_.push_back(std::move(variable));
  }
  MR_ASSIGN_OR_RETURN(
      auto rows,
      VariableRows::Make(pointers, VariableRows::kUpdate, ctx.allocator()));
  made->rows_.emplace(std::move(rows));
  const TensorShape& shape = made->rows_->value(0).shape();
  for (int i = 1; i < count; ++i) {
    const TensorShape& other = made->rows_->value(i).shape();
    if (other == shape) continue;
    return InvalidArgument("var and ", names[static_cast<size_t>(i)],
                           " do not have the same shape", shape.DebugString(),
                           " ", other.DebugString());
  }
  MR_ASSIGN_OR_RETURN(made->row_elements_,
                      RowElements(shape, grad, indices, grad_rank));
  made->grad_ = grad;
  made->indices_ = ManyIntValues(indices);
  for (size_t i = 0; i < made->indices_.size(); ++i) {
    const int64_t row = made->indices_[i];
    if (row >= 0 && row < shape.dim(0)) continue;
    made->bad_index_ =
        bad_index == BadIndex::kEarlierDoneNth
            ? InvalidArgument("indices[", i, "] = ", row, " is not in [0, ",
                              shape.dim(0), ")")
            : InvalidArgument("Index ", row, " at offset ", i,
                              " in indices is out of range");
    if (bad_index == BadIndex::kNothingDone) return made->bad_index_;
    made->indices_.resize(i);
  }
  return made;
}

Status SparseVariables::ForEachRow(
    KernelContext& ctx,
    absl::FunctionRef<void(int64_t row, int64_t i)> f) const {
  SparseUpdates updates;
  updates.indices = indices_;
  updates.row_bytes =
      row_elements_ * static_cast<int64_t>(SizeOf(grad_.dtype()));
  updates.updates = grad_.data();
  updates.row_nanos = 8 + row_elements_;
  MR_RETURN_IF_ERROR(ops::ForEachRow(ctx, *rows_, updates, f));
  return bad_index_;
}

void PassReference(KernelContext& ctx) {
  if (ctx.num_outputs() > 0) ctx.set_output_ref(0, ctx.shared_ref_input(0));
}

Status CheckHyperparameter(KernelContext& ctx, int input,
                           const Hyperparameter& scalar) {
  const Tensor& t = ctx.input(input);
  if (t.rank() == 0 && scalar.range == ScalarRange::kAny) return OkStatus();
  const std::string error = scalar.error != nullptr
                                ? std::string(scalar.error)
                                : absl::StrCat(scalar.name, " is not a scalar");
  if (t.rank() != 0) {
    return InvalidArgument(error, ": ", t.shape().DebugString());
  }
  return Dispatch(FloatTypes{}, t.dtype(), [&]<class T>() -> Status {
    const ComputeType<T> value = ScalarInput<T>(ctx, input);
    if (InRange(value, scalar.range)) return OkStatus();
    return InvalidArgument(error, ": [], with the value ", value);
  });
}

}  // namespace millrace::ops
