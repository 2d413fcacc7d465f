// LoopIndex: the while loops of a graph and the branches of conditionals, as
// needed for gradients.
#pragma once

#include <deque>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/graph/graph.h"

namespace millrace {

// A branch of a conditional: its nodes run if `pred` is `port` and, if it is
// inside of another branch, that one is taken.
struct Branch {
  const Branch* outer = nullptr;
  OutputRef pred;
  int32_t port = 0;
  int depth = 1;
};

// Describes a graph as it was when this was made. Not thread-safe.
class LoopIndex {
 public:
  // A while loop. Number 0 stands for the graph outside of all loops.
  struct Loop {
    std::string name;
    int outer = 0;
    int depth = 0;
    int64_t parallel_iterations = 10;
    NodeId condition = kNoNode;
    std::vector<NodeId> enters, exits;
    const Branch* branch = nullptr;  // of the outer loop, around this one
  };

  // Returns INVALID_ARGUMENT for graphs with cycles that are not loops.
  static StatusOr<LoopIndex> Make(const Graph& graph);

  const Loop& loop(int number) const { return loops_[number]; }
  bool Encloses(int outer, int inner) const;  // or is the same

  // Returns the loop in which a node runs: an Enter outside, an Exit inside. If
  // its inputs are from several loops, the innermost.
  int LoopOf(NodeId id) const { return Find(id).loop; }
  // Returns the loop in which its outputs arrive.
  int OutputLoop(NodeId id) const { return Find(id).output_loop; }
  // Returns the branch, inside of that loop, in which an output is alive; null:
  // none.
  const Branch* BranchOf(OutputRef output) const;

  bool Has(NodeId id) const;
  // Adds a node that was created later. Requires: it is not a Switch.
  void Add(NodeId id, int loop, const Branch* branch);

 private:
  struct NodeInfo {
    int loop = 0;
    int output_loop = 0;
    const Branch* branch = nullptr;
    // For a Switch that does not belong to a loop variable: the branches of its
    // outputs.
    const Branch* taken[2] = {nullptr, nullptr};
  };

  const NodeInfo& Find(NodeId id) const;
  void AddNode(const Graph& graph, const Node& node);
  int LoopEntered(const Node& enter, int outer);
  void AddBranches(const Graph& graph, const Node& node, NodeInfo* info);

  std::deque<Loop> loops_;  // addresses are stable
  std::deque<Branch> branches_;
  std::vector<NodeInfo> info_;
  absl::flat_hash_map<NodeId, NodeInfo> added_;
  absl::flat_hash_map<std::pair<int, std::string>, int> by_name_;
  absl::flat_hash_map<std::tuple<const Branch*, OutputRef, int32_t>,
                      const Branch*>
      branch_of_;
};

}  // namespace millrace
