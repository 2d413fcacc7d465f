// Shapes of ranges for the shape functions of quantized ops: ranges are
// scalars, or have a number for each slice along an axis.
#pragma once

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

// Returns INVALID_ARGUMENT unless inputs [begin, end) are scalars.
Status RequireScalars(ShapeContext& c, int begin, int end);
// Sets outputs [begin, end) to scalars.
void SetScalars(ShapeContext& c, int begin, int end);

// Sets output 0 to the shape of input 0, and the other outputs to scalars;
// requires inputs [1, 1 + ranges) to be scalars.
template <int kRanges>
Status UnchangedWithRanges(ShapeContext& c) {
  MR_RETURN_IF_ERROR(RequireScalars(c, 1, 1 + kRanges));
  SetScalars(c, 1, c.num_outputs());
  return c.Return(c.input(0));
}

// Returns the shape of the ranges `min` and `max` of input `values`: scalars if
// the attribute `axis` is -1, else vectors as long as that dimension. It is the
// shape of `max`, or the merged shape of both. Returns INVALID_ARGUMENT for an
// axis below -1 or beyond the rank.
enum class RangePair { kMax, kMerged };
StatusOr<PartialShape> RangesAlongAxis(ShapeContext& c, int values, int min,
                                       int max, RangePair pair);

}  // namespace millrace::ops
