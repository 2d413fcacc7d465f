// The loops of Winograd's algorithm for CPUs with AVX2.
#include <immintrin.h>

#define MR_LOOPS_TARGET __attribute__((target("avx2,fma")))
#include "millrace/ops/convolution/winograd_loops.h"
#include "millrace/ops/product/transpose_avx2.h"

namespace millrace::ops {
namespace {

constexpr int64_t kSide = Avx2Lanes::kLanes;

// Transposes a quarter of the square of TransposeSquare.
__attribute__((target("avx2,fma"))) void TransposeQuarter(const float* from,
                                                          int64_t stride,
                                                          int64_t rows,
                                                          int64_t columns,
                                                          float* to) {
  __m256 square[kSide];
  const __m256i lanes = Avx2Lanes::First(columns);
#pragma GCC unroll 8
  for (int64_t i = 0; i < kSide; ++i) {
    square[i] = i < rows ? Avx2Lanes::LoadMasked(lanes, from + i * stride)
                         : Avx2Lanes::Zero();
  }
  Transpose8x8(square);
#pragma GCC unroll 8
  for (int64_t i = 0; i < kSide; ++i) {
    _mm256_storeu_ps(to + i * kWinogradLanes, square[i]);
  }
}

void TransposeSquare(const float* from, int64_t stride, int64_t rows,
                     int64_t columns, float* to) {
  for (int64_t i = 0; i < kWinogradLanes; i += kSide) {
    for (int64_t j = 0; j < kWinogradLanes; j += kSide) {
      TransposeQuarter(from + i * stride + j, stride, rows - i, columns - j,
                       to + j * kWinogradLanes + i);
    }
  }
}

}  // namespace

constinit const WinogradKernels kAvx2WinogradKernels =
    WinogradLoops<Avx2Lanes>::Kernels("avx2", TransposeSquare);

}  // namespace millrace::ops
