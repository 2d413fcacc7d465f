// Instantiates the body of a function as a graph.
#pragma once

#include "millrace/graph/graph.h"

namespace millrace {

// Returns the body of `function`, a function of the library, with its
// attributes substituted: a graph with a node "_Arg" for each input tensor and
// a node "_Retval" for each output tensor, numbered by their attribute "index";
// the other nodes have the names of the body. All nodes belong to the call,
// also those that no output needs (control outputs, stateful ops). Calls of
// other functions stay calls, so a function may call itself: code that follows
// calls bounds the depth. Returns NOT_FOUND "Function f is not defined.";
// INVALID_ARGUMENT, with the names of function and node, for a body that is not
// a valid graph.
StatusOr<Graph> InstantiateFunction(const OpRegistry& ops,
                                    const FunctionLibrary& library,
                                    const NameAttrList& function);

}  // namespace millrace
