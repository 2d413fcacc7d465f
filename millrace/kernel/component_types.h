// Formats and compares the types and shapes of the tuple components that
// resources hold.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "millrace/kernel/kernel.h"

namespace millrace {

// Return "float, int32" and "[[2], []]".
std::string TypesText(absl::Span<const DataType> types);
std::string ShapesText(const std::vector<PartialShape>& shapes);

// Checks that a node that shares a resource expects tuples of the same
// components. Returns INVALID_ARGUMENT "Shared queue 'NAME' has component types
// ...", where `what` is "queue".
Status ExpectSameComponents(absl::string_view what, const std::string& name,
                            const std::vector<DataType>& types,
                            const std::vector<PartialShape>& shapes,
                            const std::vector<DataType>& wanted_types,
                            const std::vector<PartialShape>& wanted_shapes);

// Returns INVALID_ARGUMENT for a node with other types than the resource.
Status SignatureMismatch(const NodeInfo& node,
                         absl::Span<const DataType> inputs,
                         absl::Span<const DataType> outputs);

}  // namespace millrace
