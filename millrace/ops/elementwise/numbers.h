// Arithmetic on single elements that the language leaves undefined or makes
// slow: integers wrap around, and products of complex numbers do not repair
// NaN.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace millrace::ops {

template <class T>
concept Complex = std::is_same_v<T, std::complex<float>> ||
    std::is_same_v<T, std::complex<double>>;
template <class T>
concept Real = std::is_same_v<T, float> || std::is_same_v<T, double>;

// The unsigned type in which T is computed, so that overflow is defined.
template <std::integral T>
using WrapType = std::conditional_t<(sizeof(T) > 4), uint64_t, uint32_t>;

template <class T>
T Plus(T a, T b) {
  if constexpr (std::integral<T>) {
    using U = WrapType<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    return a + b;
  }
}

template <class T>
T Minus(T a, T b) {
  if constexpr (std::integral<T>) {
    using U = WrapType<T>;
    return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
  } else {
    return a - b;
  }
}

template <class T>
T Times(T a, T b) {
  if constexpr (std::integral<T>) {
    using U = WrapType<T>;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  } else if constexpr (Complex<T>) {
    return T(a.real() * b.real() - a.imag() * b.imag(),
             a.real() * b.imag() + a.imag() * b.real());
  } else {
    return a * b;
  }
}

// Returns a / b truncated towards zero. Requires: b is not 0. The smallest
// number divided by -1 is itself.
template <std::integral T>
T Quotient(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return Minus<T>(0, a);
  }
  return static_cast<T>(a / b);
}

// Returns the remainder of Quotient.
template <std::integral T>
T Remainder(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

template <class T>
T Conjugate(T a) {
  if constexpr (Complex<T>) {
    return std::conj(a);
  } else {
    return a;
  }
}

// Return the larger or smaller number: NaN if either is NaN, the first if they
// are equal.
template <class T>
T Larger(T a, T b) {
  return (a < b || b != b) ? b : a;
}
template <class T>
T Smaller(T a, T b) {
  return (b < a || b != b) ? b : a;
}

}  // namespace millrace::ops
