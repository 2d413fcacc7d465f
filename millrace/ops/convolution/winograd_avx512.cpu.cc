// The loops of Winograd's algorithm for CPUs with AVX-512.
#include <immintrin.h>

#define MR_LOOPS_TARGET __attribute__((target("avx512f")))
#include "millrace/ops/convolution/winograd_loops.h"

namespace millrace::ops {
namespace {

// Transposes a square of kWinogradLanes x kWinogradLanes floats: the first
// `rows` rows of `columns` elements exist, `stride` apart; the rest is zero.
__attribute__((target("avx512f"))) void TransposeSquare(const float* from,
                                                        int64_t stride,
                                                        int64_t rows,
                                                        int64_t columns,
                                                        float* to) {
  // g++ 12 warns about the forms without masks, which it defines by an
  // uninitialized variable.
  constexpr __mmask16 kAll = 0xffff;
  constexpr __mmask8 kAllDoubles = 0xff;
  __m512 a[16], b[16];
  const __mmask16 lanes = Avx512Lanes::First(columns);
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    a[i] = i < rows ? _mm512_maskz_loadu_ps(lanes, from + i * stride)
                    : _mm512_setzero_ps();
  }
  // Interleaves pairs of rows, then groups of four.
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    b[i] = _mm512_maskz_unpacklo_ps(kAll, a[i], a[i + 1]);
    b[i + 1] = _mm512_maskz_unpackhi_ps(kAll, a[i], a[i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      const __m512d x = _mm512_castps_pd(b[i + j]);
      const __m512d y = _mm512_castps_pd(b[i + j + 2]);
      a[i + 2 * j] =
          _mm512_castpd_ps(_mm512_maskz_unpacklo_pd(kAllDoubles, x, y));
      a[i + 2 * j + 1] =
          _mm512_castpd_ps(_mm512_maskz_unpackhi_pd(kAllDoubles, x, y));
    }
  }
  // Quarter q of a[4 g + j] is column 4 q + j of rows 4 g to 4 g + 3.
  constexpr int kEven = 0x88, kOdd = 0xdd;  // quarters 0 and 2, 1 and 3
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const __m512 x0 = _mm512_maskz_shuffle_f32x4(kAll, a[j], a[j + 4], kEven);
    const __m512 x1 = _mm512_maskz_shuffle_f32x4(kAll, a[j], a[j + 4], kOdd);
    const __m512 y0 =
        _mm512_maskz_shuffle_f32x4(kAll, a[j + 8], a[j + 12], kEven);
    const __m512 y1 =
        _mm512_maskz_shuffle_f32x4(kAll, a[j + 8], a[j + 12], kOdd);
    float* row = to + j * kWinogradLanes;
    _mm512_storeu_ps(row, _mm512_maskz_shuffle_f32x4(kAll, x0, y0, kEven));
    _mm512_storeu_ps(row + 4 * kWinogradLanes,
                     _mm512_maskz_shuffle_f32x4(kAll, x1, y1, kEven));
    _mm512_storeu_ps(row + 8 * kWinogradLanes,
                     _mm512_maskz_shuffle_f32x4(kAll, x0, y0, kOdd));
    _mm512_storeu_ps(row + 12 * kWinogradLanes,
                     _mm512_maskz_shuffle_f32x4(kAll, x1, y1, kOdd));
  }
}

}  // namespace

constinit const WinogradKernels kAvx512WinogradKernels =
    WinogradLoops<Avx512Lanes>::Kernels("avx512f", TransposeSquare);

}  // namespace millrace::ops
