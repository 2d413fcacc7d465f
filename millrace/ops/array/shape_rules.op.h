// Small rules that the shape functions of several families share.
#pragma once

#include <cstdint>
#include <limits>

#include "millrace/graph/shape_context.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Element i of a tensor of signed integers or uint8.
int64_t IntAt(const Tensor& t, int64_t i);

// Dimensions [begin, end) of a shape; negative positions count from the end,
// positions beyond it mean the end. Of unknown rank if `s` is and the result
// is not surely empty.
PartialShape Subshape(const PartialShape& s, int begin,
                      int end = std::numeric_limits<int>::max());

// `dim` where it is known to be `value`. INVALID_ARGUMENT "Dimension must be 2
// but is 3".
StatusOr<int64_t> WithValue(int64_t dim, int64_t value);

// `s` begins with `prefix`: what both know of `s`. INVALID_ARGUMENT otherwise.
StatusOr<PartialShape> MergePrefix(const PartialShape& s,
                                   const PartialShape& prefix);

// a - b where both are known. INVALID_ARGUMENT "Negative dimension size ...".
StatusOr<int64_t> DimMinus(int64_t a, int64_t b);

// A vector of unknown length, or of `n` elements.
inline PartialShape VectorShape(int64_t n = kUnknownDim) {
  return PartialShape({n});
}

// The shape of input i on output 0, and what is known of its resource handles.
Status UnchangedWithHandles(ShapeContext& c);

}  // namespace millrace::ops
