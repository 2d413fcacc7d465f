// Gradient: the gradient with respect to an output: dense, sparse (rows), or
// none.
#pragma once

#include "millrace/client/indexed_slices.h"
#include "millrace/client/scope.h"

namespace millrace {

// At most one of the two is set. Neither: the result does not depend on the
// output.
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

namespace ops {

// Returns the gradient as a dense tensor: rows are summed into a tensor of
// their dense shape, which must be known. Null for no gradient.
Output ToTensor(const Scope& scope, const Gradient& gradient);

// Returns the sum, which is sparse if all gradients are.
Gradient SumGradients(const Scope& scope,
                      const std::vector<Gradient>& gradients);

}  // namespace ops
}  // namespace millrace
