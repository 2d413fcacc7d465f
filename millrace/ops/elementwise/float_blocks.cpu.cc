#include "millrace/ops/elementwise/float_blocks.h"

#include "millrace/base/target_clones.h"
#include "millrace/tensor/numeric_types.h"

// clang's macros for these instructions violate -Wpedantic, and clang lacks the
// check for CPU support.
#if defined(__x86_64__) && !defined(__clang__)
#define MILLRACE_F16C 1
#include <immintrin.h>
#endif

namespace millrace::ops {
namespace {

MR_TARGET_CLONES void FromBfloat16(const Bfloat16* x, float* z, int64_t n) {
  for (int64_t i = 0; i < n; ++i) z[i] = float(x[i]);
}

MR_TARGET_CLONES void ToBfloat16(const float* x, Bfloat16* z, int64_t n) {
  for (int64_t i = 0; i < n; ++i) z[i] = Bfloat16(x[i]);
}

#ifdef MILLRACE_F16C
// The compiler has no vector form of these two conversions before AVX512-FP16.
__attribute__((target("avx,f16c"))) void FromHalfF16c(const Half* x, float* z,
                                                      int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i h = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i));
    _mm256_storeu_ps(z + i, _mm256_cvtph_ps(h));
  }
  for (; i < n; ++i) z[i] = _cvtsh_ss(x[i].bits);
}

__attribute__((target("avx,f16c"))) void ToHalfF16c(const float* x, Half* z,
                                                    int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i h =
        _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(z + i), h);
  }
  for (; i < n; ++i) {
    z[i].bits =
        static_cast<uint16_t>(_cvtss_sh(x[i], _MM_FROUND_TO_NEAREST_INT));
  }
}

bool HasF16c() {
  return __builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c");
}
#endif

}  // namespace

void ToFloats(DataType type, const void* from, float* to, int64_t n) {
  if (type == DataType::kBfloat16) {
    return FromBfloat16(static_cast<const Bfloat16*>(from), to, n);
  }
  const Half* x = static_cast<const Half*>(from);
#ifdef MILLRACE_F16C
  if (HasF16c()) return FromHalfF16c(x, to, n);
#endif
  for (int64_t i = 0; i < n; ++i) to[i] = float(x[i]);
}

void FromFloats(DataType type, const float* from, void* to, int64_t n) {
  if (type == DataType::kBfloat16) {
    return ToBfloat16(from, static_cast<Bfloat16*>(to), n);
  }
  Half* z = static_cast<Half*>(to);
#ifdef MILLRACE_F16C
  if (HasF16c()) return ToHalfF16c(from, z, n);
#endif
  for (int64_t i = 0; i < n; ++i) z[i] = Half(from[i]);
}

}  // namespace millrace::ops
