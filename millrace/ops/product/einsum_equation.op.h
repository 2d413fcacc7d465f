// The equation of an Einsum: which label each dimension of the operands has.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace::ops {

// Labels are numbers from 0, in the order in which their characters appear.
using EinsumLabels = std::vector<int>;
// Stands for the dimensions that the ellipsis "..." of a subscript takes.
inline constexpr int kEllipsis = -1;

struct EinsumEquation {
  std::vector<EinsumLabels> inputs;  // one or two
  EinsumLabels output;
  int num_labels = 0;
};

// "ab...,bc->ac...": one or two inputs, any characters but ",.->" as labels, at
// most one ellipsis a subscript. INVALID_ARGUMENT for others, and for labels of
// the output that no input has.
StatusOr<EinsumEquation> ParseEinsumEquation(absl::string_view text);

bool HasEllipsis(const EinsumLabels& labels);

}  // namespace millrace::ops
