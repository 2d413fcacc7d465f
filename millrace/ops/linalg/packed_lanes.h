// Vectors of 64 bytes, which hold real numbers or pairs of real and imaginary
// parts. The compiler cuts them into what the processor has.
#pragma once

#include <complex>

#include "millrace/ops/linalg/matrix.h"

namespace millrace::ops {

template <class S>
struct Lanes {
  using R = RealType<S>;
  using Index = std::conditional_t<sizeof(R) == 4, int32_t, int64_t>;
  typedef R Vector
      __attribute__((vector_size(64), aligned(alignof(R)), may_alias));
  typedef Index Mask __attribute__((vector_size(64)));

  static constexpr int kReals = 64 / sizeof(R);
  static constexpr int kCount = 64 / sizeof(S);  // of elements

  // Vectors are not returned: how that is done depends on the processor.

  // Sets `v` to (-i, i, ...), the factors of what Swap gives in a product by an
  // imaginary number.
  static inline __attribute__((always_inline)) void Signs(R i, Vector* v) {
    for (int k = 0; k < kReals; ++k) (*v)[k] = k % 2 == 0 ? -i : i;
  }
  // Exchanges real and imaginary parts.
  static inline __attribute__((always_inline)) void Swap(const Vector& v,
                                                         Vector* out) {
    Mask pairs;
    for (int k = 0; k < kReals; ++k) pairs[k] = k ^ 1;
    *out = __builtin_shuffle(v, pairs);
  }
};

}  // namespace millrace::ops
