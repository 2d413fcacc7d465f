// Types and shapes of the components of tuples that resources hold, for
// messages.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "millrace/kernel/kernel.h"

namespace millrace {

// "float, int32" and "[[2], []]".
std::string TypesText(absl::Span<const DataType> types);
std::string ShapesText(const std::vector<PartialShape>& shapes);

// Whoever shares a resource must want tuples of the same components:
// INVALID_ARGUMENT "Shared queue 'NAME' has component types ...", where `what`
// is "queue".
Status ExpectSameComponents(absl::string_view what, const std::string& name,
                            const std::vector<DataType>& types,
                            const std::vector<PartialShape>& shapes,
                            const std::vector<DataType>& wanted_types,
                            const std::vector<PartialShape>& wanted_shapes);

// INVALID_ARGUMENT: the node has other types than the resource.
Status SignatureMismatch(const NodeInfo& node,
                         absl::Span<const DataType> inputs,
                         absl::Span<const DataType> outputs);

}  // namespace millrace
