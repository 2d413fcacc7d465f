// Gradient: what comes back to an output – a tensor, some rows, or nothing.
#pragma once

#include "millrace/client/indexed_slices.h"
#include "millrace/client/scope.h"

namespace millrace {

// At most one of the two is set. Neither: the output does not matter.
struct Gradient {
  Gradient() = default;
  Gradient(Output t) : tensor(std::move(t)) {}         // NOLINT: either is one
  Gradient(IndexedSlices s) : slices(std::move(s)) {}  // NOLINT

  Output tensor;
  IndexedSlices slices;

  explicit operator bool() const { return tensor || slices; }
  bool is_slices() const { return static_cast<bool>(slices); }
  friend bool operator==(const Gradient&, const Gradient&) = default;
};

// As a tensor: rows are added up into one of their dense shape, which must be
// known. Null for nothing.
Output ToTensor(const Scope& scope, const Gradient& gradient);

// The sum: rows stay rows if all of them are.
Gradient SumGradients(const Scope& scope,
                      const std::vector<Gradient>& gradients);

}  // namespace millrace
