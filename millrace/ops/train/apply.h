// What all optimizer kernels share.
#pragma once

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/variable.h"
#include "millrace/ops/state/variable_lookup.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

using ApplyTypes = Join<FloatTypes, ComplexTypes>;

// The first `count` inputs as variables (references or handles), locked and
// writable for the lifetime of this object. One kernel run.
class LockedVariables {
 public:
  // INVALID_ARGUMENT if shapes of the variables or `grad` differ, "var and
  // grad do not have the same shape[2] [3]"; FAILED_PRECONDITION for a variable
  // without a value.
  static StatusOr<std::unique_ptr<LockedVariables>> Make(
      KernelContext& ctx, int count, const Tensor* grad,
      const char* grad_name = "grad");

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

// Reference kernels give the variable's reference as output 0.
void PassReference(KernelContext& ctx);

// "lr is not a scalar: [2]".
Status CheckHyperparameter(KernelContext& ctx, int input, const char* name);

template <class T>
ComputeType<T> ScalarInput(KernelContext& ctx, int input) {
  return static_cast<ComputeType<T>>(ctx.input(input).scalar<T>());
}

}  // namespace millrace::ops
