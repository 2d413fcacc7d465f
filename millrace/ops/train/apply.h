// Locked variables and checks for all optimizer kernels.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/variable.h"
#include "millrace/ops/state/sparse_updates.h"
#include "millrace/ops/state/variable_lookup.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

using ApplyTypes = Join<FloatTypes, ComplexTypes>;
// These types as text for a kernel's declaration.
#define MR_APPLY_TYPES "T: bfloat16, complex128, complex64, double, float, half"

// The names of an optimizer's variables in errors: "var", and those of slots.
using VariableNames = absl::Span<const char* const>;

// The first inputs as variables (references or handles), one for each name,
// locked and writable for the lifetime of this object. For one kernel run.
class LockedVariables {
 public:
  // Returns INVALID_ARGUMENT "var and grad do not have the same shape[2] [3]"
  // if shapes of the variables or `grad` differ, or a type is not `type`;
  // FAILED_PRECONDITION for a variable without a value; INTERNAL "Invalid
  // variable reference." for a handle of none. `grad` may be null.
  static StatusOr<std::unique_ptr<LockedVariables>> Make(KernelContext& ctx,
                                                         VariableNames names,
                                                         DataType type,
                                                         const Tensor* grad,
                                                         const char* grad_name);

  int64_t num_elements() const { return tensors_[0]->num_elements(); }
  // Returns the value of the i-th variable.
  Tensor& tensor(int i) { return *tensors_[i]; }
  template <class T>
  T* data(int i) {
    return tensors_[i]->template mutable_flat<T>().data();
  }

 private:
  LockedVariables() = default;
  std::vector<Ref<Variable>> variables_;
  std::unique_ptr<VariableLocks> locks_;
  std::vector<Tensor*> tensors_;
};

// The part of a sparse update that is done if an index is out of bounds, and
// the text of the error; stock's optimizers differ in this.
enum class BadIndex {
  kNothingDone,     // "Index 5 at offset 1 in indices is out of range"
  kEarlierDone,     // same error; the updates before it are applied
  kEarlierDoneNth,  // so, but "indices[1] = 5 is not in [0, 5)"
};

// Whether the rank of the gradient is looked at before its dimensions, for an
// error of its own.
enum class GradRank { kNotChecked, kChecked };

// Which of an optimizer's ops a kernel is for. TensorFlow implements some rules
// in two ways, which differ if variables or gradients are not finite.
enum class GradientForm { kDense, kRows };

// Returns the number of elements in a row of variables of shape `variable`;
// INVALID_ARGUMENT unless `grad` has a row for each of `indices`, a vector.
StatusOr<int64_t> RowElements(const TensorShape& variable, const Tensor& grad,
                              const Tensor& indices, GradRank grad_rank);

// The same for sparse updates: input `grad` has a row for each of `indices`.
// Holds no lock of a whole variable, so other rows may be updated meanwhile.
class SparseVariables {
 public:
  // Returns INVALID_ARGUMENT as above, and for `indices` that are not a vector,
  // whose number differs from that of the rows of `grad`, or (kNothingDone)
  // that are out of bounds.
  static StatusOr<std::unique_ptr<SparseVariables>> Make(
      KernelContext& ctx, VariableNames names, const Tensor& grad,
      const Tensor& indices, BadIndex bad_index, GradRank grad_rank);

  int64_t row_elements() const { return row_elements_; }
  template <class T>
  T* data(int i) const {
    return rows_->mutable_elements<T>(i);
  }
  // Does what ForEachRow of sparse_updates.h does. With a bad index, returns
  // INVALID_ARGUMENT after the updates before it.
  Status ForEachRow(KernelContext& ctx,
                    absl::FunctionRef<void(int64_t row, int64_t i)> f) const;

 private:
  SparseVariables() = default;
  std::vector<Ref<Variable>> variables_;
  std::optional<VariableRows> rows_;
  CountedVector<int64_t> indices_;  // up to the first bad one
  Status bad_index_;
  int64_t row_elements_ = 1;
  Tensor grad_;
};

// Sets output 0 of a kernel on references to the variable's reference.
void PassReference(KernelContext& ctx);

// Locks the first inputs as variables and calls f<T>(variables) for the
// type T of `grad`, one of ElementTypes; passes the reference on. The errors
// are those of LockedVariables::Make.
template <class ElementTypes, class F>
Status UpdateDense(KernelContext& ctx, VariableNames names, const Tensor& grad,
                   const char* grad_name, F&& f) {
  {
    MR_ASSIGN_OR_RETURN(
        const auto variables,
        LockedVariables::Make(ctx, names, grad.dtype(), &grad, grad_name));
    ctx.to_end = true;
    MR_RETURN_IF_ERROR(
        Dispatch(ElementTypes{}, grad.dtype(), [&]<class T>() -> Status {
          return f.template operator()<T>(*variables);
        }));
  }
  PassReference(ctx);
  return OkStatus();
}

enum class ScalarRange { kAny, kPositive, kNotNegative, kNotPositive };

// A scalar input of an optimizer.
struct Hyperparameter {
  // Implicit, so that a name stands for a scalar of any value.
  constexpr Hyperparameter(const char* name, const char* error = nullptr,
                           ScalarRange range = ScalarRange::kAny)
      : name(name), error(error), range(range) {}

  const char* name;   // of the input
  const char* error;  // the text's beginning; null: "NAME is not a scalar"
  ScalarRange range;
};

// Returns an error such as "lr is not a scalar: [2]" unless the input is a
// scalar within the range.
Status CheckHyperparameter(KernelContext& ctx, int input,
                           const Hyperparameter& scalar);

template <class T>
ComputeType<T> ScalarInput(KernelContext& ctx, int input) {
  return static_cast<ComputeType<T>>(ctx.input(input).scalar<T>());
}

}  // namespace millrace::ops
