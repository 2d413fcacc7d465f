// Checks of ops on segments of rows, for the memory of any device.
#pragma once

#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Checks the shapes of data and of its sorted segment ids.
Status CheckSegments(const TensorShape& data, const TensorShape& ids);
// Returns the shape of the result for ids in any order; `num_segments` lies in
// host memory.
StatusOr<TensorShape> UnsortedSegmentShape(const TensorShape& data,
                                           const TensorShape& ids,
                                           const Tensor& num_segments);
// Checks the shapes of data, of the indices of its rows and of their ids.
Status CheckSparseSegments(const TensorShape& data, const TensorShape& indices,
                           const TensorShape& ids);

}  // namespace millrace::ops
