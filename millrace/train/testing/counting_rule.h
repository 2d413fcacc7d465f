// For tests: an optimizer that knows how many updates its gradients missed.
#pragma once

#include "millrace/client/ops.h"
#include "millrace/train/optimizers/optimizer.h"
#include "millrace/train/replicas/step_reads.h"

namespace millrace::train {

// For one variable, a resource, of gradients 1: subtracts each. What the
// variable lost between a step's read of it and its update is the number of
// updates by others; `worst` keeps the greatest. That is exact where updates
// come one by one.
class CountingRule final : public Optimizer {
 public:
  CountingRule() : Optimizer("Counting", /*use_locking=*/false) {}
  // Builds its state beside the variable.
  void Build(const Scope& scope, const ops::Variable& variable) {
    worst_ = ops::Variable(
        scope.ColocateWith(variable.handle()).WithOpName("worst"),
        Tensor::Scalar(0.0f), {.trainable = false, .use_resource = true});
  }
  const ops::Variable& worst() const { return worst_; }

 private:
  void Prepare(const Scope&) override {}
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const ops::Variable& variable) override {
    const Output missed =
        ops::Sub(scope, variable.value(), ValueOfNow(scope, variable));
    const Output kept = worst_.Assign(
        scope, ops::Maximum(scope, missed, ValueOfNow(scope, worst_)));
    return ops::Group(
        scope, {kept, variable.AssignSub(
                          scope.WithControlDependencies({missed}), gradient)});
  }
  Operation ApplyRows(const Scope& scope, const IndexedSlices& rows,
                      const ops::Variable& variable) override {
    return variable.ScatterSub(scope, rows);
  }

  ops::Variable worst_;
};

}  // namespace millrace::train
