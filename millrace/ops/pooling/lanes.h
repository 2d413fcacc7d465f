// Loops over channels, in blocks whose values stay in vector registers.
//
//   ForLanes(n, [&]<int kLanes>(int64_t c) MR_LANES {
//     float sums[kLanes];
//   #pragma GCC unroll 4
//     for (int k = 0; k < kLanes; ++k) sums[k] = 0;
//     for (...) {
//   #pragma GCC unroll 4
//       for (int k = 0; k < kLanes; ++k) sums[k] += from[c + k];
//     }
//     ...
//   });
//
// For functions with MR_TARGET_CLONES. Loops over values that are kept from one
// outer iteration to the next need the pragma: it unrolls the few vectors of a
// block; otherwise their array stays in memory. An array that is initialized by
// = {}, or by a loop that the compiler turns into memset, also stays there
// (cmake/ops.cmake lists the files in which the compiler must not do that).
#pragma once

#include <cstdint>

namespace millrace::ops {

#define MR_LANES __attribute__((always_inline))

// Calls f<lanes>(first channel) for blocks of n channels.
template <class F>
MR_LANES inline void ForLanes(int64_t n, const F& f) {
  int64_t c = 0;
  for (; c + 32 <= n; c += 32) f.template operator()<32>(c);
  for (; c + 8 <= n; c += 8) f.template operator()<8>(c);
  for (; c < n; ++c) f.template operator()<1>(c);
}

// Returns whether the machine has AVX-512F.
inline bool HasAvx512() {
#ifdef __x86_64__
  static const bool has = __builtin_cpu_supports("avx512f");
  return has;
#else
  return false;
#endif
}

// Does the same with blocks of 64 if three arrays of them fit into the
// registers, for loops over many rows (unrolled eight times): rows of 64 are
// read contiguously. With two blocks of 32, one after the other over the same
// rows, a batch normalization takes a fifth longer.
template <class F>
MR_LANES inline void ForWideLanes(int64_t n, const F& f) {
  int64_t c = 0;
  if (n >= 64 && HasAvx512()) {
    for (; c + 64 <= n; c += 64) f.template operator()<64>(c);
  }
  ForLanes(n - c, [&]<int kLanes>(int64_t i)
                      MR_LANES { f.template operator()<kLanes>(c + i); });
}

}  // namespace millrace::ops
