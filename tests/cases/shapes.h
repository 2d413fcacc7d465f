// What the shape functions say of a case.
#pragma once

#include <vector>

#include "millrace/graph/op_registry.h"
#include "tests/cases/bind.h"

namespace millrace::cases {

// How fed values appear in the graph.
enum class Known {
  kValues,  // constants
  kShapes,  // placeholders of that shape
  kSome,    // placeholders of that rank, every other size of which is known
  kTypes,   // placeholders of unknown shape
};

// Shapes of the outputs of each node of the case.
StatusOr<std::vector<std::vector<PartialShape>>> InferShapes(
    const BoundCase& c, const OpRegistry& ops, Known known);

}  // namespace millrace::cases
