// Unary ops: what each makes of one element.
//
// Texts: elementwise/program.gpu.cu
// Defines: X0 = X; X = half bfloat16 float double complex64 complex128; Z = X;
//      UNARY_RESULT = "Apply<op::Sqrt>(x0[i])" "Apply<op::Rsqrt>(x0[i])"
//      "Apply<op::Reciprocal>(x0[i])" "Apply<op::Exp>(x0[i])"
//      "Apply<op::Expm1>(x0[i])" "Apply<op::Log>(x0[i])"
//      "Apply<op::Log1p>(x0[i])" "Apply<op::Sin>(x0[i])"
//      "Apply<op::Cos>(x0[i])" "Apply<op::Tan>(x0[i])" "Apply<op::Asin>(x0[i])"
//      "Apply<op::Acos>(x0[i])" "Apply<op::Atan>(x0[i])"
//      "Apply<op::Sinh>(x0[i])" "Apply<op::Cosh>(x0[i])"
//      "Apply<op::Tanh>(x0[i])" "Apply<op::Asinh>(x0[i])"
//      "Apply<op::Acosh>(x0[i])" "Apply<op::Atanh>(x0[i])"
//      "Apply<op::Sigmoid>(x0[i])"
// Defines: X0 = X; X = half bfloat16 float double; Z = X;
//      UNARY_RESULT = "Apply<op::Floor>(x0[i])" "Apply<op::Ceil>(x0[i])"
//      "Apply<op::Rint>(x0[i])" "Apply<op::Erf>(x0[i])"
//      "Apply<op::Erfc>(x0[i])" "Apply<op::Lgamma>(x0[i])"
// Defines: X0 = X; X = half bfloat16 float double int64_t; Z = X;
//      UNARY_RESULT = "Apply<op::Round>(x0[i])"
// Defines: X0 = X; X = half bfloat16 float double int8_t int16_t int64_t
//      complex64 complex128; Z = X;
//      UNARY_RESULT = "Apply<op::Neg>(x0[i])" "Apply<op::Sign>(x0[i])"
// Defines: X0 = X; X = half bfloat16 float double int8_t int16_t int64_t; Z =
//      X;
//      UNARY_RESULT = "Apply<op::Abs>(x0[i])"
// Defines: X0 = X; X = half bfloat16 float double int8_t int16_t int64_t
//      uint8_t uint16_t uint32_t uint64_t complex64 complex128; Z = X;
//      UNARY_RESULT = "Apply<op::Square>(x0[i])"
// Defines: X0 = X; X = half bfloat16 float double; Z = bool;
//      UNARY_RESULT = "Apply<op::IsNan>(x0[i])" "Apply<op::IsInf>(x0[i])"
//      "Apply<op::IsFinite>(x0[i])"

// The overloads for float and double of what the device's library has.
#define MATH_FUNCTION(Name, of_float, of_double)        \
  MR_DEVICE float Name(float x) { return of_float(x); } \
  MR_DEVICE double Name(double x) { return of_double(x); }
