#include "millrace/session/graph_state.h"

#include "millrace/graph/builtin_ops.h"
#include "millrace/pass/prune.h"

namespace millrace {

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
  for (const NodeDef& node : def.nodes) {
    if (node.op != builtin::kArg && node.op != builtin::kRetval) continue;
    return InvalidArgument("{{node ", node.name, "}} is of op ", node.op,
                           ", which the graph of a session cannot have: it "
                           "stands for what a function gets or gives");
  }
  const NodeId first = grown->num_ids();
  MR_RETURN_IF_ERROR(ImportGraphDef({}, def, grown.get()));
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
  MR_RETURN_IF_ERROR(RewriteForRun(signature, options.rewrites,
                                   options.evaluate, options.kernels, &pruned));
  return PartitionGraph(pruned, options.partition);
}

}  // namespace millrace
