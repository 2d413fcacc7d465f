// StridedProduct: products of matrices in the memory of a device, by numbers.
#pragma once

#include <cstdint>

#include "millrace/device/cuda/launch.h"
#include "millrace/tensor/dtype.h"

namespace millrace {

// A batch of products whose operands are evenly spaced: c[i] = op(a[i])
// op(b[i]). Rows of a, b and c are contiguous, unless b_row says how many
// elements a stored row of b is behind the one before.
struct StridedProduct {
  DataType type = DataType::kInvalid;
  int64_t m = 0, k = 0, n = 0;
  bool transpose_a = false, transpose_b = false;
  bool conjugate_a = false, conjugate_b = false;
  int64_t b_row = 0;
  int64_t batches = 1;
  // Elements from an operand of one product to that of the next; 0 means the
  // same one.
  int64_t a_batch = 0, b_batch = 0;
  GpuPointer a, b, c;
};

}  // namespace millrace
