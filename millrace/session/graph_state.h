// GraphState: the graph of a session as it grows, placed, and its partitions
// for a run. Used by local sessions and by the master of a cluster session.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/graph/import.h"
#include "millrace/pass/partition.h"
#include "millrace/pass/place.h"
#include "millrace/pass/rewrites.h"
#include "millrace/pass/run_signature.h"

namespace millrace {

struct SplitOptions {
  PartitionOptions partition;
  Rewrites rewrites;  // fusion is left to the receiver of a partition
  // The evaluator of constant folding; empty: constants are not folded.
  ConstantEvaluator evaluate;
  const KernelTable* kernels = nullptr;  // as for RewriteForRun
};

// Prunes a placed graph for a run, rewrites it and partitions it by device.
StatusOr<std::vector<Partition>> SplitForRun(const Graph& graph,
                                             const RunSignature& signature,
                                             const SplitOptions& options);

// The graph of a session and its functions. For one thread at a time.
class GraphState {
 public:
  GraphState(const OpRegistry* ops, const KernelTable* kernels);

  // Adds nodes and functions and places them, or changes nothing. Devices may
  // be added between calls (tasks join when the graph begins to use them).
  Status Extend(const GraphDef& def,
                const std::vector<PlaceableDevice>& devices,
                const PlacementOptions& options);

  const Graph& graph() const { return *graph_; }
  int64_t version() const { return version_; }
  // Returns the graph's functions, as a stable object for plans.
  const std::shared_ptr<const FunctionLibrary>& library() const {
    return library_;
  }

 private:
  const OpRegistry* const ops_;
  const KernelTable* const kernels_;
  std::unique_ptr<Graph> graph_;
  std::shared_ptr<const FunctionLibrary> library_;
  int64_t version_ = 0;
};

}  // namespace millrace
