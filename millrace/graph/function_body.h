// The body of a function as a graph.
#pragma once

#include "millrace/graph/graph.h"

namespace millrace {

// `function` of the library with its attributes put in: a graph with a node
// "_Arg" for each input tensor and a node "_Retval" for each output tensor,
// numbered by their attribute "index"; the other nodes have the names that
// they have in the body. All nodes belong to the call, also those that no
// output needs (control outputs, stateful ops). Calls of other functions stay
// calls, so a function may call itself: whoever follows calls bounds the depth.
// NOT_FOUND "Function f is not defined."; INVALID_ARGUMENT, which names
// function and node, for a body that is no valid graph.
StatusOr<Graph> InstantiateFunction(const OpRegistry& ops,
                                    const FunctionLibrary& library,
                                    const NameAttrList& function);

}  // namespace millrace
