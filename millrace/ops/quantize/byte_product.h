// Products of matrices of 8-bit numbers whose second factor is mostly a
// constant, such as the weights of a layer: c = sum of (a - a_zero) (b -
// b_zero), exact in 32 bits, which wrap around.
//
// Processors with dot products of bytes compute them by oneDNN, which wants the
// second factor in an order of its own: if it is a constant, that is made once
// and kept. Other factors, and other processors, take the loops of gemm.h,
// which find the same sums.
#pragma once

#include <cstdint>
#include <memory>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/ops/quantize/gemm.h"

namespace millrace::ops {

// The second factor: k x n numbers of type quint8 or qint8, or n x k if they
// are transposed.
struct ColumnMatrix {
  const Tensor& numbers;
  int64_t k, n;
  bool transposed = false;
};

// Each kernel has its own, for its second input. Thread-safe.
class ByteProduct {
 public:
  ByteProduct();
  ByteProduct(ByteProduct&&) noexcept;
  ByteProduct& operator=(ByteProduct&&) noexcept;
  ~ByteProduct();

  // Computes c, which is m x n and row-major. `a_zero` is the zero of the bytes
  // that `a` provides.
  Status Run(KernelContext& ctx, int64_t m, const RowSource& a, int32_t a_zero,
             const ColumnMatrix& b, int32_t b_zero, int32_t* c) const;

  // Returns the sum of the numbers of each column.
  StatusOr<CountedVector<int32_t>> ColumnSums(KernelContext& ctx,
                                              const ColumnMatrix& b) const;

  // Returns whether this processor has dot products of bytes that are exact.
  static bool IsFast();
  // Returns whether a second factor is kept.
  bool KeepsColumns() const;

 private:
  struct Kept;
  struct State;
  StatusOr<std::shared_ptr<const Kept>> Find(KernelContext& ctx, int64_t m,
                                             const ColumnMatrix& b) const;

  std::unique_ptr<State> state_;  // kernels move during construction
};

}  // namespace millrace::ops
