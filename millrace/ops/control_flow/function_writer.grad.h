// Writes a part of a graph as a function.
#pragma once

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "millrace/client/scope.h"

namespace millrace::ops {

// Returns an argument of the function that the graph of `scope` becomes.
Output FunctionArg(const Scope& scope, DataType type, int64_t index);

// Returns a function of `args` that computes `results`, with the nodes they
// depend on. `args` are all outputs of "_Arg" nodes of the graph, by number.
// `check` is called with every other node.
StatusOr<FunctionDef> WriteFunction(
    const Scope& scope, const std::string& name,
    const std::vector<Output>& args, const std::vector<Output>& results,
    absl::FunctionRef<Status(const Node& node)> check);
StatusOr<FunctionDef> WriteFunction(const Scope& scope, const std::string& name,
                                    const std::vector<Output>& args,
                                    const std::vector<Output>& results);

// Adds the function, and those that its graph holds, to `outer` under the first
// free name: its own, or that with "_1", "_2", ... appended. Returns the
// function to call.
StatusOr<NameAttrList> AddFunctionTo(ClientGraph& outer, const Scope& scope,
                                     FunctionDef function);

// Adds a function to `caller` under `name` unless the name is taken. `build`
// returns its results, made of nodes in the scope that it gets; the functions
// of `caller` are known there.
StatusOr<NameAttrList> BuildFunction(
    ClientGraph& caller, const std::string& name,
    const std::vector<DataType>& arg_types,
    absl::FunctionRef<std::vector<Output>(const Scope& scope,
                                          const std::vector<Output>& args)>
        build);

// Adds a node that calls `f` of the graph, and returns its results.
// `is_stateful` says whether the function has state or effects.
std::vector<Output> CallFunction(const Scope& scope, const NameAttrList& f,
                                 bool is_stateful,
                                 const std::vector<Output>& args,
                                 const std::vector<DataType>& result_types);

}  // namespace millrace::ops
