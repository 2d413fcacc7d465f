// Splits a session's graph for one kind of run into what each task runs.
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
  // Incarnation of a device that nodes are placed on.
  std::function<uint64_t(absl::string_view device)> incarnation;
  // Edges between tasks narrow floats to bfloat16; those to the client, too,
  // unless they end at this task.
  bool bfloat16_sendrecv = false;
  Rewrites rewrites;
  // What constants are folded by: a CPU of this task, null for none, and the
  // kernels for it.
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

// NOT_FOUND and INVALID_ARGUMENT name the feed, fetch or target that is wrong.
StatusOr<RunParts> BuildRunParts(const GraphState& state,
                                 const RunSignature& signature,
                                 const RunPartsOptions& options);

// The same split by device with _Arg and _Retval for feeds and fetches, for
// RunMetadata.
StatusOr<std::vector<GraphDef>> BuildPartitionGraphs(
    const GraphState& state, const RunSignature& signature,
    const RunPartsOptions& options);

}  // namespace millrace
