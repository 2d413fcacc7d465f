// The innermost loop of blocked_gemm.cpu.cc, for what vectors a processor has.
#pragma once

#include <cstdint>

namespace millrace::ops {

// The block of c in registers.
inline constexpr int kGemmRows = 6;
template <class T>
inline constexpr int kGemmColumns = 64 / sizeof(T);

// Computes c[rows x columns], at most kGemmRows x kGemmColumns, = or += the
// product of a panel of a and one of b.
template <class T>
using GemmBlock = void (*)(const T* a, const T* b, int64_t depth, T* c,
                           int64_t c_stride, int64_t rows, int64_t columns,
                           bool accumulate);

template <class T>
GemmBlock<T> Avx512GemmBlock();
template <class T>
GemmBlock<T> Avx2GemmBlock();

}  // namespace millrace::ops