namespace math {
MATH_FUNCTION(Abs, fabsf, fabs)
MATH_FUNCTION(Sqrt, sqrtf, sqrt)
MATH_FUNCTION(Exp, expf, exp)
MATH_FUNCTION(Expm1, expm1f, expm1)
MATH_FUNCTION(Log, logf, log)
MATH_FUNCTION(Log1p, log1pf, log1p)
MATH_FUNCTION(Sin, sinf, sin)
MATH_FUNCTION(Cos, cosf, cos)
MATH_FUNCTION(Tan, tanf, tan)
MATH_FUNCTION(Asin, asinf, asin)
MATH_FUNCTION(Acos, acosf, acos)
MATH_FUNCTION(Atan, atanf, atan)
MATH_FUNCTION(Sinh, sinhf, sinh)
MATH_FUNCTION(Cosh, coshf, cosh)
MATH_FUNCTION(Tanh, tanhf, tanh)
MATH_FUNCTION(Asinh, asinhf, asinh)
MATH_FUNCTION(Acosh, acoshf, acosh)
MATH_FUNCTION(Atanh, atanhf, atanh)
MATH_FUNCTION(Floor, floorf, floor)
MATH_FUNCTION(Ceil, ceilf, ceil)
MATH_FUNCTION(Rint, rintf, rint)
MATH_FUNCTION(Erf, erff, erf)
MATH_FUNCTION(Erfc, erfcf, erfc)
MATH_FUNCTION(Lgamma, lgammaf, lgamma)
MR_DEVICE float Atan2(float y, float x) { return atan2f(y, x); }
MR_DEVICE double Atan2(double y, double x) { return atan2(y, x); }
MR_DEVICE float Hypot(float x, float y) { return hypotf(x, y); }
MR_DEVICE double Hypot(double x, double y) { return hypot(x, y); }
MR_DEVICE float CopySign(float x, float y) { return copysignf(x, y); }
MR_DEVICE double CopySign(double x, double y) { return copysign(x, y); }
template <class R>
MR_DEVICE bool IsInf(R x) {
  return Abs(x) > (kIsSame<R, float> ? R(3.4028234663852886e38)
                                     : R(1.7976931348623157e308));
}

// Functions of complex numbers, by those of real numbers. Kahan's formulas
// ("Branch cuts for complex elementary functions", 1987) keep digits near the
// cuts.

template <class T>
__device__ T ComplexSqrt(T z) {
  using R = Part<T>;
  const R x = z.real(), y = z.imag();
  if (IsInf(y)) return T(Abs(y), y);
  if (x == R(0) && y == R(0)) return T(R(0), y);
  const R t = Sqrt((Abs(x) + Hypot(x, y)) / 2);
  return x >= R(0) ? T(t, y / (2 * t)) : T(Abs(y) / (2 * t), CopySign(t, y));
}
template <class T>
__device__ T ComplexExp(T z) {
  using R = Part<T>;
  const R e = Exp(z.real());
  if (z.imag() == R(0)) return T(e, z.imag());
  return T(e * Cos(z.imag()), e * Sin(z.imag()));
}
template <class T>
__device__ T ComplexLog(T z) {
  using R = Part<T>;
  const R x = Abs(z.real()), y = Abs(z.imag());
  const R large = x < y ? y : x, small = x < y ? x : y;
  // Near the unit circle the logarithm of the size would lose digits.
  const bool near = large > R(0.5) && large < R(1.5) && small < R(1.5);
  const R size = near ? Log1p((large - 1) * (large + 1) + small * small) / 2
                      : Log(Hypot(x, y));
  return T(size, Atan2(z.imag(), z.real()));
}
template <class T>
__device__ T ComplexTanh(T z) {
  using R = Part<T>;
  const R x = z.real(), y = z.imag();
  if (Abs(x) > (kIsSame<R, float> ? R(11) : R(22))) {
    const R s = Sin(y), c = Cos(y);
    return T(CopySign(R(1), x), 4 * s * c * Exp(-2 * Abs(x)));
  }
  const R t = Tan(y), beta = 1 + t * t, s = Sinh(x), rho = Sqrt(1 + s * s);
  const R below = 1 + beta * s * s;
  return T(beta * rho * s / below, t / below);
}
template <class T>
__device__ T ComplexAsin(T z) {
  const T a = ComplexSqrt(T(1) - z), b = ComplexSqrt(T(1) + z);
  return T(Atan2(z.real(), (a * b).real()), Asinh((Conjugate(a) * b).imag()));
}
template <class T>
__device__ T ComplexAtanh(T z) {
  using R = Part<T>;
  const R x = z.real(), y = z.imag();
  return T(Log1p(4 * x / ((1 - x) * (1 - x) + y * y)) / 4,
           Atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2);
}
// Return i z and -i z.
template <class T>
MR_DEVICE T TimesI(T z) {
  return T(-z.imag(), z.real());
}
template <class T>
MR_DEVICE T OverI(T z) {
  return T(z.imag(), -z.real());
}
}  // namespace math
#undef MATH_FUNCTION

