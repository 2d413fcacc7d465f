// Bind: from a case as written to nodes with complete attributes and types,
// fed values and variables.
#pragma once

#include <string>
#include <vector>

#include "millrace/graph/op_registry.h"
#include "millrace/kernel/kernel.h"
#include "tests/cases/case.h"

namespace millrace::cases {

struct BoundInput {
  Value::Kind kind = Value::Kind::kFed;
  // Of a value: its place in `feeds`; of a variable: in `variables`; of
  // another node's output: that node.
  int index = 0;
  int port = 0;
};

struct BoundNode {
  NodeInfo info;
  std::vector<BoundInput> inputs;
  std::vector<int> control_inputs;
};

struct BoundFeed {
  std::string name;  // "op/0"
  Tensor value;
};

struct BoundVariable {
  std::string name;
  Tensor value;  // of the variable's dtype and shape
  bool initialized = true;
  bool is_ref = true;  // else a resource
};

// Outputs of a node that a run compares.
struct BoundRun {
  std::vector<int> targets;                  // nodes, as written
  std::vector<std::pair<int, int>> fetches;  // (node, output)
};

struct BoundCase {
  const Case* source = nullptr;
  std::vector<BoundNode> nodes;
  std::vector<BoundFeed> feeds;
  std::vector<BoundVariable> variables;
  std::vector<BoundRun> runs;
};

// INVALID_ARGUMENT where the attributes or input types do not fit the schema:
// for BuildError cases that is the answer, for others a mistake of the case.
// NOT_FOUND for an op that the registry lacks. With `lenient` what does not
// fit is kept as it is (types may be missing), to be shown to stock.
StatusOr<BoundCase> Bind(const Case& c, const OpRegistry& ops,
                         bool lenient = false);

}  // namespace millrace::cases
