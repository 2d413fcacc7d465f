// Small rules that shape functions of several families share.
#pragma once

#include <cstdint>
#include <limits>

#include "millrace/graph/shape_context.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Returns element i of a tensor of signed integers or uint8.
int64_t IntAt(const Tensor& t, int64_t i);

// Returns dimensions [begin, end) of a shape; negative positions count from the
// end, positions beyond it mean the end. The result has unknown rank if `s` has
// and the result is not certainly empty.
PartialShape Subshape(const PartialShape& s, int begin,
                      int end = std::numeric_limits<int>::max());

// Returns `dim` if it is known to be `value`, or `value` if it is unknown.
// Returns INVALID_ARGUMENT "Dimension must be 2 but is 3" otherwise.
StatusOr<int64_t> WithValue(int64_t dim, int64_t value);

// Merges what both arguments say about the leading dimensions of `s`, and
// returns `s` with them. Returns INVALID_ARGUMENT if `s` cannot begin with
// `prefix`.
StatusOr<PartialShape> MergePrefix(const PartialShape& s,
                                   const PartialShape& prefix);

// Returns a - b, unknown if either is. Returns INVALID_ARGUMENT "Negative
// dimension size ..." if the difference is negative.
StatusOr<int64_t> DimMinus(int64_t a, int64_t b);

// Returns the shape of a vector of `n` elements, or of unknown length.
inline PartialShape VectorShape(int64_t n = kUnknownDim) {
  return PartialShape({n});
}

// Sets output 0 to the shape of input i and to what is known of its resource
// handles.
Status UnchangedWithHandles(ShapeContext& c);

}  // namespace millrace::ops
