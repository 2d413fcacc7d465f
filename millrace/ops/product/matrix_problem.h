// MatrixProblem: describes a batch of matrix products by numbers.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "millrace/tensor/dtype.h"

namespace millrace::ops {

// Returns the smallest multiple of `unit` that is at least n.
constexpr int64_t RoundUp(int64_t n, int64_t unit) {
  return (n + unit - 1) / unit * unit;
}

// c[i] = op(a[..]) op(b[..]) for i < batches. Matrices are row-major; c is m x
// n, op(a) is m x k, op(b) is k x n.
struct MatrixProblem {
  DataType type = DataType::kInvalid;
  int64_t m = 0, k = 0, n = 0;
  bool transpose_a = false, transpose_b = false;
  // For complex types, says that the operand is also conjugated.
  bool conjugate_a = false, conjugate_b = false;
  // Elements from a stored row of b to the next; 0 means that rows are
  // contiguous. Only type float supports other values than 0.
  int64_t b_stride = 0;
  int64_t batches = 1;
  // The matrices of a and b that each product takes; if empty, the i-th.
  absl::Span<const int64_t> a_index, b_index;

  int64_t BStride() const {
    return b_stride != 0 ? b_stride : transpose_b ? k : n;
  }
  int64_t AIndex(int64_t i) const { return a_index.empty() ? i : a_index[i]; }
  int64_t BIndex(int64_t i) const { return b_index.empty() ? i : b_index[i]; }
};

}  // namespace millrace::ops
