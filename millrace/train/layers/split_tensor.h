// SplitTensor: a tensor as slices along one axis, which may be on several
// devices. Split layers take and return such tensors, so that slices stay where
// they are from one layer to the next.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "millrace/client/scope.h"

namespace millrace::train {

struct SplitTensor {
  SplitTensor() = default;
  SplitTensor(const Output& whole) : parts({whole}) {}  // NOLINT: one slice
  SplitTensor(std::vector<Output> slices, int along)
      : parts(std::move(slices)), axis(along) {}

  // False after an error of the graph.
  explicit operator bool() const;

  std::vector<Output> parts;  // in the order of their elements
  int axis = 0;               // of no meaning if there is one part
};

// Returns what is known of the shape of the whole tensor.
PartialShape ShapeOfWhole(const SplitTensor& x);

// Returns the whole tensor, concatenated where the scope says. Null after an
// error of the graph.
Output Join(const Scope& scope, const SplitTensor& x);

// Returns `length` in `parts` parts, of which the first ones are longer by one
// if it is not divisible: those of a PartitionedVariable.
std::vector<int64_t> EvenSizes(int64_t length, size_t parts);

// Returns x as slices of these sizes along `axis`: x itself if that is how it
// is split already. A tensor in one piece is cut where it is, so that each
// slice alone travels to whom it is for; one that is split otherwise is joined
// first, where the scope says.
SplitTensor SlicesOf(const Scope& scope, const SplitTensor& x, int axis,
                     const std::vector<int64_t>& sizes);

// Returns elements [begin, end) along `axis` of a tensor that is in one piece
// or split along that axis into slices of known sizes. What lies in several
// slices is cut off where they are, and joined where the scope says.
Output RangeOf(const Scope& scope, const SplitTensor& x, int axis,
               int64_t begin, int64_t end);

}  // namespace millrace::train
