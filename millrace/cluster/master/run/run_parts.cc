#include "millrace/cluster/master/run/run_parts.h"

#include <map>
#include <utility>

#include "millrace/exec/constant_evaluator.h"
#include "millrace/graph/import.h"

namespace millrace {
namespace {

bool HasControlFlow(const Graph& graph) {
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    const Node* const node = graph.node(id);
    if (node != nullptr && IsControlFlow(node->op->role)) return true;
  }
  return false;
}

// Makes the consumers of `to` use `from` instead.
Status Connect(const TensorConnection& connection, Graph* graph) {
  MR_ASSIGN_OR_RETURN(
      const OutputRef from,
      FindOutput(*graph, connection.from_tensor, "tensor_connection from"));
  MR_ASSIGN_OR_RETURN(
      const OutputRef to,
      FindOutput(*graph, connection.to_tensor, "tensor_connection to"));
  std::vector<OutEdge> edges;
  for (const OutEdge& edge : graph->node(to.node)->out_edges) {
    if (edge.port == to.port && edge.dst_port != kControlPort) {
      edges.push_back(edge);
    }
  }
  for (const OutEdge& edge : edges) {
    MR_RETURN_IF_ERROR(
        graph->SetInput(graph->node(edge.dst), edge.dst_port, from));
  }
  return OkStatus();
}

StatusOr<std::vector<Partition>> Split(const GraphState& state,
                                       const RunSignature& signature,
                                       const RunPartsOptions& options) {
  const SplitOptions split{
      .partition = {.incarnation = options.incarnation,
                    .bfloat16_sendrecv = options.bfloat16_sendrecv},
      .rewrites = options.rewrites,
      .evaluate = options.device == nullptr
                      ? ConstantEvaluator()
                      : MakeConstantEvaluator(options.kernels, options.device),
      .kernels = options.kernels};
  if (options.connections.empty()) {
    return SplitForRun(state.graph(), signature, split);
  }
  Graph graph = state.graph().Clone();
  for (const TensorConnection& connection : options.connections) {
    MR_RETURN_IF_ERROR(Connect(connection, &graph));
  }
  // A connection may create a cycle.
  MR_RETURN_IF_ERROR(TopologicalOrder(graph).status());
  return SplitForRun(graph, signature, split);
}

}  // namespace

StatusOr<RunParts> BuildRunParts(const GraphState& state,
                                 const RunSignature& signature,
                                 const RunPartsOptions& options) {
  RunParts parts;
  for (const std::string& feed : signature.feeds) {
    MR_ASSIGN_OR_RETURN(const OutputRef output,
                        FindOutput(state.graph(), feed, "FeedInputs:"));
    parts.feed_types.push_back(
        RemoveRef(state.graph().node(output.node)->output_types[output.port]));
  }
  MR_ASSIGN_OR_RETURN(std::vector<Partition> partitions,
                      Split(state, signature, options));
  std::map<TaskName, size_t> by_task;
  for (Partition& partition : partitions) {
    MR_ASSIGN_OR_RETURN(const TaskName task, TaskName::Parse(partition.device));
    const auto [it, added] = by_task.try_emplace(task, parts.tasks.size());
    GraphDef def = ExportGraphDef(partition.graph);
    if (added) {
      parts.tasks.push_back(
          {.task = task, .graph = {}, .has_control_flow = false, .edges = {}});
      parts.tasks.back().graph.library = std::move(def.library);
      parts.tasks.back().graph.versions = def.versions;
    }
    TaskPart& part = parts.tasks[it->second];
    part.has_control_flow |= HasControlFlow(partition.graph);
    const size_t first = part.graph.nodes.size();
    for (NodeDef& node : def.nodes) {
      part.graph.nodes.push_back(std::move(node));
    }
    MR_RETURN_IF_ERROR(TerminateAtClient(
        &part.graph, first, partition.device,
        options.incarnation(partition.device),
        options.bfloat16_sendrecv && task != options.self, &part.edges));
  }
  return parts;
}

StatusOr<std::vector<GraphDef>> BuildPartitionGraphs(
    const GraphState& state, const RunSignature& signature,
    const RunPartsOptions& options) {
  MR_ASSIGN_OR_RETURN(const std::vector<Partition> partitions,
                      Split(state, signature, options));
  std::vector<GraphDef> graphs;
  graphs.reserve(partitions.size());
  for (const Partition& partition : partitions) {
    graphs.push_back(ExportGraphDef(partition.graph));
  }
  return graphs;
}

}  // namespace millrace
