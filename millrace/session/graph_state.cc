#include "millrace/session/graph_state.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/graph/attr/attr_text.h"
#include "millrace/graph/builtin_ops.h"
#include "millrace/pass/prune.h"

namespace millrace {
namespace {

// Returns TensorFlow's error of a node that names a function which the graph
// does not have; those of data sets have one of their own.
Status MissingFunction(const Node& node, const std::string& function) {
  if (node.op->role == OpRole::kCall) {
    return InvalidArgument("Failed to find function \"", function,
                           "\" in function library");
  }
  const auto is_variant = [](const ArgDef& arg) {
    return arg.type == DataType::kVariant;
  };
  const bool is_dataset =
      std::any_of(node.op->inputs.begin(), node.op->inputs.end(), is_variant) ||
      (node.op->outputs.size() == 1 && is_variant(node.op->outputs[0]));
  if (is_dataset) {
    return FailedPrecondition("Could not find required function definition ",
                              function);
  }
  return NotFound("Function ", function, " is not defined.");
}

// Checks that there are the functions that the attributes of a run's nodes
// name, before one of them runs.
Status CheckFunctions(const Graph& graph) {
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    const Node* const node = graph.node(id);
    // The gradient may be that of an op.
    if (node == nullptr || node->op->name == builtin::kSymbolicGradient)
      continue;
    for (const auto& [name, value] : node->attrs) {
      const auto* const function = value.get<AttrValue::Func>();
      if (function == nullptr || *function == nullptr ||
          absl::StartsWith(name, "_")) {
        continue;
      }
      const std::string& called = (*function)->name;
      if (called.empty() || called == builtin::kSymbolicGradient ||
          graph.library().Find(called) != nullptr) {
        continue;
      }
      return Annotate(MissingFunction(*node, called),
                      absl::StrCat("\n\t [[", NodeMark(node->name),
                                   "]] by its attribute ", name));
    }
  }
  return OkStatus();
}

}  // namespace

GraphState::GraphState(const OpRegistry* ops, const KernelTable* kernels)
    : ops_(ops),
      kernels_(kernels),
      graph_(std::make_unique<Graph>(ops)),
      library_(std::make_shared<const FunctionLibrary>()) {}

Status GraphState::Extend(const GraphDef& def,
                          const std::vector<PlaceableDevice>& devices,
                          const PlacementOptions& options) {
  // The new nodes are added to a copy if the graph is not empty, so that an
  // error changes nothing.
  std::unique_ptr<Graph> grown = graph_->num_nodes() == 0
                                     ? std::make_unique<Graph>(ops_)
                                     : std::make_unique<Graph>(graph_->Clone());
  const NodeId first = grown->num_ids();
  MR_RETURN_IF_ERROR(ImportGraphDef({}, def, grown.get()));
  for (const NodeDef& node : def.nodes) {
    if (node.op != builtin::kArg && node.op != builtin::kRetval) continue;
    MR_RETURN_IF_ERROR(
        GetAttr<int32_t>(grown->Find(node.name)->attrs, "index").status());
    return Internal("no call frame\n\t [[", NodeMark(node.name), "]] is of op ",
                    node.op,
                    ", which the graph of a session cannot have: it stands for "
                    "what a function gets or gives");
  }
  SimplePlacer placer(devices, kernels_, options);
  MR_RETURN_IF_ERROR(placer.Place(grown.get(), first));
  graph_ = std::move(grown);
  if (!def.library.functions.empty() || !def.library.gradients.empty()) {
    library_ = std::make_shared<const FunctionLibrary>(graph_->library());
  }
  ++version_;
  return OkStatus();
}

StatusOr<std::vector<Partition>> SplitForRun(const Graph& graph,
                                             const RunSignature& signature,
                                             const SplitOptions& options) {
  MR_ASSIGN_OR_RETURN(Graph pruned, PruneForRun(graph, signature));
  MR_RETURN_IF_ERROR(CheckFunctions(pruned));
  MR_RETURN_IF_ERROR(RewriteForRun(signature, options.rewrites,
                                   options.evaluate, options.kernels, &pruned));
  return PartitionGraph(pruned, options.partition);
}

}  // namespace millrace
