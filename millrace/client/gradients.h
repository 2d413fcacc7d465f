// Gradients: builds the derivatives of tensors with respect to others, as nodes
// of the same graph.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "millrace/client/gradient.h"
#include "millrace/client/gradients/all_gradients.h"

namespace millrace {

struct GradientOptions {
  // What comes back to each y; none: ones.
  std::vector<Gradient> grad_ys;
  // Tensors that count as constant: nothing goes back through them.
  std::vector<Output> stop_gradients;
  // The nodes of an op's gradient go where the op is.
  bool colocate_with_ops = false;
  // All gradients of an op are there before any of them is used.
  bool gate = false;
  // Zeros instead of nothing for an x that no y depends on; for the handle of a
  // variable, of the variable's type and shape.
  bool zeros_if_unconnected = false;
};

// The derivative of the sum of all `ys` with respect to each of `xs`, in their
// order: a tensor, rows for what was only looked up by rows (Gather), or
// nothing if no y depends on it. For variables, their handles
// (Variable::handle) as xs. Nothing goes back through integers, which ys may be
// all the same.
//
// Ops are named "gradients/...". Conditionals, while loops and calls of
// functions are followed. A loop keeps what its gradient needs of each
// iteration on stacks, in the steps that compute the gradient; gradients of
// such gradients there are none. The gradient of a function, or of a
// conditional or loop made of functions (If, While), computes once more what it
// needs of the function. UNIMPLEMENTED names what cannot be done twice, as
// random numbers and reads of variables that the function changes, or the op
// that has no gradient; other errors are those of building the graph. `table`
// has the gradients.
StatusOr<std::vector<Gradient>> Gradients(
    const Scope& scope, const std::vector<Output>& ys,
    const std::vector<Output>& xs, const GradientOptions& options,
    absl::Span<const GradientDecl* const> table);
inline StatusOr<std::vector<Gradient>> Gradients(
    const Scope& scope, const std::vector<Output>& ys,
    const std::vector<Output>& xs, const GradientOptions& options = {}) {
  return Gradients(scope, ys, xs, options, AllGradients());
}

// The same with every gradient as a tensor, zeros where there is none.
Status AddSymbolicGradients(const Scope& scope, const std::vector<Output>& ys,
                            const std::vector<Output>& xs,
                            std::vector<Output>* grads,
                            absl::Span<const GradientDecl* const> table);
inline Status AddSymbolicGradients(const Scope& scope,
                                   const std::vector<Output>& ys,
                                   const std::vector<Output>& xs,
                                   std::vector<Output>* grads) {
  return AddSymbolicGradients(scope, ys, xs, grads, AllGradients());
}

}  // namespace millrace
