// GemmBlock as a loop over vectors of kBytes. The including file must define
// the instruction set, since the target of a function cannot be a template
// parameter, and vectors that are wider than those of the target stay in
// memory.
#pragma once

#include "millrace/ops/product/gemm_block.h"

// The default is for tools that read this file alone.
#ifndef MR_LOOPS_TARGET
#define MR_LOOPS_TARGET
#endif

namespace millrace::ops {

template <class T, int kBytes>
struct GemmBlockLoop {
  typedef T Vector
      __attribute__((vector_size(kBytes), aligned(sizeof(T)), may_alias));

  MR_LOOPS_TARGET static void Run(const T* a, const T* b, int64_t depth, T* c,
                                  int64_t c_stride, int64_t rows,
                                  int64_t columns, bool accumulate) {
    constexpr int kLanes = kBytes / sizeof(T);
    constexpr int kParts = kGemmColumns<T> / kLanes;
    Vector acc[kGemmRows][kParts];
#pragma GCC unroll 6
    for (int i = 0; i < kGemmRows; ++i) {
#pragma GCC unroll 4
      for (int p = 0; p < kParts; ++p) acc[i][p] = Vector{};
    }
    for (int64_t d = 0; d < depth; ++d, a += kGemmRows, b += kGemmColumns<T>) {
      Vector row[kParts];
#pragma GCC unroll 4
      for (int p = 0; p < kParts; ++p)
        row[p] = *reinterpret_cast<const Vector*>(b + p * kLanes);
#pragma GCC unroll 6
      for (int i = 0; i < kGemmRows; ++i) {
#pragma GCC unroll 4
        for (int p = 0; p < kParts; ++p) acc[i][p] += row[p] * a[i];
      }
    }
    alignas(64) T sums[kGemmRows][kGemmColumns<T>];
#pragma GCC unroll 6
    for (int i = 0; i < kGemmRows; ++i) {
#pragma GCC unroll 4
      for (int p = 0; p < kParts; ++p)
        *reinterpret_cast<Vector*>(&sums[i][p * kLanes]) = acc[i][p];
    }
    for (int64_t i = 0; i < rows; ++i, c += c_stride) {
      for (int64_t j = 0; j < columns; ++j) {
        c[j] = accumulate ? static_cast<T>(c[j] + sums[i][j]) : sums[i][j];
      }
    }
  }
};

}  // namespace millrace::ops
