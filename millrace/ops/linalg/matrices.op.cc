#include "millrace/ops/linalg/matrices.op.h"

#include <algorithm>

#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

StatusOr<Matrices> ReadMatrices(ShapeContext& c, int input) {
  Matrices m;
  MR_ASSIGN_OR_RETURN(m.shape, c.WithRankAtLeast(input, 2));
  MR_ASSIGN_OR_RETURN(m.batch, ShapeContext::Subshape(m.shape, 0, -2));
  m.rows = ShapeContext::Dim(m.shape, -2);
  m.cols = ShapeContext::Dim(m.shape, -1);
  return m;
}

StatusOr<Matrices> ReadSquare(ShapeContext& c, int input) {
  MR_ASSIGN_OR_RETURN(Matrices m, ReadMatrices(c, input));
  MR_ASSIGN_OR_RETURN(m.rows, ShapeContext::MergeDims(m.rows, m.cols));
  m.cols = m.rows;
  if (m.shape.known_rank()) {
    m.shape = m.batch.Concatenate(PartialShape({m.rows, m.cols}));
  }
  return m;
}

PartialShape WithLast(const Matrices& m, std::initializer_list<int64_t> dims) {
  return m.batch.Concatenate(PartialShape(dims));
}

int64_t Least(const Matrices& m) {
  return m.rows == 0 || m.cols == 0 ? 0
         : m.rows == kUnknownDim || m.cols == kUnknownDim
             ? kUnknownDim
             : std::min(m.rows, m.cols);
}

Status SquareShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const Matrices m, ReadSquare(c, 0));
  return c.Return(m.shape);
}

}  // namespace millrace::ops
