// Part of a graph as a function.
#pragma once

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "millrace/client/scope.h"

namespace millrace::ops {

// An argument of the function that the graph of `scope` becomes.
Output FunctionArg(const Scope& scope, DataType type, int64_t index);

// What `results` need, as a function of `args`, which are all outputs of "_Arg"
// nodes of the graph, by number. `check` is asked about every other node.
StatusOr<FunctionDef> WriteFunction(
    const Scope& scope, const std::string& name,
    const std::vector<Output>& args, const std::vector<Output>& results,
    absl::FunctionRef<Status(const Node& node)> check);
StatusOr<FunctionDef> WriteFunction(const Scope& scope, const std::string& name,
                                    const std::vector<Output>& args,
                                    const std::vector<Output>& results);

// Adds the function and all that its graph has to `outer`, under the first name
// that is free: that of the function, or with "_1", "_2", ... behind it. Gives
// what calls it.
StatusOr<NameAttrList> AddFunctionTo(ClientGraph& outer, const Scope& scope,
                                     FunctionDef function);

// Adds a function to `caller` under `name`, if that is free. `build` gives its
// results, with nodes of the scope, in which the functions of `caller` are
// known.
StatusOr<NameAttrList> BuildFunction(
    ClientGraph& caller, const std::string& name,
    const std::vector<DataType>& arg_types,
    absl::FunctionRef<std::vector<Output>(const Scope& scope,
                                          const std::vector<Output>& args)>
        build);

// Calls `f` of the graph; `is_stateful`: it has state or effects.
std::vector<Output> CallFunction(const Scope& scope, const NameAttrList& f,
                                 bool is_stateful,
                                 const std::vector<Output>& args,
                                 const std::vector<DataType>& result_types);

}  // namespace millrace::ops
