// Gradients: builds the derivatives of tensors with respect to others, as nodes
// of the same graph.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "millrace/client/gradient.h"
#include "millrace/client/gradients/all_gradients.h"

namespace millrace::ops {

// A gradient function made at run time. Empty: nothing goes back through the
// op, without an error.
using GradientFunction = std::function<void(GradContext&)>;

struct GradientsOptions {
  // The incoming gradient of each y; none: ones.
  std::vector<Gradient> grad_ys;
  // Tensors that count as constant: no gradient flows back through them.
  std::vector<Output> stop_gradients;
  // Whether the nodes of an op's gradient are colocated with the op.
  bool colocate_with_ops = false;
  // Whether all gradients of an op are computed before any of them is used.
  bool gate = false;
  // Whether an x on which no y depends gets zeros instead of no gradient; for
  // the handle of a variable, zeros of the variable's type and shape.
  bool zeros_if_unconnected = false;
  // Returns the function for an op that has another one than the table's;
  // nullopt: the table's. Called when the op's gradient is due.
  std::function<StatusOr<std::optional<GradientFunction>>(const Operation&)>
      find_function;
};

// Returns the derivative of the sum of all `ys` with respect to each of `xs`,
// in their order: dense, sparse if x was only read by rows (Gather), also after
// it was concatenated, cast, negated or added to others (AddN), or none if no y
// depends on it. For variables, pass their handles (Variable::handle) as xs. No
// gradient flows back through integers, but ys may be integers; of those, a
// gradient given in a floating type goes on through the op that made them, such
// as Cast.
//
// The new ops are named "gradients/...". Conditionals, while loops and function
// calls are differentiated. Where one branch has rows, a tensor or nothing in
// another is all rows there, as in TensorFlow. A loop keeps the values that its
// gradient needs of each iteration on stacks, in the steps that compute the
// gradient; gradients of such gradients are not supported. The gradient of a
// function, or of a conditional or loop made of functions (If, While),
// recomputes what it needs of the function. An op that cannot be recomputed,
// such as random numbers and reads of variables that the function changes, and
// an op without a gradient function are UNIMPLEMENTED, with their names; at an
// op declared by MR_NO_GRADIENT the gradient ends without an error. After an
// error, which the graph keeps, all gradients are none. `table` holds the
// gradient functions.
std::vector<Gradient> Gradients(const Scope& scope,
                                const std::vector<Output>& ys,
                                const std::vector<Output>& xs,
                                const GradientsOptions& options,
                                absl::Span<const GradientDecl* const> table);
inline std::vector<Gradient> Gradients(const Scope& scope,
                                       const std::vector<Output>& ys,
                                       const std::vector<Output>& xs,
                                       const GradientsOptions& options = {}) {
  return Gradients(scope, ys, xs, options, AllGradients());
}

// Like Gradients, with every gradient dense, and zeros where there is none;
// nulls after an error.
std::vector<Output> AddSymbolicGradients(
    const Scope& scope, const std::vector<Output>& ys,
    const std::vector<Output>& xs, absl::Span<const GradientDecl* const> table);
inline std::vector<Output> AddSymbolicGradients(const Scope& scope,
                                                const std::vector<Output>& ys,
                                                const std::vector<Output>& xs) {
  return AddSymbolicGradients(scope, ys, xs, AllGradients());
}

}  // namespace millrace::ops
