// Binary ops: what each makes of one element of both operands. Needs
// unary.gpu.cu.
//
// Texts: elementwise/program.gpu.cu arithmetic/unary.gpu.cu
// Defines: X0 = X; X = half bfloat16 float double int8_t int16_t int64_t
//      uint8_t uint16_t uint32_t uint64_t complex64 complex128; Z = X;
//      BINARY_RESULT = "Apply<op::Add>(x0[i], x1[i])" "Apply<op::Sub>(x0[i],
//      x1[i])" "Apply<op::Mul>(x0[i], x1[i])" "Apply<op::Div>(x0[i], x1[i])"
// Defines: X0 = X; X = half bfloat16 float double int8_t int16_t int64_t
//      uint8_t uint16_t uint32_t uint64_t; Z = X;
//      BINARY_RESULT = "Apply<op::Maximum>(x0[i], x1[i])"
//      "Apply<op::Minimum>(x0[i], x1[i])" "Apply<op::FloorMod>(x0[i], x1[i])"
//      "Apply<op::TruncateMod>(x0[i], x1[i])"
//      "op::DivideAndCut<op::FloorDiv>(x0[i], x1[i])"
//      "op::DivideAndCut<op::TruncateDiv>(x0[i], x1[i])"
// Defines: X0 = X; X = half bfloat16 float double int64_t complex64
//      complex128; Z = X;
//      BINARY_RESULT = "Apply<op::SquaredDifference>(x0[i], x1[i])"
// Defines: X0 = X; X = half bfloat16 float double int8_t int16_t int64_t
//      complex64 complex128; Z = X;
//      BINARY_RESULT = "Apply<op::Pow>(x0[i], x1[i])"
// Defines: X0 = X; X = half bfloat16 float double complex64 complex128; Z = X;
//      BINARY_RESULT = "Apply<op::MulNoNan>(x0[i], x1[i])"
//      "Apply<op::DivNoNan>(x0[i], x1[i])" "Apply<op::Xdivy>(x0[i], x1[i])"
//      "Apply<op::Xlogy>(x0[i], x1[i])" "Apply<op::Xlog1py>(x0[i], x1[i])"
// Defines: X0 = X; X = half bfloat16 float double; Z = X;
//      BINARY_RESULT = "Apply<op::Atan2>(x0[i], x1[i])"
// Defines: X0 = X; X = float double; Z = X;
//      BINARY_RESULT = "Apply<op::NextAfter>(x0[i], x1[i])"

namespace op {

struct Add {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    return Plus(x, y);
  }
};
using AddV2 = Add;
struct Sub {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    return Minus(x, y);
  }
};
struct Mul {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    return Times(x, y);
  }
};
struct MulNoNan {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    return y == T(0) ? T(0) : Times(x, y);
  }
};
struct Maximum {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    return Larger(x, y);
  }
};
struct Minimum {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    return Smaller(x, y);
  }
};
struct SquaredDifference {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    const T d = Minus(x, y);
    return Times(d, Conjugate(d));
  }
};

// A device has no way to report a divisor of 0: as on TensorFlow's GPUs the
// quotient has all bits set, and the remainder is x.
template <class T>
MR_DEVICE T Quotient(T x, T y) {
  if (y == T(0)) return static_cast<T>(-1);
  if constexpr (kIsSigned<T>) {
    if (y == T(-1)) return Minus(T(0), x);
  }
  return static_cast<T>(x / y);
}
template <class T>
MR_DEVICE T Remainder(T x, T y) {
  if (y == T(0)) return x;
  if constexpr (kIsSigned<T>) {
    if (y == T(-1)) return T(0);
  }
  return static_cast<T>(x % y);
}

struct Div {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    if constexpr (kIsInteger<T>) {
      return Quotient(x, y);
    } else {
      return x / y;
    }
  }
};
using RealDiv = Div;

// Quotients of 16 bits are rounded to their type before they are cut to an
// integer, which matters where they lie just below one.
template <class Op, class T>
MR_DEVICE T DivideAndCut(T x, T y) {
  if constexpr (kIsInteger<T>) {
    return Op::Do(x, y);
  } else {
    return Apply<Op>(Apply<Div>(x, y));
  }
}
struct TruncateDiv {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    return Quotient(x, y);
  }
  MR_DEVICE static float Do(float x) { return truncf(x); }
  MR_DEVICE static double Do(double x) { return trunc(x); }
};
struct FloorDiv {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    const T q = Quotient(x, y);
    if constexpr (kIsSigned<T>) {
      if (y != T(0) && Remainder(x, y) != T(0) && (x < T(0)) != (y < T(0))) {
        return static_cast<T>(q - T(1));
      }
    }
    return q;
  }
  MR_DEVICE static float Do(float x) { return floorf(x); }
  MR_DEVICE static double Do(double x) { return floor(x); }
};

struct TruncateMod {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    if constexpr (kIsInteger<T>) {
      return Remainder(x, y);
    } else if constexpr (kIsSame<T, float>) {
      return fmodf(x, y);
    } else {
      return fmod(x, y);
    }
  }
};
using Mod = TruncateMod;
struct FloorMod {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    const T r = TruncateMod::Do(x, y);
    if constexpr (kIsInteger<T> && !kIsSigned<T>) {
      return r;
    } else {
      return r != T(0) && y != T(0) && (y < T(0)) != (r < T(0)) ? Plus(r, y)
                                                                : r;
    }
  }
};
struct DivNoNan {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    return y == T(0) ? T(0) : x / y;
  }
};
struct Xdivy {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    return x == T(0) ? T(0) : x / y;
  }
};
struct Xlogy {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    return x == T(0) ? T(0) : Times(x, Log::Do(y));
  }
};
struct Xlog1py {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    return x == T(0) ? T(0) : Times(x, Log1p::Do(y));
  }
};
// A negative power of an integer, which is an error on a CPU, is the quotient
// of 1 and the positive power, cut to an integer.
struct Pow {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    if constexpr (kIsInteger<T>) {
      if (y < T(0)) {
        if (x == T(1)) return T(1);
        if (x == T(-1)) return y % T(2) == T(0) ? T(1) : T(-1);
        return T(0);
      }
      T result = 1;
      for (T base = x; y > T(0); y = static_cast<T>(y >> 1)) {
        if (y & T(1)) result = Times(result, base);
        base = Times(base, base);
      }
      return result;
    } else if constexpr (kIsComplex<T>) {
      if (y == T(0)) return T(1);
      return x == T(0) ? T(0) : math::ComplexExp(y * math::ComplexLog(x));
    } else if constexpr (kIsSame<T, float>) {
      return powf(x, y);
    } else {
      return pow(x, y);
    }
  }
};
struct Atan2 {
  template <class T>
  MR_DEVICE static T Do(T y, T x) {
    return math::Atan2(y, x);
  }
};
struct NextAfter {
  MR_DEVICE static float Do(float x, float y) { return nextafterf(x, y); }
  MR_DEVICE static double Do(double x, double y) { return nextafter(x, y); }
};

}  // namespace op

#ifdef BINARY_RESULT
SAMPLE_PROGRAM(X0, X, Z, BINARY_RESULT)
#endif
