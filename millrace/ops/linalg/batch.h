// Batches of matrices, which are the last two dimensions of tensors.
#pragma once

#include <initializer_list>

#include "absl/functional/function_ref.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/linalg/matrix.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

// The types of most kernels here.
using MatrixTypes = Types<float, double, Complex64, Complex128>;
// The same types as text for kernel tables.
#define MR_MATRIX_TYPES "T: float, double, complex64, complex128"
// For kernels that compute half in float.
using MatrixTypesWithHalf = Types<float, double, Half, Complex64, Complex128>;

struct MatrixBatch {
  int64_t count = 0, rows = 0, cols = 0;
  DimVector dims;  // of the batch
};

// Returns INVALID_ARGUMENT for less than two dimensions.
StatusOr<MatrixBatch> ReadBatch(const Tensor& t, int input = 0);
// Also returns INVALID_ARGUMENT if the matrices are not square.
StatusOr<MatrixBatch> ReadSquareBatch(const Tensor& t);
// Does the same in the words of Lu.
StatusOr<MatrixBatch> ReadLuBatch(const Tensor& t);
// Returns INVALID_ARGUMENT unless inputs 0 and 1 have one rank and, apart from
// the matrices, one shape.
Status ExpectSameBatches(const Tensor& a, const Tensor& b);
// Returns the batch of input 1. Returns INVALID_ARGUMENT unless its matrices
// have as many rows as those of `a` and its other dimensions are equal.
StatusOr<MatrixBatch> ReadRightSides(const Tensor& t, const MatrixBatch& a);

// Allocates an output with a matrix (or vector, or number) for each matrix of
// `batch`.
StatusOr<Tensor*> AllocateBatch(KernelContext& ctx, int output,
                                const MatrixBatch& batch,
                                std::initializer_list<int64_t> last);

// Calls f(i, stop) for `count` matrices, whose larger dimension is `n`, on all
// threads; a matrix alone has them to share (StopFlag). If f returns false, as
// there is no result, returns INVALID_ARGUMENT `failure`. If the step is
// cancelled meanwhile, `stop` is set and the step's error is returned, whatever
// f returns.
Status ForMatrices(KernelContext& ctx, int64_t count, int64_t n,
                   const char* failure,
                   absl::FunctionRef<bool(int64_t, StopFlag& stop)> f);

// Returns a matrix of type S from row-major memory.
template <class S, class T>
Matrix<S> ReadMatrix(const T* from, int64_t rows, int64_t cols) {
  Matrix<S> m(rows, cols);
  for (int64_t i = 0; i < rows * cols; ++i) {
    m.data()[i] = static_cast<S>(from[i]);
  }
  return m;
}
// Writes the first rows and columns of `m`.
template <class T, class S>
void WriteMatrix(const Matrix<S>& m, int64_t rows, int64_t cols, T* to) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) {
      to[i * cols + j] = static_cast<T>(m(i, j));
    }
  }
}

}  // namespace millrace::ops
