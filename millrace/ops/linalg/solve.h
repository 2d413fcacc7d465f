// The options and checks of ops that solve systems of equations, on all
// devices.
#pragma once

#include <cstdint>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel.h"
#include "millrace/ops/elementwise/broadcast.h"
#include "millrace/ops/linalg/batch.h"

namespace millrace::ops {

struct SolvePlan {
  int64_t count = 0;           // of results
  int64_t n = 0, columns = 0;  // of each
  TensorShape shape;
  // The index of the matrix of each operand that each result takes. Empty where
  // the operand's batch is not broadcast: it is the result's own.
  CountedVector<int64_t> places[2];

  int64_t Place(int operand, int64_t result) const {
    const auto& of = places[operand];
    return of.empty() ? result : of[static_cast<size_t>(result)];
  }
};

// Checks the inputs of MatrixSolve.
inline StatusOr<SolvePlan> PlanSolve(const Tensor& a, const Tensor& rhs) {
  MR_ASSIGN_OR_RETURN(const MatrixBatch b, ReadBatch(a));
  MR_RETURN_IF_ERROR(ExpectSameBatches(a, rhs));
  if (b.rows != b.cols) {
    return InvalidArgument("First input (lhs) must be a square matrix.");
  }
  MR_ASSIGN_OR_RETURN(const MatrixBatch r, ReadRightSides(rhs, b));
  SolvePlan plan;
  plan.count = b.count;
  plan.n = b.rows;
  plan.columns = r.cols;
  plan.shape = rhs.shape();
  return plan;
}

struct TriangularOptions {
  bool lower = true, adjoint = false;

  static StatusOr<TriangularOptions> Make(const KernelInit& init) {
    TriangularOptions o;
    MR_ASSIGN_OR_RETURN(o.lower, init.Attr<bool>("lower"));
    MR_ASSIGN_OR_RETURN(o.adjoint, init.Attr<bool>("adjoint"));
    return o;
  }
};

// Checks the inputs of MatrixTriangularSolve.
inline StatusOr<SolvePlan> PlanTriangularSolve(
    const KernelContext& ctx, const TriangularOptions& options) {
  const Tensor& a = ctx.input(0);
  const Tensor& rhs = ctx.input(1);
  for (int i = 0; i < 2; ++i) {
    if (ctx.input(i).rank() < 2) {
      return InvalidArgument("In[", i,
                             "] ndims must be >= 2: ", ctx.input(i).rank());
    }
  }
  MR_ASSIGN_OR_RETURN(const MatrixBatch b, ReadBatch(a));
  MR_ASSIGN_OR_RETURN(const MatrixBatch r, ReadBatch(rhs));
  if (b.rows != b.cols) {
    return InvalidArgument(
        "In[0] matrices in the last two dimensions must be square (", b.cols,
        " does not equal ", b.rows, ")");
  }
  const TensorShape a_batch(b.dims), rhs_batch(r.dims);
  StatusOr<Broadcast> all = Broadcast::Make({&a_batch, &rhs_batch});
  if (!all.ok()) {
    return InvalidArgument(
        "In[0] and In[1] must have compatible batch dimensions: ",
        a.shape().DebugString(), " vs. ", rhs.shape().DebugString());
  }
  if (b.rows != r.rows) {
    return InvalidArgument("In[0] mismatch In[1] shape: ", b.rows, " vs. ",
                           r.rows, ": ", a.shape().DebugString(), " ",
                           rhs.shape().DebugString(), " ",
                           options.lower ? 1 : 0, " ", options.adjoint ? 1 : 0);
  }
  SolvePlan plan;
  plan.count = all->total();
  plan.n = b.rows;
  plan.columns = r.cols;
  DimVector dims = all->shape().dims();
  dims.push_back(plan.n);
  dims.push_back(plan.columns);
  MR_ASSIGN_OR_RETURN(plan.shape, TensorShape::Make(dims));
  if (plan.shape.num_elements() == 0) return plan;
  for (int i = 0; i < 2; ++i) {
    // A batch of as many matrices as the result has is not stretched.
    if ((i == 0 ? b : r).count == plan.count) continue;
    plan.places[i].resize(static_cast<size_t>(plan.count));
    all->ForEachSpan(0, plan.count,
                     [&](const int64_t* offsets, int64_t begin, int64_t m) {
                       const int64_t step = all->inner_is_scalar(i) ? 0 : 1;
                       for (int64_t j = 0; j < m; ++j) {
                         plan.places[i][begin + j] = offsets[i] + j * step;
                       }
                     });
  }
  return plan;
}

}  // namespace millrace::ops
