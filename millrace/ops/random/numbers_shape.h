// The shape of the output of ops of random numbers.
#pragma once

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// Returns a vector of int32 or int64 as a shape; some schemas allow other
// types. Returns INVALID_ARGUMENT for all else, and for negative sizes.
inline StatusOr<TensorShape> ShapeOfNumbers(const Tensor& shape) {
  constexpr absl::string_view kWanted =
      "shape must be a vector of {int32,int64}";
  if (shape.rank() != 1) {
    return InvalidArgument(kWanted, ", got shape ",
                           shape.shape().DebugString());
  }
  if (shape.dtype() != DataType::kInt32 && shape.dtype() != DataType::kInt64) {
    return InvalidArgument(kWanted, ".");
  }
  return TensorShape::Make(IntValues(shape));
}

}  // namespace millrace::ops
