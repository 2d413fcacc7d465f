// FusedNodes: the original nodes that graph rewriting has fused into one.
#pragma once

#include <string>
#include <vector>

#include "millrace/graph/attr/attr_value.h"
#include "millrace/graph/op_def.h"

namespace millrace {

struct FusedNode {
  std::string name;
  const OpDef* op = nullptr;
  AttrMap attrs;
  DataTypeVector input_types;  // no references
  DataTypeVector output_types;
  // The source of each input: a number i >= 0 is input i of the fused node, -1
  // - m is output 0 of node m of the list.
  std::vector<int> inputs;
  // The output of the fused node that output 0 is; the further outputs follow
  // it. -1: none. Only the last node may have more than one output.
  int result = -1;
};

// A list in topological order, whose last node has an output of the fused node.
// Only rewriting makes such lists, of checked nodes: they are never untrusted.
using FusedNodes = std::vector<FusedNode>;

}  // namespace millrace
