// The rows of matrices of bytes, for products.
#pragma once

#include <cstring>

#include "millrace/ops/quantize/gemm.h"

namespace millrace::ops {

// The rows of an m x k matrix of bytes without sign, or, if it is transposed,
// of one that is stored as k x m.
class MatrixRows final : public RowSource {
 public:
  MatrixRows(const uint8_t* data, int64_t m, int64_t k, bool transposed)
      : data_(data),
        row_stride_(transposed ? 1 : k),
        column_stride_(transposed ? m : 1) {}

  void Fill(int64_t row, int64_t begin, int64_t n,
            uint8_t* out) const override {
    const uint8_t* from = data_ + row * row_stride_ + begin * column_stride_;
    if (column_stride_ == 1) {
      std::memcpy(out, from, static_cast<size_t>(n));
      return;
    }
    for (int64_t i = 0; i < n; ++i) out[i] = from[i * column_stride_];
  }
  const uint8_t* InPlace() const override {
    return column_stride_ == 1 ? data_ : nullptr;
  }

 private:
  const uint8_t* data_;
  int64_t row_stride_, column_stride_;
};

}  // namespace millrace::ops
