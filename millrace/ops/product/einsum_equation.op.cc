#include "millrace/ops/product/einsum_equation.op.h"

#include <algorithm>

#include "absl/strings/str_split.h"

namespace millrace::ops {
namespace {

enum class Side { kInput, kOutput };

// Parses one subscript. `labels` are the characters so far; new ones are added
// by an input and refused in the output.
StatusOr<EinsumLabels> ParseSubscript(absl::string_view equation,
                                      absl::string_view text, Side side,
                                      std::string* labels) {
  EinsumLabels parsed;
  while (!text.empty()) {
    if (text[0] == '.') {
      if (text.substr(0, 3) != "..." || HasEllipsis(parsed)) {
        return InvalidArgument(
            "Expecting at most one '...' a subscript in "
            "equation '",
            equation, "'");
      }
      parsed.push_back(kEllipsis);
      text.remove_prefix(3);
      continue;
    }
    size_t place = labels->find(text[0]);
    if (place == std::string::npos) {
      if (side == Side::kOutput) {
        return InvalidArgument(
            "Output subscripts of equation '", equation,
            "' have a label that no input has: ", text.substr(0, 1));
      }
      place = labels->size();
      labels->push_back(text[0]);
    }
    parsed.push_back(static_cast<int>(place));
    text.remove_prefix(1);
  }
  return parsed;
}

}  // namespace

bool HasEllipsis(const EinsumLabels& labels) {
  return std::find(labels.begin(), labels.end(), kEllipsis) != labels.end();
}

StatusOr<EinsumEquation> ParseEinsumEquation(absl::string_view text) {
  const std::vector<absl::string_view> sides = absl::StrSplit(text, "->");
  if (sides.size() != 2) {
    return InvalidArgument("Expecting exactly one '->' in einsum equation: ",
                           text);
  }
  const std::vector<absl::string_view> inputs = absl::StrSplit(sides[0], ',');
  if (inputs.size() > 2) {
    return InvalidArgument("Expecting 1 or 2 input subscripts in equation '",
                           text, "' but got: ", inputs.size());
  }
  EinsumEquation equation;
  std::string labels;
  for (absl::string_view input : inputs) {
    MR_ASSIGN_OR_RETURN(EinsumLabels parsed,
                        ParseSubscript(text, input, Side::kInput, &labels));
    equation.inputs.push_back(std::move(parsed));
  }
  MR_ASSIGN_OR_RETURN(equation.output,
                      ParseSubscript(text, sides[1], Side::kOutput, &labels));
  equation.num_labels = static_cast<int>(labels.size());
  return equation;
}

}  // namespace millrace::ops
