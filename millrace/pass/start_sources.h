// StartSources: determines which events the start of a node depends on.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/graph/graph.h"

namespace millrace {

// Sets of numbers, each with a number of its own; equal sets have the same
// number.
class NumberSets {
 public:
  static constexpr int32_t kEmpty = 0;
  static constexpr int32_t kUnknown = -1;

  // All sets together have at most this many numbers; a set beyond that is
  // kUnknown.
  explicit NumberSets(size_t max_numbers);

  int32_t Of(int32_t number);
  // Returns kUnknown if one of them is.
  int32_t Union(int32_t a, int32_t b);

 private:
  int32_t Add(std::vector<int32_t> set);

  size_t room_;
  std::vector<std::vector<int32_t>> sets_;
  absl::flat_hash_map<std::vector<int32_t>, int32_t> numbers_;
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> unions_;
};

// The analysis of one graph, in which edges between devices are transfers.
//
// A source is a node that may end late or never for reasons outside its graph,
// or with dead values: a transfer, a call, a queue's op, any stateful node or
// one that takes a handle, and the ops of control flow (for a Switch: each side
// of a condition). A node
// depends on the nearest sources against the direction of the edges; nodes in
// between are computed as soon as these have ended. If two nodes have the same
// sources, starting both together delays neither by anything that it did not
// depend on before, and one is dead if and only if the other is.
class StartSources {
 public:
  static constexpr int32_t kUnknown = NumberSets::kUnknown;

  // `order` is a topological order.
  StartSources(const Graph& graph, const std::vector<NodeId>& order);

  // Returns a number that is equal for equal sets of sources; kUnknown within
  // loops, and if there are too many.
  int32_t Of(NodeId id) const { return of_node_[static_cast<size_t>(id)]; }

 private:
  int32_t OfOutput(OutputRef output) const;
  int32_t OfInputs(const Node& node);
  void FindOutputs(const Node& node);

  const Graph& graph_;
  NumberSets sets_;
  std::vector<int32_t> of_node_;  // also for control edges from the node
  // Indexed by output; only for nodes whose outputs differ from the above.
  absl::flat_hash_map<NodeId, std::vector<int32_t>> of_outputs_;
  // The sides of conditions as sources: by the condition, the number of sides,
  // and the index of the side.
  absl::flat_hash_map<std::pair<OutputRef, std::pair<int, int>>, int32_t>
      sides_;
  int32_t next_side_;  // sources below are nodes
};

}  // namespace millrace
