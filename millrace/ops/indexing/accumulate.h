// Changes that scatters make to single elements and to slices, for every dtype
// that they take.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "millrace/ops/elementwise/float_blocks.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Adds x to sum: numbers are added (integers wrap around, 16-bit floating types
// round each time), flags are combined by or, strings are concatenated.
template <class T>
void Accumulate(T& sum, const T& x) {
  if constexpr (std::is_same_v<T, StringElement>) {
    sum.Assign(absl::StrCat(sum.view(), x.view()));
  } else if constexpr (std::is_same_v<T, bool>) {
    sum = sum || x;
  } else if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    sum =
        static_cast<T>(static_cast<U>(static_cast<U>(sum) + static_cast<U>(x)));
  } else {
    using C = ComputeType<T>;
    sum = static_cast<T>(static_cast<C>(sum) + static_cast<C>(x));
  }
}

// Subtracts x from `sum` in the same way; a flag becomes whether both differ.
// Requires: T is no string.
template <class T>
void Deduct(T& sum, const T& x) {
  if constexpr (std::is_same_v<T, bool>) {
    sum = sum != x;
  } else if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    sum =
        static_cast<T>(static_cast<U>(static_cast<U>(sum) - static_cast<U>(x)));
  } else {
    using C = ComputeType<T>;
    sum = static_cast<T>(static_cast<C>(sum) - static_cast<C>(x));
  }
}

// How an update changes what is there.
enum class ScatterHow { kUpdate, kAdd, kSubtract };

// Adds or subtracts in blocks of floats, for types that the compiler converts
// one by one.
template <ScatterHow kHow, class T>
void ScatterByFloats(T* to, const T* updates, int64_t n) {
  constexpr DataType kType = DataTypeOf<T>;
  constexpr int64_t kBlock = 256;
  float sums[kBlock], changes[kBlock];
  for (int64_t at = 0; at < n; at += kBlock) {
    const int64_t m = std::min(kBlock, n - at);
    ToFloats(kType, to + at, sums, m);
    ToFloats(kType, updates + at, changes, m);
    for (int64_t i = 0; i < m; ++i) {
      sums[i] += kHow == ScatterHow::kAdd ? changes[i] : -changes[i];
    }
    FromFloats(kType, sums, to + at, m);
  }
}

// Changes `n` elements by as many updates.
template <ScatterHow kHow, class T>
void ScatterSlice(T* to, const T* updates, int64_t n) {
  if constexpr (kHow == ScatterHow::kUpdate) {
    if (n == 1) {  // for which a call of memmove takes longer
      *to = *updates;
    } else {
      std::copy_n(updates, n, to);
    }
  } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>) {
    ScatterByFloats<kHow>(to, updates, n);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (kHow == ScatterHow::kAdd) {
        Accumulate(to[i], updates[i]);
      } else {
        Deduct(to[i], updates[i]);
      }
    }
  }
}

}  // namespace millrace::ops
