// Elements of half, bfloat16, float, double and complex numbers in memory, for
// the stand-ins of libraries that compute.
#pragma once

#include <complex>
#include <cstdint>
#include <cstring>

namespace millrace::cuda::standin {

struct HalfElement {
  _Float16 value;
  operator float() const { return static_cast<float>(value); }
  HalfElement& operator=(float f) {
    value = static_cast<_Float16>(f);
    return *this;
  }
};

struct Bfloat16Element {
  uint16_t bits;
  operator float() const {
    const uint32_t word = static_cast<uint32_t>(bits) << 16;
    float f;
    std::memcpy(&f, &word, sizeof(f));
    return f;
  }
  Bfloat16Element& operator=(float f) {
    uint32_t word;
    std::memcpy(&word, &f, sizeof(f));
    bits = static_cast<uint16_t>(
        f != f ? (word >> 16) | 0x40u
               : (word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
    return *this;
  }
};

// The type in which products of elements are added up.
template <class T>
struct SumOf {
  using type = T;
};
template <>
struct SumOf<HalfElement> {
  using type = float;
};
template <>
struct SumOf<Bfloat16Element> {
  using type = float;
};

template <class T>
T* At(unsigned long long address) {
  return reinterpret_cast<T*>(address);
}

}  // namespace millrace::cuda::standin
