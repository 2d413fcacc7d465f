// RunParts: the parts of a session's graph that each task runs, for one kind of
// run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "millrace/cluster/cluster_spec.h"
#include "millrace/cluster/master/run/client_edges.h"
#include "millrace/graph/graph_def.h"
#include "millrace/protocol/run_options.h"
#include "millrace/session/graph_state.h"

namespace millrace {

struct RunPartsOptions {
  // Returns the incarnation of a device on which nodes are placed.
  std::function<uint64_t(absl::string_view device)> incarnation;
  // Edges between tasks narrow floats to bfloat16; those to the client, too,
  // unless they end at this task.
  bool bfloat16_sendrecv = false;
  Rewrites rewrites;
  // Device and kernels for constant folding: a CPU of this task; null:
  // constants are not folded.
  Device* device = nullptr;
  const KernelTable* kernels = nullptr;
  TaskName self;
  // Inputs that are fed by other tensors of the graph.
  std::vector<TensorConnection> connections;
};

// The nodes of one task, of all its devices.
struct TaskPart {
  TaskName task;
  GraphDef graph;
  bool has_control_flow = false;
  ClientEdges edges;
};

struct RunParts {
  std::vector<TaskPart> tasks;       // in the order of their first nodes
  std::vector<DataType> feed_types;  // of the signature's feeds
};

// Prunes, rewrites and partitions the graph. NOT_FOUND and INVALID_ARGUMENT
// name the feed, fetch or target that is wrong.
StatusOr<RunParts> BuildRunParts(const GraphState& state,
                                 const RunSignature& signature,
                                 const RunPartsOptions& options);

// Partitions the graph by device, with _Arg and _Retval for feeds and fetches,
// for RunMetadata.
StatusOr<std::vector<GraphDef>> BuildPartitionGraphs(
    const GraphState& state, const RunSignature& signature,
    const RunPartsOptions& options);

}  // namespace millrace
