// Finds which error of a node TensorFlow tells first: it connects a node by the
// types that the attributes give before it checks the attributes.
#pragma once

#include <memory>

#include "absl/container/flat_hash_map.h"
#include "millrace/graph/graph.h"
#include "millrace/graph/graph_def.h"

namespace millrace {

// Belongs to one import that has failed; `def`, `ops` and `graph` outlive it.
class ImportError {
 public:
  // `def` is what was to be added to `graph`.
  ImportError(const GraphDef& def, const Graph& graph);

  // Returns INVALID_ARGUMENT if the first inputs of `node`, which is of `op`,
  // do not fit the types that its attributes give, or if these give no types;
  // otherwise `status`, which is an error.
  Status FirstOf(const NodeDef& node, const OpDef& op, Status status) const;

 private:
  class Types;

  // Reads the types of what an input's node gives; false if they are unknown.
  bool ReadSource(absl::string_view name, Types* types) const;
  Status CheckEdge(const NodeDef& node, const Types& inputs, size_t k) const;

  const Graph& graph_;
  absl::flat_hash_map<absl::string_view, const NodeDef*> by_name_;
};

}  // namespace millrace
