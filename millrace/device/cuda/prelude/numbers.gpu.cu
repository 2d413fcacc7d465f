// The text before every text for GPUs (launch.h): what CUDA's headers would
// bring, in our words. It is compiled by NVRTC, which has threadIdx, barriers,
// shuffles, atomics and the functions of mathematics built in, and in tests by
// a compiler for the CPU, whose own prelude has them and the integers of fixed
// width.
//
// half and bfloat16 are for storage: arithmetic is that of float, and rounds
// when its result is stored.

#define MR_DEVICE __device__ __forceinline__
// Stands before functions that C++ includes, too (kernel/shared_text.h).
#define MR_SHARED MR_DEVICE

#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#endif

// ---- Types without headers.

template <bool kIf, class T, class F>
struct ChooseType {
  typedef T type;
};
template <class T, class F>
struct ChooseType<false, T, F> {
  typedef F type;
};
template <class T, class U>
struct IsSameType {
  static constexpr bool value = false;
};
template <class T>
struct IsSameType<T, T> {
  static constexpr bool value = true;
};
template <class T, class U>
constexpr bool kIsSame = IsSameType<T, U>::value;

// The same bits as another type of the same size.
template <class To, class From>
MR_DEVICE To BitCast(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "types differ in size");
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

// ---- half and bfloat16.

MR_DEVICE float HalfBitsToFloat(uint16_t bits) {
#ifdef __CUDACC_RTC__
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(bits));
  return f;
#else
  return StandInFromHalf(bits);
#endif
}
MR_DEVICE uint16_t FloatToHalfBits(float f) {
#ifdef __CUDACC_RTC__
  uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(f));
  return bits;
#else
  return StandInToHalf(f);
#endif
}
// Rounds once.
MR_DEVICE uint16_t DoubleToHalfBits(double d) {
#ifdef __CUDACC_RTC__
  uint16_t bits;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(d));
  return bits;
#else
  return BitCast<uint16_t>(static_cast<_Float16>(d));
#endif
}
MR_DEVICE uint16_t FloatToBfloat16Bits(float f) {
  const uint32_t u = BitCast<uint32_t>(f);
  if ((u & 0x7fffffffu) > 0x7f800000u) {
    return static_cast<uint16_t>((u >> 16) | 0x40u);  // a quiet NaN
  }
  return static_cast<uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}

// Convert from any number, and to float where an operator needs one.
struct half {
  uint16_t bits;

  half() = default;
  MR_DEVICE half(float f) : bits(FloatToHalfBits(f)) {}
  MR_DEVICE half(double d) : bits(DoubleToHalfBits(d)) {}
  template <class N>
  MR_DEVICE half(N n) : half(static_cast<float>(n)) {}
  MR_DEVICE operator float() const { return HalfBitsToFloat(bits); }
  MR_DEVICE static half FromBits(uint16_t bits) {
    half h;
    h.bits = bits;
    return h;
  }
  MR_DEVICE half& operator+=(float f) { return *this = half(*this + f); }
  MR_DEVICE half& operator-=(float f) { return *this = half(*this - f); }
  MR_DEVICE half& operator*=(float f) { return *this = half(*this * f); }
  MR_DEVICE half& operator/=(float f) { return *this = half(*this / f); }
};

struct bfloat16 {
  uint16_t bits;

  bfloat16() = default;
  MR_DEVICE bfloat16(float f) : bits(FloatToBfloat16Bits(f)) {}
  MR_DEVICE bfloat16(double d) : bfloat16(static_cast<float>(d)) {}
  template <class N>
  MR_DEVICE bfloat16(N n) : bfloat16(static_cast<float>(n)) {}
  MR_DEVICE operator float() const {
    return BitCast<float>(static_cast<uint32_t>(bits) << 16);
  }
  MR_DEVICE static bfloat16 FromBits(uint16_t bits) {
    bfloat16 h;
    h.bits = bits;
    return h;
  }
  MR_DEVICE bfloat16& operator+=(float f) {
    return *this = bfloat16(*this + f);
  }
  MR_DEVICE bfloat16& operator-=(float f) {
    return *this = bfloat16(*this - f);
  }
  MR_DEVICE bfloat16& operator*=(float f) {
    return *this = bfloat16(*this * f);
  }
  MR_DEVICE bfloat16& operator/=(float f) {
    return *this = bfloat16(*this / f);
  }
};

