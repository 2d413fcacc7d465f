#include "millrace/ops/sparse/sparse_tensor.op.h"

namespace millrace::ops {

Status SparseTo(ShapeContext& c, PartialShape shape) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 2).status());
  MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  MR_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  return c.Return(std::move(shape));
}

Status ReturnSparse(ShapeContext& c) {
  c.set_output(0, PartialShape({kUnknownDim, kUnknownDim}));
  c.set_output(1, PartialShape({kUnknownDim}));
  c.set_output(2, PartialShape({kUnknownDim}));
  return OkStatus();
}

}  // namespace millrace::ops
