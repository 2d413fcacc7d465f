// The specification of StridedSlice, resolved for a shape. Also used by the ops
// that assign to a slice.
#pragma once

#include <cstdint>

#include "millrace/graph/shape_context.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Bit i applies to entry i of begin, end and strides.
struct StridedSliceMasks {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t ellipsis = 0;
  uint32_t new_axis = 0;
  uint32_t shrink_axis = 0;

  // Reads the attributes begin_mask, end_mask, ...
  static StatusOr<StridedSliceMasks> FromAttrs(const AttrMap& attrs);
};

// For each dimension of the input, the slice takes `sizes` elements begin,
// begin + stride, ... All of them lie inside the input.
struct StridedSlicePlan {
  DimVector begin;
  DimVector strides;              // 1 if the size is 0 or 1
  DimVector sizes;                // kUnknownDim only for partial shapes
  PartialShape result;            // with dimensions added and removed
  bool is_identity = false;       // all elements, in order
  bool has_unit_strides = false;  // as given, also if the size is 0 or 1
};

// Resolves a specification for `input`, whose rank is known. `begin` and `end`
// are null if they are not known yet. With a full shape and both given, the
// plan is fully known. Returns INVALID_ARGUMENT for a specification that does
// not fit.
StatusOr<StridedSlicePlan> PlanStridedSlice(const PartialShape& input,
                                            const Tensor* begin,
                                            const Tensor* end,
                                            const Tensor& strides,
                                            const StridedSliceMasks& masks);

// The shape function of a slice of input 0 whose begin, end and strides are
// inputs first, first + 1 and first + 2.
Status StridedSliceShape(ShapeContext& c, int first);

}  // namespace millrace::ops
