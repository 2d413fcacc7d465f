// Vectors of floats for loops that are written once and compiled for several
// instruction sets (winograd_loops.h).
//
// A mask selects the first lanes; the others are read as zero and not written.
// Functions must be called from code with the same target.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>

namespace millrace::ops {

struct Avx512Lanes {
#define MR_AVX512 \
  __attribute__((target("avx512f"), always_inline)) static inline
  using Vector = __m512;
  using Mask = __mmask16;
  static constexpr int kLanes = 16;

  MR_AVX512 Vector Zero() { return _mm512_setzero_ps(); }
  MR_AVX512 Vector All(float x) { return _mm512_set1_ps(x); }
  MR_AVX512 Vector Load(const float* at) { return _mm512_load_ps(at); }
  MR_AVX512 Vector LoadUnaligned(const float* at) {
    return _mm512_loadu_ps(at);
  }
  MR_AVX512 Vector LoadMasked(Mask m, const float* at) {
    return _mm512_maskz_loadu_ps(m, at);
  }
  MR_AVX512 void Store(float* at, Vector x) { _mm512_store_ps(at, x); }
  MR_AVX512 void StoreMasked(float* at, Mask m, Vector x) {
    _mm512_mask_storeu_ps(at, m, x);
  }
  MR_AVX512 Vector Add(Vector x, Vector y) { return _mm512_add_ps(x, y); }
  MR_AVX512 Vector Sub(Vector x, Vector y) { return _mm512_sub_ps(x, y); }
  MR_AVX512 Vector Mul(Vector x, Vector y) { return _mm512_mul_ps(x, y); }
  // Returns x y + z.
  MR_AVX512 Vector MulAdd(Vector x, Vector y, Vector z) {
    return _mm512_fmadd_ps(x, y, z);
  }
  // Returns z - x y.
  MR_AVX512 Vector NegMulAdd(Vector x, Vector y, Vector z) {
    return _mm512_fnmadd_ps(x, y, z);
  }
  MR_AVX512 bool AnyNaN(Vector x) {
    return _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q) != 0;
  }
  // Returns a mask of the first n lanes; n is clamped to the number of lanes.
  MR_AVX512 Mask First(int64_t n) {
    return static_cast<Mask>((1u << std::clamp<int64_t>(n, 0, kLanes)) - 1);
  }
  // Returns m, or no lanes if `all`, which is -1 or 0, is 0.
  MR_AVX512 Mask And(Mask m, int32_t all) { return static_cast<Mask>(m & all); }
#undef MR_AVX512
};

struct Avx2Lanes {
#define MR_AVX2 __attribute__((target("avx2,fma"), always_inline)) static inline
  using Vector = __m256;
  using Mask = __m256i;
  static constexpr int kLanes = 8;

  MR_AVX2 Vector Zero() { return _mm256_setzero_ps(); }
  MR_AVX2 Vector All(float x) { return _mm256_set1_ps(x); }
  MR_AVX2 Vector Load(const float* at) { return _mm256_load_ps(at); }
  MR_AVX2 Vector LoadUnaligned(const float* at) { return _mm256_loadu_ps(at); }
  MR_AVX2 Vector LoadMasked(Mask m, const float* at) {
    return _mm256_maskload_ps(at, m);
  }
  MR_AVX2 void Store(float* at, Vector x) { _mm256_store_ps(at, x); }
  // A masked store takes a dozen cycles on some processors, so it is avoided
  // for whole vectors.
  MR_AVX2 void StoreMasked(float* at, Mask m, Vector x) {
    if (_mm256_movemask_ps(_mm256_castsi256_ps(m)) == 0xff) {
      _mm256_storeu_ps(at, x);
    } else {
      _mm256_maskstore_ps(at, m, x);
    }
  }
  MR_AVX2 Vector Add(Vector x, Vector y) { return _mm256_add_ps(x, y); }
  MR_AVX2 Vector Sub(Vector x, Vector y) { return _mm256_sub_ps(x, y); }
  MR_AVX2 Vector Mul(Vector x, Vector y) { return _mm256_mul_ps(x, y); }
  MR_AVX2 Vector MulAdd(Vector x, Vector y, Vector z) {
    return _mm256_fmadd_ps(x, y, z);
  }
  MR_AVX2 Vector NegMulAdd(Vector x, Vector y, Vector z) {
    return _mm256_fnmadd_ps(x, y, z);
  }
  MR_AVX2 bool AnyNaN(Vector x) {
    return _mm256_movemask_ps(_mm256_cmp_ps(x, x, _CMP_UNORD_Q)) != 0;
  }
  MR_AVX2 Mask First(int64_t n) {
    const auto count = static_cast<int32_t>(std::clamp<int64_t>(n, 0, kLanes));
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  MR_AVX2 Mask And(Mask m, int32_t all) {
    return _mm256_and_si256(m, _mm256_set1_epi32(all));
  }
#undef MR_AVX2
};

}  // namespace millrace::ops