// ---- Complex numbers.

// A product that is rounded even where a sum takes it, which would else be
// computed with it at once.
MR_DEVICE float RoundedProduct(float a, float b) { return __fmul_rn(a, b); }
MR_DEVICE double RoundedProduct(double a, double b) { return __dmul_rn(a, b); }

template <class F>
struct alignas(2 * sizeof(F)) complex {
  F re, im;

  complex() = default;
  MR_DEVICE complex(F re, F im = F(0)) : re(re), im(im) {}
  template <class G>
  MR_DEVICE explicit complex(const complex<G>& o)
      : re(static_cast<F>(o.re)), im(static_cast<F>(o.im)) {}
  MR_DEVICE F real() const { return re; }
  MR_DEVICE F imag() const { return im; }

  MR_DEVICE friend complex operator+(complex a, complex b) {
    return complex(a.re + b.re, a.im + b.im);
  }
  MR_DEVICE friend complex operator-(complex a, complex b) {
    return complex(a.re - b.re, a.im - b.im);
  }
  MR_DEVICE friend complex operator-(complex a) {
    return complex(-a.re, -a.im);
  }
  MR_DEVICE friend complex operator*(complex a, complex b) {
    // As on CPUs, so that z * conj(z) has no imaginary part.
    return complex(RoundedProduct(a.re, b.re) - RoundedProduct(a.im, b.im),
                   RoundedProduct(a.re, b.im) + RoundedProduct(a.im, b.re));
  }
  // By the larger part of the divisor, so that squares do not overflow. By 0,
  // as on CPUs: each part is divided.
  MR_DEVICE friend complex operator/(complex a, complex b) {
    if (b.re == 0 && b.im == 0) return complex(a.re / b.re, a.im / b.re);
    if (fabs(b.re) >= fabs(b.im)) {
      const F ratio = b.im / b.re, scale = b.re + b.im * ratio;
      return complex((a.re + a.im * ratio) / scale,
                     (a.im - a.re * ratio) / scale);
    }
    const F ratio = b.re / b.im, scale = b.re * ratio + b.im;
    return complex((a.re * ratio + a.im) / scale,
                   (a.im * ratio - a.re) / scale);
  }
  MR_DEVICE complex& operator+=(complex o) { return *this = *this + o; }
  MR_DEVICE complex& operator-=(complex o) { return *this = *this - o; }
  MR_DEVICE complex& operator*=(complex o) { return *this = *this * o; }
  MR_DEVICE complex& operator/=(complex o) { return *this = *this / o; }
  MR_DEVICE friend bool operator==(complex a, complex b) {
    return a.re == b.re && a.im == b.im;
  }
  MR_DEVICE friend bool operator!=(complex a, complex b) { return !(a == b); }
};
typedef complex<float> complex64;
typedef complex<double> complex128;

template <class F>
MR_DEVICE complex<F> RoundedProduct(complex<F> a, complex<F> b) {
  return a * b;
}
template <class F>
MR_DEVICE complex<F> Conj(complex<F> z) {
  return complex<F>(z.re, -z.im);
}
template <class T>
MR_DEVICE T Conj(T x) {
  return x;
}
template <class F>
MR_DEVICE F Abs(complex<F> z) {
  return hypot(z.re, z.im);
}
template <class F>
MR_DEVICE F Arg(complex<F> z) {
  return atan2(z.im, z.re);
}
template <class F>
MR_DEVICE complex<F> Polar(F size, F angle) {
  return complex<F>(size * cos(angle), size * sin(angle));
}
template <class F>
MR_DEVICE complex<F> Exp(complex<F> z) {
  return Polar(F(exp(z.re)), z.im);
}
template <class F>
MR_DEVICE complex<F> Log(complex<F> z) {
  return complex<F>(log(Abs(z)), Arg(z));
}

