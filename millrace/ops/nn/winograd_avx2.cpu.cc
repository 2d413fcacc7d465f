// The loops of Winograd's algorithm for CPUs with AVX2.
#include <immintrin.h>

#define MR_LOOPS_TARGET __attribute__((target("avx2,fma")))
#include "millrace/ops/nn/winograd_loops.h"

namespace millrace::ops {
namespace {

constexpr int64_t kSide = Avx2Lanes::kLanes;

// A quarter of TurnSquare's.
__attribute__((target("avx2,fma"))) void TurnQuarter(const float* from,
                                                     int64_t stride,
                                                     int64_t rows,
                                                     int64_t columns,
                                                     float* to) {
  __m256 a[8], b[8];
  const __m256i lanes = Avx2Lanes::First(columns);
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    a[i] = i < rows ? Avx2Lanes::LoadMasked(lanes, from + i * stride)
                    : Avx2Lanes::Zero();
  }
  // Pairs of rows, then fours.
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    b[i] = _mm256_unpacklo_ps(a[i], a[i + 1]);
    b[i + 1] = _mm256_unpackhi_ps(a[i], a[i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      const __m256d x = _mm256_castps_pd(b[i + j]);
      const __m256d y = _mm256_castps_pd(b[i + j + 2]);
      a[i + 2 * j] = _mm256_castpd_ps(_mm256_unpacklo_pd(x, y));
      a[i + 2 * j + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(x, y));
    }
  }
  // Half h of a[4 g + j] is column 4 h + j of rows 4 g to 4 g + 3.
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    _mm256_storeu_ps(to + j * kWinogradLanes,
                     _mm256_permute2f128_ps(a[j], a[j + 4], 0x20));
    _mm256_storeu_ps(to + (j + 4) * kWinogradLanes,
                     _mm256_permute2f128_ps(a[j], a[j + 4], 0x31));
  }
}

void TurnSquare(const float* from, int64_t stride, int64_t rows,
                int64_t columns, float* to) {
  for (int64_t i = 0; i < kWinogradLanes; i += kSide) {
    for (int64_t j = 0; j < kWinogradLanes; j += kSide) {
      TurnQuarter(from + i * stride + j, stride, rows - i, columns - j,
                  to + j * kWinogradLanes + i);
    }
  }
}

}  // namespace

constinit const WinogradKernels kAvx2WinogradKernels =
    WinogradLoops<Avx2Lanes>::Kernels("avx2", TurnSquare);

}  // namespace millrace::ops