namespace op {

// REAL_OP(Name, function) is an op of real numbers; COMPLEX_OP has a formula
// for complex ones, too.
#define REAL_OP(Name, of_real)   \
  struct Name {                  \
    template <class T>           \
    MR_DEVICE static T Do(T x) { \
      return math::of_real(x);   \
    }                            \
  };
#define COMPLEX_OP(Name, of_real, of_complex) \
  struct Name {                               \
    template <class T>                        \
    MR_DEVICE static T Do(T x) {              \
      if constexpr (kIsComplex<T>) {          \
        using R = Part<T>;                    \
        using namespace math;                 \
        const R a = x.real(), b = x.imag();   \
        (void)a, (void)b;                     \
        return of_complex;                    \
      } else {                                \
        return math::of_real(x);              \
      }                                       \
    }                                         \
  };

COMPLEX_OP(Sqrt, Sqrt, ComplexSqrt(x))
COMPLEX_OP(Exp, Exp, ComplexExp(x))
COMPLEX_OP(Log, Log, ComplexLog(x))
// Computes exp(a) cos b - 1 without cancellation near 0.
COMPLEX_OP(Expm1, Expm1,
           T(math::Expm1(a) * math::Cos(b) -
                 2 * math::Sin(b / 2) * math::Sin(b / 2),
             (math::Expm1(a) + R(1)) * math::Sin(b)))
// |1 + x| loses the digits of x where it is near 1.
COMPLEX_OP(Log1p, Log1p,
           T(math::Abs(a) < R(0.5) && math::Abs(b) < R(0.5)
                 ? math::Log1p(a * (R(2) + a) + b * b) / 2
                 : math::Log(math::Hypot(R(1) + a, b)),
             math::Atan2(b, R(1) + a)))
COMPLEX_OP(Sin, Sin,
           T(math::Sin(a) * math::Cosh(b), math::Cos(a) * math::Sinh(b)))
COMPLEX_OP(Cos, Cos,
           T(math::Cos(a) * math::Cosh(b), -math::Sin(a) * math::Sinh(b)))
COMPLEX_OP(Tan, Tan, OverI(ComplexTanh(TimesI(x))))
COMPLEX_OP(Asin, Asin, ComplexAsin(x))
COMPLEX_OP(
    Acos, Acos,
    T(2 * math::Atan2(ComplexSqrt(T(1) - x).real(),
                      ComplexSqrt(T(1) + x).real()),
      math::Asinh(
          (Conjugate(ComplexSqrt(T(1) + x)) * ComplexSqrt(T(1) - x)).imag())))
COMPLEX_OP(Atan, Atan, OverI(ComplexAtanh(TimesI(x))))
COMPLEX_OP(Sinh, Sinh,
           T(math::Sinh(a) * math::Cos(b), math::Cosh(a) * math::Sin(b)))
COMPLEX_OP(Cosh, Cosh,
           T(math::Cosh(a) * math::Cos(b), math::Sinh(a) * math::Sin(b)))
COMPLEX_OP(Tanh, Tanh, ComplexTanh(x))
COMPLEX_OP(Asinh, Asinh, OverI(ComplexAsin(TimesI(x))))
COMPLEX_OP(
    Acosh, Acosh,
    T(math::Asinh(
          (Conjugate(ComplexSqrt(x - T(1))) * ComplexSqrt(x + T(1))).real()),
      2 * math::Atan2(ComplexSqrt(x - T(1)).imag(),
                      ComplexSqrt(x + T(1)).real())))
COMPLEX_OP(Atanh, Atanh, ComplexAtanh(x))
REAL_OP(Floor, Floor)
REAL_OP(Ceil, Ceil)
REAL_OP(Rint, Rint)
REAL_OP(Erf, Erf)
REAL_OP(Erfc, Erfc)
REAL_OP(Lgamma, Lgamma)

struct Round {
  template <class T>
  MR_DEVICE static T Do(T x) {
    if constexpr (kIsInteger<T>) {
      return x;
    } else {
      return math::Rint(x);
    }
  }
};
struct Neg {
  template <class T>
  MR_DEVICE static T Do(T x) {
    if constexpr (kIsInteger<T>) {
      return Minus(T(0), x);
    } else {
      return -x;
    }
  }
};
struct Abs {
  template <class T>
  MR_DEVICE static T Do(T x) {
    if constexpr (kIsInteger<T>) {
      return x < T(0) ? Minus(T(0), x) : x;
    } else {
      return math::Abs(x);
    }
  }
};
struct Sign {
  template <class T>
  MR_DEVICE static T Do(T x) {
    if constexpr (kIsComplex<T>) {
      if (x == T(0)) return T(0);
      const Part<T> size = math::Hypot(x.real(), x.imag());
      return T(x.real() / size, x.imag() / size);
    } else {
      // NaN fails all comparisons and is returned as it is.
      return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == T(0) ? T(0) : x;
    }
  }
};
struct Square {
  template <class T>
  MR_DEVICE static T Do(T x) {
    return Times(x, x);
  }
};
struct Rsqrt {
  template <class T>
  MR_DEVICE static T Do(T x) {
    return T(1) / Sqrt::Do(x);
  }
};
struct Reciprocal {
  template <class T>
  MR_DEVICE static T Do(T x) {
    if constexpr (kIsInteger<T>) {
      // A divisor of 0 gives all bits, as in binary.gpu.cu.
      return x == T(0) ? T(-1) : x == T(1) || x == T(-1) ? x : T(0);
    } else {
      return T(1) / x;
    }
  }
};
using Inv = Reciprocal;
struct Sigmoid {
  template <class T>
  MR_DEVICE static T Do(T x) {
    if constexpr (kIsComplex<T>) {
      return T(1) / (T(1) + math::ComplexExp(-x));
    } else {
      const T e = math::Exp(-math::Abs(x));
      return (x < T(0) ? e : T(1)) / (T(1) + e);
    }
  }
};
struct IsNan {
  template <class T>
  MR_DEVICE static bool Do(T x) {
    return x != x;
  }
};
struct IsInf {
  template <class T>
  MR_DEVICE static bool Do(T x) {
    return math::IsInf(x);
  }
};
struct IsFinite {
  template <class T>
  MR_DEVICE static bool Do(T x) {
    return x == x && !math::IsInf(x);
  }
};

}  // namespace op
#undef REAL_OP
#undef COMPLEX_OP

#ifdef UNARY_RESULT
SAMPLE_PROGRAM(X0, X, Z, UNARY_RESULT)
#endif
