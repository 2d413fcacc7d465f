// C++ types of the elements, and the map between them and DataType.
//
// half and bfloat16 are storage types: computations use float. Quantized types
// wrap their integer so that each DataType has a C++ type of its own.
#pragma once

#include <bit>
#include <complex>
#include <cstdint>
#include <cstring>

#include "millrace/tensor/dtype.h"
#include "millrace/tensor/half_conversion.h"

namespace millrace {

// IEEE 754 binary16. Conversions round to nearest even.
struct Half {
  uint16_t bits = 0;

  Half() = default;
  explicit Half(float f) : bits(internal::HalfBits(f)) {}
  // Rounds once, from the double.
  explicit Half(double d) : bits(internal::HalfBits(d)) {}
  template <class I>
  requires std::is_integral_v<I>
  explicit Half(I i) : Half(static_cast<float>(i)) {}
  explicit operator float() const { return internal::HalfValue(bits); }
  explicit operator double() const { return internal::HalfValue(bits); }
  static Half FromBits(uint16_t b) {
    Half h;
    h.bits = b;
    return h;
  }
};

// The upper half of a float, round to nearest even; a NaN stays a quiet NaN.
struct Bfloat16 {
  uint16_t bits = 0;

  Bfloat16() = default;
  explicit Bfloat16(float f) {
    uint32_t u = std::bit_cast<uint32_t>(f);
    if ((u & 0x7fffffffu) > 0x7f800000u) {
      bits = static_cast<uint16_t>((u >> 16) | 0x0040u);
    } else {
      u += 0x7fffu + ((u >> 16) & 1u);
      bits = static_cast<uint16_t>(u >> 16);
    }
  }
  explicit Bfloat16(double d) : Bfloat16(static_cast<float>(d)) {}
  template <class I>
  requires std::is_integral_v<I>
  explicit Bfloat16(I i) : Bfloat16(static_cast<float>(i)) {}
  explicit operator float() const {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
  explicit operator double() const { return static_cast<float>(*this); }
  static Bfloat16 FromBits(uint16_t b) {
    Bfloat16 h;
    h.bits = b;
    return h;
  }
};

inline bool operator==(Half a, Half b) { return float(a) == float(b); }
inline bool operator<(Half a, Half b) { return float(a) < float(b); }
inline bool operator==(Bfloat16 a, Bfloat16 b) { return float(a) == float(b); }
inline bool operator<(Bfloat16 a, Bfloat16 b) { return float(a) < float(b); }

// A quantized integer: the plain number, without a scale.
template <class I, int kTag>
struct Quantized {
  using Integer = I;
  I value = 0;
  friend bool operator==(Quantized a, Quantized b) {
    return a.value == b.value;
  }
  friend bool operator<(Quantized a, Quantized b) { return a.value < b.value; }
};
using Qint8 = Quantized<int8_t, 11>;
using Quint8 = Quantized<uint8_t, 12>;
using Qint32 = Quantized<int32_t, 13>;
using Qint16 = Quantized<int16_t, 15>;
using Quint16 = Quantized<uint16_t, 16>;

using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;

// DataTypeOf<T>: the DataType of a C++ element type.
template <class T>
struct DataTypeTraits;
#define MR_DATA_TYPE(T, Name)                            \
  template <>                                            \
  struct DataTypeTraits<T> {                             \
    static constexpr DataType value = DataType::k##Name; \
  };
MR_DATA_TYPE(float, Float)
MR_DATA_TYPE(double, Double)
MR_DATA_TYPE(int32_t, Int32)
MR_DATA_TYPE(uint8_t, Uint8)
MR_DATA_TYPE(int16_t, Int16)
MR_DATA_TYPE(int8_t, Int8)
MR_DATA_TYPE(Complex64, Complex64)
MR_DATA_TYPE(int64_t, Int64)
MR_DATA_TYPE(bool, Bool)
MR_DATA_TYPE(Qint8, Qint8)
MR_DATA_TYPE(Quint8, Quint8)
MR_DATA_TYPE(Qint32, Qint32)
MR_DATA_TYPE(Bfloat16, Bfloat16)
MR_DATA_TYPE(Qint16, Qint16)
MR_DATA_TYPE(Quint16, Quint16)
MR_DATA_TYPE(uint16_t, Uint16)
MR_DATA_TYPE(Complex128, Complex128)
MR_DATA_TYPE(Half, Half)
MR_DATA_TYPE(uint32_t, Uint32)
MR_DATA_TYPE(uint64_t, Uint64)
#undef MR_DATA_TYPE

template <class T>
inline constexpr DataType DataTypeOf = DataTypeTraits<T>::value;

// The type for computations with values of type T: float for half and bfloat16,
// T itself for all others.
template <class T>
struct ComputeTypeOf {
  using type = T;
};
template <>
struct ComputeTypeOf<Half> {
  using type = float;
};
template <>
struct ComputeTypeOf<Bfloat16> {
  using type = float;
};
template <class T>
using ComputeType = typename ComputeTypeOf<T>::type;

}  // namespace millrace
