// GraphDef: a graph as plain data, for the wire. Graph (graph.h) is the checked
// form that passes use.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "millrace/graph/attr/attr_value.h"
#include "millrace/graph/op_def.h"

namespace millrace {

// One use of an op. `inputs` are "node", "node:port" and, after them,
// "^node" for control inputs. `device` may be partial or empty.
struct NodeDef {
  std::string name;
  std::string op;
  std::vector<std::string> inputs;
  std::string device;
  AttrMap attrs;
};

struct VersionDef {
  int32_t producer = 0;
  int32_t min_consumer = 0;
  std::vector<int32_t> bad_consumers;
};

// The body of a function: inputs of nodes are "arg", "node:output:index" and
// "^node"; `ret` maps each output of the signature to such a name.
struct FunctionDef {
  OpDef signature;
  std::vector<NodeDef> nodes;
  std::vector<std::pair<std::string, std::string>> ret;
  std::vector<std::pair<std::string, std::string>> control_ret;
  AttrMap attrs;
  // The attributes of the inputs, and the ids of resource inputs, by input
  // number. Different ids mean different resources.
  std::vector<std::pair<uint32_t, AttrMap>> arg_attrs;
  std::vector<std::pair<uint32_t, uint32_t>> resource_arg_ids;
};

struct GradientDef {
  std::string function_name;
  std::string gradient_func;
};

struct FunctionLibraryDef {
  std::vector<FunctionDef> functions;
  std::vector<GradientDef> gradients;
};

struct GraphDef {
  std::vector<NodeDef> nodes;
  FunctionLibraryDef library;
  VersionDef versions;
};

// The version that the stock 2.21 client writes; graphs that require a newer
// consumer (`min_consumer`) are refused.
inline constexpr int32_t kGraphDefVersion = 2474;

}  // namespace millrace
