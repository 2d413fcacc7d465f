// Kernels of powers, logarithms and angles of two operands.
#include <cmath>
#include <limits>
#include <utility>

#include "millrace/ops/elementwise/double_math.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/float_math.h"
#include "millrace/ops/elementwise/inverse_math.h"
#include "millrace/ops/elementwise/numbers.h"

namespace millrace::ops {
namespace {

struct PowOp {
  template <std::integral T>
  static bool Fails(T, T y) {
    return y < 0;
  }
  template <class T>
  static T Do(T x, T y) {
    if constexpr (std::integral<T>) {
      T result = 1;
      for (T base = x; y > 0; y = static_cast<T>(y >> 1)) {
        if (y & 1) result = Times(result, base);
        base = Times(base, base);
      }
      return result;
    } else {
      return std::pow(x, y);
    }
  }
};

struct Atan2Op {
  template <class T>
  static T Do(T y, T x) {
    return vector_math::Atan2(y, x);
  }
};

struct XlogyOp {
  static float Do(float x, float y) {
    return x == 0 ? 0 : x * float_math::Log(y);
  }
  static double Do(double x, double y) {
    return x == 0 ? 0 : x * double_math::Log(y);
  }
  template <class T>
  static T Do(T x, T y) {
    return x == T(0) ? T(0) : Times(x, T(std::log(y)));
  }
};

struct Xlog1pyOp {
  static float Do(float x, float y) {
    return x == 0 ? 0 : x * float_math::Log1p(y);
  }
  static double Do(double x, double y) {
    return x == 0 ? 0 : x * double_math::Log1p(y);
  }
  template <Complex T>
  static T Do(T x, T y) {
    return x == T(0) ? T(0) : Times(x, T(std::log(T(1) + y)));
  }
};

// Computes powers with one exponent for all elements; the usual ones take a few
// instructions.
template <class T>
bool PowByScalar(const void* xv, const void* yv, void* zv, int64_t n);

constexpr BinaryTable PowTable() {
  BinaryTable table = MakeBinaryTable<PowOp>(
      Join<FloatLoops, SignedTypes>(), 8000,
      "Integers to negative integer powers are not allowed");
  table.loops[IndexOf<float>()].vector_scalar = &PowByScalar<float>;
  table.loops[IndexOf<double>()].vector_scalar = &PowByScalar<double>;
  return table;
}

// Returns x to the power of kHalves / 2.
template <int kHalves, class T>
inline T Power(T x) {
  if constexpr (kHalves < 0) {
    return T(1) / Power<-kHalves>(x);
  } else if constexpr (kHalves == 0) {
    return T(1);  // also of NaN
  } else if constexpr (kHalves == 1) {
    // As std::pow, unlike std::sqrt: infinity of -infinity, 0 of -0.
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    return std::sqrt(x == -kInfinity ? kInfinity : x) + T(0);
  } else if constexpr (kHalves == 2) {
    return x;
  } else {
    static_assert(kHalves % 2 == 0);
    return Power<kHalves / 4 * 2>(x) * Power<kHalves - kHalves / 4 * 2>(x);
  }
}

template <int kHalves, class T>
MR_TARGET_CLONES void Powers(const T* x, T* z, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) z[i] = Power<kHalves>(x[i]);
}

// Computes powers by the first of the exponents that is y; returns false if
// none is.
template <class T, int... kHalves>
bool PowersByOneOf(std::integer_sequence<int, kHalves...>, const T* x, T y,
                   T* z, int64_t n) {
  return ((y * 2 == kHalves && (Powers<kHalves>(x, z, n), true)) || ...);
}

template <class T>
bool PowByScalar(const void* xv, const void* yv, void* zv, int64_t n) {
  using Usual = std::integer_sequence<int, -4, -2, -1, 0, 1, 2, 4, 6, 8>;
  const T* x = static_cast<const T*>(xv);
  const T y = *static_cast<const T*>(yv);
  T* z = static_cast<T*>(zv);
  if (!PowersByOneOf(Usual(), x, y, z, n)) {
    for (int64_t i = 0; i < n; ++i) z[i] = std::pow(x[i], y);
  }
  return true;
}

constexpr BinaryTable kPow = PowTable();
constexpr BinaryTable kAtan2 = MakeBinaryTable<Atan2Op>(RealLoops(), 800);
constexpr BinaryTable kXlogy = MakeBinaryTable<XlogyOp>(FloatLoops(), 600);
constexpr BinaryTable kXlog1py = MakeBinaryTable<Xlog1pyOp>(FloatLoops(), 600);

}  // namespace

MR_KERNELS(Pow, Cpu){
    {.make = MakeBinary<kPow>, .elementwise = BinaryFunction<kPow>}};
MR_KERNELS(Atan2, Cpu){
    {.make = MakeBinary<kAtan2>, .elementwise = BinaryFunction<kAtan2>}};
MR_KERNELS(Xlogy, Cpu){
    {.make = MakeBinary<kXlogy>, .elementwise = BinaryFunction<kXlogy>}};
MR_KERNELS(Xlog1py, Cpu){
    {.make = MakeBinary<kXlog1py>, .elementwise = BinaryFunction<kXlog1py>}};

}  // namespace millrace::ops
