// FusedNodes: what a node that graph rewriting has made of several stands for.
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
  // By input: number i >= 0 is input i of the node that stands for all,
  // -1 - m output 0 of node m of the list.
  std::vector<int> inputs;
  // Which output of the node that stands for all output 0 is, others follow;
  // -1: none. Only the last one may have more than one output.
  int result = -1;
};

// In an order in which inputs come first; the last one has an output of the
// node that stands for all. Only rewriting makes such lists, of nodes that were
// checked: they never come from outside.
using FusedNodes = std::vector<FusedNode>;

}  // namespace millrace
