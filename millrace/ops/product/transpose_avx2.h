// Transposes squares of floats in AVX2 registers.
#pragma once

#include <immintrin.h>

namespace millrace::ops {

// Transposes x in place.
__attribute__((target("avx2"), always_inline)) inline void Transpose8x8(
    __m256 (&x)[8]) {
  __m256 pairs[8], fours[8];
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
    pairs[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      const __m256d a = _mm256_castps_pd(pairs[i + j]);
      const __m256d b = _mm256_castps_pd(pairs[i + j + 2]);
      fours[i + 2 * j] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, b));
      fours[i + 2 * j + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, b));
    }
  }
  // Half h of fours[4 g + j] is column 4 h + j of rows 4 g to 4 g + 3.
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    x[j] = _mm256_permute2f128_ps(fours[j], fours[j + 4], 0x20);
    x[j + 4] = _mm256_permute2f128_ps(fours[j], fours[j + 4], 0x31);
  }
}

}  // namespace millrace::ops
