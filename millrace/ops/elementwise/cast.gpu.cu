// Conversions between plain types.
//
// Texts: elementwise/program.gpu.cu
// Defines: X0 = X; X = half bfloat16 float double complex64 complex128 int8_t
//      int16_t int64_t uint8_t uint16_t uint32_t uint64_t int32_t bool; Z =
//      half bfloat16 float double complex64 complex128 int8_t int16_t int64_t
//      uint8_t uint16_t uint32_t uint64_t int32_t bool;
//      CAST_RESULT = "Convert<Z>(x0[i])"
// Defines: X0 = X; X = float double; Z = half;
//      CAST_RESULT = "Convert<Z>(WithoutLastBits<13>(x0[i]))"

// Return the result of x86 for numbers out of range: the smallest number of the
// 32- or 64-bit type, of which narrower types keep the low bits.
template <class F>
MR_DEVICE int32_t ToInt32(F x) {
  return x >= F(-2147483648.0) && x < F(2147483648.0)
             ? static_cast<int32_t>(x)
             : static_cast<int32_t>(0x80000000u);
}
template <class F>
MR_DEVICE int64_t ToInt64(F x) {
  return x >= F(-9223372036854775808.0) && x < F(9223372036854775808.0)
             ? static_cast<int64_t>(x)
             : static_cast<int64_t>(0x8000000000000000ull);
}

template <class To, class From>
MR_DEVICE To ConvertReal(From x) {
  if constexpr (kIsSame<To, bool>) {
    return x != From(0);
  } else if constexpr (kIsReal<From> && kIsInteger<To>) {
    if constexpr (kIsSame<To, int64_t> || kIsSame<To, uint32_t>) {
      return static_cast<To>(ToInt64(x));
    } else if constexpr (kIsSame<To, uint64_t>) {
      const bool upper =
          x >= From(9223372036854775808.0) && x < From(18446744073709551616.0);
      return upper ? static_cast<uint64_t>(
                         ToInt64(x - From(9223372036854775808.0))) +
                         0x8000000000000000ull
                   : static_cast<uint64_t>(ToInt64(x));
    } else {
      return static_cast<To>(ToInt32(x));
    }
  } else if constexpr (kIsSmallFloat<To>) {
    return static_cast<To>(static_cast<float>(x));
  } else {
    return static_cast<To>(x);
  }
}

// Complex numbers lose their imaginary part, and get one of 0.
template <class To, class From>
MR_DEVICE To Convert(From x) {
  if constexpr (kIsComplex<From> && kIsComplex<To>) {
    return To(static_cast<Part<To>>(x.real()), static_cast<Part<To>>(x.imag()));
  } else if constexpr (kIsComplex<From>) {
    return ConvertReal<To>(x.real());
  } else if constexpr (kIsComplex<To>) {
    return To(ConvertReal<Part<To>>(static_cast<Compute<From>>(x)), 0);
  } else {
    return ConvertReal<To>(static_cast<Compute<From>>(x));
  }
}

// Returns x without its last kBits bits, for conversions that cut.
template <int kBits, class T>
MR_DEVICE T WithoutLastBits(T x) {
  if constexpr (kIsSame<T, float>) {
    return __uint_as_float(__float_as_uint(x) & ~((1u << kBits) - 1));
  } else if constexpr (kIsSame<T, double>) {
    return __longlong_as_double(__double_as_longlong(x) &
                                ~((1ll << kBits) - 1));
  } else {
    return T(WithoutLastBits<kBits>(x.real()),
             WithoutLastBits<kBits>(x.imag()));
  }
}

#ifdef CAST_RESULT
SAMPLE_PROGRAM(X0, X, Z, CAST_RESULT)
#endif
