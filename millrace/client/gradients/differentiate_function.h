// DifferentiateFunction: builds the gradient of a function of a library, for
// those who run graphs in which a node asks for it.
#pragma once

#include "millrace/client/gradients/all_gradients.h"
#include "millrace/graph/function/differentiator.h"

namespace millrace {

// Does what FunctionDifferentiator says, with the gradient functions of
// `table`. Ops of the body run once more with the gradient, whatever effects
// they have, as in TensorFlow. The gradients of functions that the body calls
// are left to nodes of op SymbolicGradient; functional conditionals and loops
// have none, as in TensorFlow. Takes time proportional to the body.
StatusOr<Graph> DifferentiateFunctionBy(
    absl::Span<const GradientDecl* const> table, const OpRegistry& ops,
    const FunctionLibrary& library, const NameAttrList& function,
    absl::Span<const DataType> types);

// Is a FunctionDifferentiator, with the gradients of all ops.
inline StatusOr<Graph> DifferentiateFunction(const OpRegistry& ops,
                                             const FunctionLibrary& library,
                                             const NameAttrList& function,
                                             absl::Span<const DataType> types) {
  return DifferentiateFunctionBy(AllGradients(), ops, library, function, types);
}

}  // namespace millrace
