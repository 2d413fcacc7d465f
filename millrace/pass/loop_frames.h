// The loop frames of a graph, for the passes.
#pragma once

#include <string>
#include <vector>

#include "millrace/graph/graph.h"

namespace millrace {

// A while loop: the nodes between its Enters and Exits.
struct LoopFrame {
  std::string name;  // attribute frame_name of its Enters; "" is the root
  int parent = 0;
  int depth = 0;               // how many loops it is in, itself included
  NodeId condition = kNoNode;  // its LoopCond
  int64_t parallel_iterations = 10;
};

struct LoopFrames {
  std::vector<LoopFrame> frames;  // [0] is the root
  std::vector<int> of_node;       // by node id; an Exit is still inside
  std::vector<int> entered;       // by node id, of an Enter: where it leads
  // Returns the frame of a node's outputs: inside the loop for an Enter,
  // outside for an Exit.
  int OutputFrame(const Graph& graph, NodeId id) const;
};

// Returns INVALID_ARGUMENT that names the node if a node is in two frames at
// once, or in more than 1000 loops.
StatusOr<LoopFrames> FindLoopFrames(const Graph& graph);

}  // namespace millrace