// ---- Which numbers are which.

template <class T>
constexpr bool kIsComplex = kIsSame<T, complex64> || kIsSame<T, complex128>;
template <class T>
constexpr bool kIsSmallFloat = kIsSame<T, half> || kIsSame<T, bfloat16>;
template <class T>
constexpr bool kIsFloat =
    kIsSame<T, float> || kIsSame<T, double> || kIsSmallFloat<T>;
template <class T>
constexpr bool kIsInteger = !kIsFloat<T> && !kIsComplex<T>;

// What values of T are computed in.
template <class T>
using Compute = typename ChooseType<kIsSmallFloat<T>, float, T>::type;

// ---- Limits. Infinite ones are those of integers where T has no infinity.

template <class T>
MR_DEVICE T MaxOf() {
  if constexpr (kIsSame<T, float>)
    return 3.402823466e+38f;
  else if constexpr (kIsSame<T, double>)
    return 1.7976931348623157e+308;
  else if constexpr (kIsSame<T, half>)
    return half::FromBits(0x7bff);
  else if constexpr (kIsSame<T, bfloat16>)
    return bfloat16::FromBits(0x7f7f);
  else if constexpr (kIsSame<T, bool>)
    return true;
  else if constexpr (T(-1) < T(0))
    return static_cast<T>((uint64_t(1) << (8 * sizeof(T) - 1)) - 1);
  else
    return static_cast<T>(~uint64_t(0));
}
template <class T>
MR_DEVICE T MinOf() {
  if constexpr (kIsFloat<T>)
    return T(-static_cast<Compute<T>>(MaxOf<T>()));
  else if constexpr (kIsSame<T, bool>)
    return false;
  else
    return static_cast<T>(-MaxOf<T>() - 1);
}
template <class T>
MR_DEVICE T Lowest() {
  if constexpr (kIsSame<T, bool>)
    return false;
  else if constexpr (kIsInteger<T> && !(T(-1) < T(0)))
    return T(0);
  else
    return MinOf<T>();
}
template <class T>
MR_DEVICE T Infinity() {
  if constexpr (kIsFloat<T>)
    return T(BitCast<float>(0x7f800000u));
  else
    return MaxOf<T>();
}
template <class T>
MR_DEVICE T MinusInfinity() {
  if constexpr (kIsFloat<T>)
    return T(BitCast<float>(0xff800000u));
  else
    return Lowest<T>();
}
template <class T>
MR_DEVICE T QuietNan() {
  return T(BitCast<float>(0x7fc00000u));
}

template <class T>
MR_DEVICE bool IsNan(T x) {
  if constexpr (kIsComplex<T>)
    return IsNan(x.re) || IsNan(x.im);
  else if constexpr (kIsFloat<T>) {
    return !(static_cast<Compute<T>>(x) == static_cast<Compute<T>>(x));
  } else
    return false;
}
template <class T>
MR_DEVICE bool IsInf(T x) {
  if constexpr (kIsFloat<T>) {
    const Compute<T> c = x;
    return c == Infinity<Compute<T>>() || c == MinusInfinity<Compute<T>>();
  } else
    return false;
}
template <class T>
MR_DEVICE bool IsFinite(T x) {
  return !IsNan(x) && !IsInf(x);
}

// Of two numbers; where one is no number, `b`.
template <class T>
MR_DEVICE T MinOf(T a, T b) {
  return a < b ? a : b;
}
template <class T>
MR_DEVICE T MaxOf(T a, T b) {
  return a > b ? a : b;
}
