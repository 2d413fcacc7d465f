#include "millrace/ops/control_flow/function_writer.grad.h"

#include <utility>

#include "millrace/client/op_builder.h"

namespace millrace::ops {
namespace {

std::string ArgName(int64_t index) { return absl::StrCat("arg_", index); }

// Returns "node:argument:index", or the name of an argument of the function.
StatusOr<std::string> NameOf(const Graph& graph, OutputRef output) {
  const Node& node = *graph.node(output.node);
  if (node.IsOp("_Arg")) {
    MR_ASSIGN_OR_RETURN(const int64_t index,
                        GetAttr<int64_t>(node.attrs, "index"));
    return ArgName(index);
  }
  for (const ArgDef& arg : node.op->outputs) {
    MR_ASSIGN_OR_RETURN(const auto range,
                        FindArgRange(node.op->outputs, node.attrs, arg.name));
    if (output.port >= range.begin && output.port < range.end) {
      return absl::StrCat(node.name, ":", arg.name, ":",
                          output.port - range.begin);
    }
  }
  return Internal("{{node ", node.name, "}} has no output ", output.port);
}

// Returns the nodes that the outputs depend on, in the order of the graph.
std::vector<NodeId> Needed(const Graph& graph,
                           const std::vector<Output>& outputs) {
  std::vector<bool> needed(static_cast<size_t>(graph.num_ids()));
  std::vector<NodeId> queue;
  const auto need = [&](NodeId id) {
    if (id == kNoNode || needed[static_cast<size_t>(id)]) return;
    needed[static_cast<size_t>(id)] = true;
    queue.push_back(id);
  };
  for (const Output& output : outputs) need(output.ref().node);
  while (!queue.empty()) {
    const Node& node = *graph.node(queue.back());
    queue.pop_back();
    for (const OutputRef& in : node.inputs) need(in.node);
    for (NodeId control : node.control_inputs) need(control);
  }
  std::vector<NodeId> ids;
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (needed[static_cast<size_t>(id)]) ids.push_back(id);
  }
  return ids;
}

StatusOr<NodeDef> DefOf(const Graph& graph, const Node& node) {
  NodeDef def;
  def.name = node.name;
  def.op = node.op->name;
  def.device = node.requested_device;
  def.attrs = node.attrs;
  for (const OutputRef& in : node.inputs) {
    MR_ASSIGN_OR_RETURN(std::string name, NameOf(graph, in));
    def.inputs.push_back(std::move(name));
  }
  for (NodeId control : node.control_inputs) {
    const Node& from = *graph.node(control);
    if (!from.IsOp("_Arg")) def.inputs.push_back(absl::StrCat("^", from.name));
  }
  return def;
}

Status WriteBody(const Graph& graph, const std::vector<Output>& results,
                 absl::FunctionRef<Status(const Node& node)> check,
                 FunctionDef* function) {
  for (size_t i = 0; i < results.size(); ++i) {
    ArgDef result;
    result.name = absl::StrCat("result_", i);
    result.type = results[i].dtype();
    MR_ASSIGN_OR_RETURN(std::string name, NameOf(graph, results[i].ref()));
    function->ret.emplace_back(result.name, std::move(name));
    function->signature.outputs.push_back(std::move(result));
  }
  for (NodeId id : Needed(graph, results)) {
    const Node& node = *graph.node(id);
    if (node.IsOp("_Arg")) continue;
    MR_RETURN_IF_ERROR(check(node));
    if (node.op->Is(kStateful)) function->signature.flags |= kStateful;
    MR_ASSIGN_OR_RETURN(NodeDef def, DefOf(graph, node));
    function->nodes.push_back(std::move(def));
  }
  return OkStatus();
}

}  // namespace

Output FunctionArg(const Scope& scope, DataType type, int64_t index) {
  OpBuilder arg(scope.WithOpName("arg"), "_Arg");
  arg.Attr("T", type).Attr("index", index);
  arg.Finish();
  return arg.Out(0);
}

StatusOr<FunctionDef> WriteFunction(
    const Scope& scope, const std::string& name,
    const std::vector<Output>& args, const std::vector<Output>& results,
    absl::FunctionRef<Status(const Node& node)> check) {
  MR_RETURN_IF_ERROR(scope.status());
  FunctionDef function;
  function.signature.name = name;
  for (size_t i = 0; i < args.size(); ++i) {
    ArgDef arg;
    arg.name = ArgName(static_cast<int64_t>(i));
    arg.type = args[i].dtype();
    function.signature.inputs.push_back(std::move(arg));
  }
  Status status;
  scope.graph().Read([&](const Graph& graph) {
    status = WriteBody(graph, results, check, &function);
  });
  MR_RETURN_IF_ERROR(status);
  return function;
}

StatusOr<FunctionDef> WriteFunction(const Scope& scope, const std::string& name,
                                    const std::vector<Output>& args,
                                    const std::vector<Output>& results) {
  return WriteFunction(scope, name, args, results,
                       [](const Node&) { return OkStatus(); });
}

StatusOr<NameAttrList> AddFunctionTo(ClientGraph& outer, const Scope& scope,
                                     FunctionDef function) {
  FunctionLibraryDef library;
  scope.graph().Read(
      [&](const Graph& graph) { library = graph.library().ToDef(); });
  MR_RETURN_IF_ERROR(outer.AddFunctions(library));
  const std::string base = function.signature.name;
  std::string& name = function.signature.name;
  outer.Read([&](const Graph& graph) {
    for (int i = 1; graph.library().Find(name) != nullptr; ++i)
      name = absl::StrCat(base, "_", i);
  });
  NameAttrList f;
  f.name = name;
  MR_RETURN_IF_ERROR(outer.AddFunction(std::move(function)));
  return f;
}

StatusOr<NameAttrList> BuildFunction(
    ClientGraph& caller, const std::string& name,
    const std::vector<DataType>& arg_types,
    absl::FunctionRef<std::vector<Output>(const Scope& scope,
                                          const std::vector<Output>& args)>
        build) {
  const Scope scope = Scope::NewRoot(caller.ops());
  FunctionLibraryDef library;
  caller.Read([&](const Graph& graph) { library = graph.library().ToDef(); });
  MR_RETURN_IF_ERROR(scope.graph().AddFunctions(library));
  std::vector<Output> args;
  for (DataType type : arg_types) {
    args.push_back(FunctionArg(scope, type, static_cast<int64_t>(args.size())));
  }
  const std::vector<Output> results = build(scope, args);
  MR_ASSIGN_OR_RETURN(FunctionDef function,
                      WriteFunction(scope, name, args, results));
  return AddFunctionTo(caller, scope, std::move(function));
}

std::vector<Output> CallFunction(const Scope& scope, const NameAttrList& f,
                                 bool is_stateful,
                                 const std::vector<Output>& args,
                                 const std::vector<DataType>& result_types) {
  OpBuilder call(scope,
                 is_stateful ? "StatefulPartitionedCall" : "PartitionedCall");
  call.In(InputList(args)).Attr("f", f).Attr("Tout", result_types);
  call.Finish();
  std::vector<Output> results = call.OutList(0);
  results.resize(result_types.size());  // null outputs after an error
  return results;
}

}  // namespace millrace::ops
