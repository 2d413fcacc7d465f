#include "millrace/train/layers/flatten.h"

#include "millrace/client/ops.h"

namespace millrace::train {

Output Flatten(const Scope& scope, const Output& x) {
  const Scope block = scope.BlockFor("flatten");
  if (!x) return {};
  const PartialShape shape = x.shape();
  if (shape.known_rank() && shape.rank() == 0) {
    block.Fail(InvalidArgument("Flatten needs a dimension of examples, got a "
                               "scalar"),
               "flatten");
    return {};
  }
  // One size may be unknown: the batch's, if the others are known.
  int64_t n = 1;
  for (int d = 1; d < (shape.known_rank() ? shape.rank() : 1); ++d) {
    n = n < 0 || shape.dim(d) == kUnknownDim ? -1 : n * shape.dim(d);
  }
  if (shape.known_rank() && n > 0) {
    return ops::Reshape(block, x, Tensor::Vector<int64_t>({-1, n}));
  }
  const Output batch =
      ops::StridedSlice(block, ops::Shape(block, x), {0}, {1}, {1});
  return ops::Reshape(
      block, x, ops::ConcatV2(block, {batch, ops::Const(block, {-1})}, 0));
}

}  // namespace millrace::train
