#include "millrace/kernel/component_types.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace millrace {

std::string TypesText(absl::Span<const DataType> types) {
  return absl::StrJoin(types, ", ", [](std::string* out, DataType t) {
    absl::StrAppend(out, DataTypeName(t));
  });
}

std::string ShapesText(const std::vector<PartialShape>& shapes) {
  return absl::StrCat(
      "[",
      absl::StrJoin(shapes, ", ",
                    [](std::string* out, const PartialShape& s) {
                      absl::StrAppend(out, s.DebugString());
                    }),
      "]");
}

Status ExpectSameComponents(absl::string_view what, const std::string& name,
                            const std::vector<DataType>& types,
                            const std::vector<PartialShape>& shapes,
                            const std::vector<DataType>& wanted_types,
                            const std::vector<PartialShape>& wanted_shapes) {
  if (wanted_types != types) {
    return InvalidArgument(
        "Shared ", what, " '", name, "' has component types ", TypesText(types),
        " but requested component types were ", TypesText(wanted_types));
  }
  if (wanted_shapes != shapes) {
    return InvalidArgument("Shared ", what, " '", name,
                           "' has component shapes ", ShapesText(shapes),
                           " but requested component shapes were ",
                           ShapesText(wanted_shapes));
  }
  return OkStatus();
}

Status SignatureMismatch(const NodeInfo& node,
                         absl::Span<const DataType> inputs,
                         absl::Span<const DataType> outputs) {
  return InvalidArgument(
      "Signature mismatch, have: ", TypesText(node.input_types), "->",
      TypesText(node.output_types), " expected: ", TypesText(inputs), "->",
      TypesText(outputs));
}

}  // namespace millrace
