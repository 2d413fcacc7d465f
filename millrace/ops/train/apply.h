// Locked variables and checks for all optimizer kernels.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/variable.h"
#include "millrace/ops/state/sparse_updates.h"
#include "millrace/ops/state/variable_lookup.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

using ApplyTypes = Join<FloatTypes, ComplexTypes>;
// These types as text for a kernel's declaration.
#define MR_APPLY_TYPES "T: bfloat16, complex128, complex64, double, float, half"

// The first `count` inputs as variables (references or handles), locked and
// writable for the lifetime of this object. For one kernel run.
class LockedVariables {
 public:
  // Returns INVALID_ARGUMENT "var and grad do not have the same shape[2] [3]"
  // if shapes of the variables or `grad` differ; FAILED_PRECONDITION for a
  // variable without a value.
  static StatusOr<std::unique_ptr<LockedVariables>> Make(KernelContext& ctx,
                                                         int count,
                                                         const Tensor* grad,
                                                         const char* grad_name);

  int64_t num_elements() const { return tensors_[0]->num_elements(); }
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

// The same for sparse updates: input `grad` has a row for each of `indices`.
// Holds no lock of a whole variable, so other rows may be updated meanwhile.
class SparseVariables {
 public:
  // Returns INVALID_ARGUMENT as above, and for `indices` that are not a vector,
  // whose number differs from that of the rows of `grad`, or (kNothingDone)
  // that are out of bounds.
  static StatusOr<std::unique_ptr<SparseVariables>> Make(
      KernelContext& ctx, int count, const Tensor& grad, const Tensor& indices,
      BadIndex bad_index = BadIndex::kNothingDone);

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
  std::vector<int64_t> indices_;  // up to the first bad one
  Status bad_index_;
  int64_t row_elements_ = 1;
  Tensor grad_;
};

// Sets output 0 of a kernel on references to the variable's reference.
void PassReference(KernelContext& ctx);

// Locks the first `count` inputs as variables and calls f<T>(variables) for the
// type T of `grad`, one of ElementTypes; passes the reference on. The errors
// are those of LockedVariables::Make.
template <class ElementTypes, class F>
Status UpdateDense(KernelContext& ctx, int count, const Tensor& grad,
                   const char* grad_name, F&& f) {
  {
    MR_ASSIGN_OR_RETURN(const auto variables,
                        LockedVariables::Make(ctx, count, &grad, grad_name));
    ctx.to_end = true;
    MR_RETURN_IF_ERROR(
        Dispatch(ElementTypes{}, grad.dtype(), [&]<class T>() -> Status {
          return f.template operator()<T>(*variables);
        }));
  }
  PassReference(ctx);
  return OkStatus();
}

// Returns an error such as "lr is not a scalar: [2]" unless the input is a
// scalar.
Status CheckHyperparameter(KernelContext& ctx, int input, const char* name);

template <class T>
ComputeType<T> ScalarInput(KernelContext& ctx, int input) {
  return static_cast<ComputeType<T>>(ctx.input(input).scalar<T>());
}

}  // namespace millrace::ops
