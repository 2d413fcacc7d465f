// PureNodes: which nodes may be computed earlier, once for several, or not at
// all.
#pragma once

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "millrace/graph/graph.h"
#include "millrace/pass/run_signature.h"

namespace millrace {

// For one pass over one graph.
class PureNodes {
 public:
  explicit PureNodes(const Graph& graph) : graph_(graph) {}

  // The node's values depend on those of its inputs alone, and computing them
  // has no effect: no state, no reference among inputs and outputs, only plain
  // types (handles and variants stand for state; names of files are strings),
  // no control flow, no function, nothing that is there to be fed or to fail.
  bool operator()(const Node& node);

 private:
  const Graph& graph_;
  absl::flat_hash_map<const OpDef*, bool> ops_;
};

// The nodes that a run names as targets.
absl::flat_hash_set<NodeId> TargetsOf(const RunSignature& signature,
                                      const Graph& graph);

// Readers of output `from` read `to` from now on; who waits for the node of
// `from` still does. False, and nothing happens, where that would take too
// long: many edges to move among many that stay.
StatusOr<bool> RedirectReaders(OutputRef from, OutputRef to, Graph* graph);

}  // namespace millrace
