// Diagonals and bands of matrices, for the memory of any device.
#pragma once

#include "millrace/ops/array/mover.h"

namespace millrace::ops {

// Diag and DiagPart.
Status MakeDiag(KernelContext& ctx, const Mover& mover);
Status TakeDiag(KernelContext& ctx, const Mover& mover);

// The bands that MatrixBandPart keeps: elements more than `lower` below the
// diagonal or `upper` above it become zero.
struct BandPlan {
  int64_t rows, columns, lower, upper;
  bool keeps_all() const { return lower == rows && upper == columns; }
};
// Inputs 1 and 2 lie in host memory.
StatusOr<BandPlan> PlanBandPart(KernelContext& ctx);

}  // namespace millrace::ops
