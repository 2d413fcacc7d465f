// Products of matrices of 8-bit numbers, exact in 32 bits, which wrap around: c
// = sum of (a - a_zero) (b - b_zero), by our own loops. Kernels compute theirs
// by byte_product.h.
#pragma once

#include <cstdint>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// Provides the rows of a as bytes without sign; those of signed numbers are 128
// more. Thread-safe.
class RowSource {
 public:
  virtual ~RowSource() = default;
  // Writes elements [begin, begin + n) of a row.
  virtual void Fill(int64_t row, int64_t begin, int64_t n,
                    uint8_t* out) const = 0;
  // Returns the first row if all lie one behind the other, otherwise null.
  virtual const uint8_t* InPlace() const { return nullptr; }
};

// The columns of b, packed for the products: made once, used by all rows.
class PackedColumns {
 public:
  // Packs the k x n matrix whose element (d, j) is data[d * depth_stride + j *
  // column_stride]. I is uint8_t or int8_t.
  template <class I>
  static StatusOr<PackedColumns> Make(KernelContext& ctx, const I* data,
                                      int64_t k, int64_t n,
                                      int64_t depth_stride,
                                      int64_t column_stride);

  int64_t k() const { return k_; }
  int64_t n() const { return n_; }
  // Returns panel p, of columns [p * kPanelColumns, ...), from pair of depth d
  // / 2 on.
  const int16_t* Panel(int64_t p, int64_t d) const;
  uint32_t sum(int64_t column) const {
    return sums_[static_cast<size_t>(column)];
  }

 private:
  int64_t k_ = 0, n_ = 0;
  Tensor panels_;
  CountedVector<uint32_t> sums_;
};

// Computes c, which is m x b.n() and row-major.
Status QuantizedGemm(KernelContext& ctx, int64_t m, const RowSource& a,
                     const PackedColumns& b, int32_t a_zero, int32_t b_zero,
                     int32_t* c);

}  // namespace millrace::ops
