// What the shape functions of quantized ops share: ranges are scalars, or have
// a number for each slice along an axis.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Inputs [begin, end) are scalars. INVALID_ARGUMENT otherwise.
Status RequireScalars(ShapeContext& c, int begin, int end);
// Outputs [begin, end) are scalars.
void SetScalars(ShapeContext& c, int begin, int end);

// Output 0 is like input 0; inputs [1, 1 + ranges) and the other outputs are
// scalars.
template <int kRanges>
Status UnchangedWithRanges(ShapeContext& c) {
  MR_RETURN_IF_ERROR(RequireScalars(c, 1, 1 + kRanges));
  SetScalars(c, 1, c.num_outputs());
  return c.Return(c.input(0));
}

// The shape of the ranges `min` and `max` of input `values`: scalars where the
// attribute `axis` is -1, else vectors as long as that dimension. It is that of
// `max`, or what both know. INVALID_ARGUMENT for an axis below -1 or beyond the
// rank.
enum class RangePair { kMax, kMerged };
StatusOr<PartialShape> RangesAlongAxis(ShapeContext& c, int values, int min,
                                       int max, RangePair pair);

}  // namespace millrace::ops
