// StartSources: what the start of a node waits for.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/graph/graph.h"

namespace millrace {

// Sets of numbers, each with a number of its own; equal sets have the same one.
class NumberSets {
 public:
  static constexpr int32_t kEmpty = 0;
  static constexpr int32_t kUnknown = -1;

  // All sets together hold no more numbers than this; what would is kUnknown.
  explicit NumberSets(size_t most_numbers);

  int32_t Of(int32_t number);
  // kUnknown if one of them is.
  int32_t Union(int32_t a, int32_t b);

 private:
  int32_t Add(std::vector<int32_t> set);

  size_t room_;
  std::vector<std::vector<int32_t>> sets_;
  absl::flat_hash_map<std::vector<int32_t>, int32_t> numbers_;
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> unions_;
};

// Of one graph, in which edges between devices are transfers.
//
// A source is a node that may end late or never for reasons that its graph does
// not show, or with dead values: a transfer, a call, a queue's op, whatever has
// state, and the ops of control flow (of a Switch: each side of a condition).
// A node waits for the nearest sources against the edges; what lies between is
// computed as soon as they are there. If two nodes have the same ones, then to
// let both start together keeps none of them waiting for what it did not wait
// for anyway, and one is dead if and only if the other is.
class StartSources {
 public:
  static constexpr int32_t kUnknown = NumberSets::kUnknown;

  // `order`: inputs come first.
  StartSources(const Graph& graph, const std::vector<NodeId>& order);

  // The same number for the same sources. kUnknown within loops, and where
  // there are too many.
  int32_t Of(NodeId id) const { return of_node_[static_cast<size_t>(id)]; }

 private:
  int32_t OfOutput(OutputRef output) const;
  int32_t OfInputs(const Node& node);
  void FindOutputs(const Node& node);

  const Graph& graph_;
  NumberSets sets_;
  std::vector<int32_t> of_node_;  // also of what waits for the node
  // By output, of the nodes where that differs from the above.
  absl::flat_hash_map<NodeId, std::vector<int32_t>> of_outputs_;
  // The sides of conditions as sources: by the condition, how many sides there
  // are, and which one it is.
  absl::flat_hash_map<std::pair<OutputRef, std::pair<int, int>>, int32_t>
      sides_;
  int32_t next_side_;  // sources below are nodes
};

}  // namespace millrace
