// Kernels of optimizers on GPUs. One text has the rules of all of them
// (apply.gpu.cu); a kernel names its rule and its inputs:
//
//   struct AdagradOnGpu {
//     static constexpr const char* kRule = "Adagrad";  // in the text
//     static constexpr const char* kNames[] = {"var", "accum"};
//     static constexpr Hyperparameter kScalars[] = {"lr"};
//     static constexpr const char* kFlag = "update_slots";  // else no
//     attribute static constexpr GradRank kGradRank = ...;            // else
//     kNotChecked
//   };
//
// DenseOnGpu takes a gradient of the variables' shape, RowsOnGpu rows of it
// with their indices; of a row that is named several times the gradients are
// applied in their order, as on CPUs. As in TensorFlow on GPUs, rows that do
// not exist are passed over, and values of scalars, which are in the device's
// memory, are not checked.
#pragma once

#include <optional>
#include <utility>

#include "absl/types/span.h"
#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/state/rows/row_order.gpu.h"
#include "millrace/ops/train/apply.h"

namespace millrace::ops {

class OptimizerOnGpu {
 public:
  struct Rule {
    const char* name;
    VariableNames variables;                   // at most 4
    absl::Span<const Hyperparameter> scalars;  // at most 6
    const char* flag;                          // null: none
    GradRank grad_rank;
  };
  // `rule` refers to constants.
  static StatusOr<OptimizerOnGpu> Make(const KernelInit& init, const Rule& rule,
                                       GradientForm form);
  Status Run(KernelContext& ctx) const;

 private:
  Status RunDense(KernelContext& ctx) const;
  Status RunRows(KernelContext& ctx) const;

  Rule rule_ = {};
  int grad_ = 0;  // inputs
  const char* grad_name_ = "grad";
  int scalars_[6] = {};
  GpuFunction update_;
  std::optional<GpuRowOrder> order_;  // of rows
};

template <class R, GradientForm kForm>
class OptimizerOnGpuOf {
 public:
  static StatusOr<OptimizerOnGpuOf> Make(const KernelInit& init) {
    OptimizerOnGpu::Rule rule = {R::kRule, R::kNames, R::kScalars, nullptr,
                                 GradRank::kNotChecked};
    if constexpr (requires { R::kFlag; }) rule.flag = R::kFlag;
    if constexpr (requires { R::kGradRank; }) rule.grad_rank = R::kGradRank;
    OptimizerOnGpuOf k;
    MR_ASSIGN_OR_RETURN(k.optimizer_, OptimizerOnGpu::Make(init, rule, kForm));
    return k;
  }
  Status Run(KernelContext& ctx) const { return optimizer_.Run(ctx); }

 private:
  OptimizerOnGpu optimizer_;
};

template <class R>
using DenseOnGpu = OptimizerOnGpuOf<R, GradientForm::kDense>;
template <class R>
using RowsOnGpu = OptimizerOnGpuOf<R, GradientForm::kRows>;

}  // namespace millrace::ops
