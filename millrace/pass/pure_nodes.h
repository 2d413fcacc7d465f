// PureNodes: determines which nodes may be computed earlier, once instead of
// several times, or not at all.
#pragma once

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "millrace/graph/graph.h"
#include "millrace/pass/run_signature.h"

namespace millrace {

// The analysis of one graph, for one pass.
class PureNodes {
 public:
  explicit PureNodes(const Graph& graph) : graph_(graph) {}

  // Returns whether the node's values depend only on those of its inputs, and
  // computing them has no effect: it has no state, no reference among its
  // inputs and outputs, only plain types (handles and variants stand for state;
  // strings may be names of files), no control flow and no function, and it is
  // not a placeholder or a check.
  bool operator()(const Node& node);

 private:
  const Graph& graph_;
  absl::flat_hash_map<const OpDef*, bool> ops_;
};

// Returns the nodes that a run names as targets.
absl::flat_hash_set<NodeId> TargetsOf(const RunSignature& signature,
                                      const Graph& graph);

// Makes the readers of output `from` read `to`; control edges from the node of
// `from` are kept. Returns false and does nothing if that would take too long:
// many edges to move among many that stay.
StatusOr<bool> RedirectReaders(OutputRef from, OutputRef to, Graph* graph);

}  // namespace millrace
