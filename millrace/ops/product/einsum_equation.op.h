// The equation of an Einsum: the label of each dimension of the operands.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace::ops {

// Labels are numbers from 0, in the order in which their characters appear.
using EinsumLabels = std::vector<int>;
// The label of the dimensions that the ellipsis "..." of a subscript stands
// for.
inline constexpr int kEllipsis = -1;

struct EinsumEquation {
  std::vector<EinsumLabels> inputs;  // one or two
  EinsumLabels output;
  int num_labels = 0;
};

// Parses an equation such as "ab...,bc->ac...": one or two inputs, any
// characters but ",.->" as labels, at most one ellipsis in a subscript. Returns
// INVALID_ARGUMENT for others, and for labels of the output that no input has.
StatusOr<EinsumEquation> ParseEinsumEquation(absl::string_view text);

bool HasEllipsis(const EinsumLabels& labels);

}  // namespace millrace::ops
