// Shapes of ops along one dimension of a tensor, for the memory of any device.
#pragma once

#include <cstdint>

#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// The tensor as [outer, rows, inner], where `rows` is the dimension; and the
// shape of the result.
struct AxisPlan {
  int64_t outer = 1, rows = 1, inner = 1;
  TensorShape shape;
};

// Read the dimension from a tensor in host memory. Return INVALID_ARGUMENT if
// `x` does not have it or, for ArgMax and ArgMin, if it is empty.
StatusOr<AxisPlan> PlanArgReduction(const Tensor& x, const Tensor& axis);
StatusOr<AxisPlan> PlanScan(const Tensor& x, const Tensor& axis);

}  // namespace millrace::ops
