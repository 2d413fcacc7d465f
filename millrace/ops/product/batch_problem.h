// BatchProblem: the products of two tensors whose last two dimensions are
// matrices.
#pragma once

#include "millrace/base/memory/counted_vector.h"
#include "millrace/ops/product/matrix_problem.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Whether leading dimensions must be equal, or broadcast as in other ops.
enum class Batches { kEqual, kBroadcast };

class BatchProblem {
 public:
  BatchProblem(BatchProblem&&) = default;
  BatchProblem& operator=(BatchProblem&&) = default;

  // Returns INVALID_ARGUMENT if the shapes do not fit each other. `adj_x` and
  // `adj_y`: the matrices are transposed and conjugated first.
  static StatusOr<BatchProblem> Of(const Tensor& x, bool adj_x, const Tensor& y,
                                   bool adj_y, Batches batches);

  // The indices of matrices are valid while this lives, also after a move.
  const MatrixProblem& problem() const { return problem_; }
  // The shape of all products.
  const TensorShape& shape() const { return shape_; }

 private:
  BatchProblem() = default;

  MatrixProblem problem_;
  TensorShape shape_;
  CountedVector<int64_t> x_index_, y_index_;
};

}  // namespace millrace::ops
