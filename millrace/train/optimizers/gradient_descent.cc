#include "millrace/train/optimizers/gradient_descent.h"

#include "millrace/client/op_builder.h"
#include "millrace/client/ops.h"

namespace millrace::train {

GradientDescentOptimizer::GradientDescentOptimizer(
    const Input& learning_rate, const GradientDescentOptimizerOptions& options)
    : Optimizer(options.name, options.use_locking),
      learning_rate_(learning_rate, "learning_rate") {}

void GradientDescentOptimizer::Prepare(const Scope& block) {
  learning_rate_.StartBlock(block);
}

Operation GradientDescentOptimizer::ApplyDense(const Scope& scope,
                                               const Output& gradient,
                                               const ops::Variable& variable) {
  OpBuilder apply(scope, DenseUpdateOp(variable, "GradientDescent"));
  apply.In(variable.handle()).In(learning_rate_.For(variable)).In(gradient);
  return apply.Attr("use_locking", use_locking()).Finish();
}

Operation GradientDescentOptimizer::ApplyRows(const Scope& scope,
                                              const IndexedSlices& rows,
                                              const ops::Variable& variable) {
  IndexedSlices delta = rows;
  delta.values = ops::Mul(scope, rows.values, learning_rate_.For(variable));
  return variable.ScatterSub(scope, delta);
}

}  // namespace millrace::train
