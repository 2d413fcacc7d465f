// FunctionDifferentiator: builds the gradients of functions. The gradients of
// ops are graph code of clients; who runs graphs gets this as a value.
#pragma once

#include "absl/types/span.h"
#include "millrace/graph/graph.h"

namespace millrace {

// Returns the gradient of `function`, a function of the library or an op, as
// the body of a function (see InstantiateFunction): its arguments are those of
// `function` and the gradients of all its results, its results the gradients
// of the arguments, zeros where there is none. `types` are those of the
// gradients, for arguments whose types do not tell. It calls
// functions of the library only. Returns NOT_FOUND "No gradient defined for
// op: X" if there is no such function or op; the error of an op of the body
// that has no gradient.
using FunctionDifferentiator = StatusOr<Graph> (*)(
    const OpRegistry& ops, const FunctionLibrary& library,
    const NameAttrList& function, absl::Span<const DataType> types);

}  // namespace millrace
