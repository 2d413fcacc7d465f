// The functions of float_math.h and of the headers beside it, as far as they
// are of double or new to both, beside those of the C library for long double.
#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "millrace/base/random.h"
#include "millrace/ops/elementwise/error_math.h"
#include "millrace/ops/elementwise/inverse_math.h"

namespace millrace::ops {
namespace {

template <class T>
using Limits = std::numeric_limits<T>;

// Expects `got` within `units` in the last place of `want`. What is subnormal
// may be 0.
template <class T>
void ExpectNear(T got, long double want, double units, const char* name, T x) {
  const T rounded = static_cast<T>(want);
  if (std::isnan(rounded) || std::isinf(rounded) || rounded == 0) {
    EXPECT_TRUE(std::isnan(rounded) ? std::isnan(got) : got == rounded)
        << name << " of " << x << ": " << got << ", expected " << rounded;
    return;
  }
  if (std::abs(rounded) < Limits<T>::min()) {
    EXPECT_LE(std::abs(got), Limits<T>::min()) << name << " of " << x;
    return;
  }
  int exponent;
  std::frexp(rounded, &exponent);
  const long double unit = std::ldexp(1.0L, exponent - Limits<T>::digits);
  EXPECT_LE(std::abs(got - want), units * unit)
      << name << " of " << x << ": " << got << ", expected " << rounded;
}

// Tests numbers in [lo, hi], also small ones, and zeros, infinities and NaN.
template <class T, class F, class G>
void Compare(const char* name, F ours, G libm, double units, double lo,
             double hi, bool edges = true) {
  Rng random(7);
  for (int i = 0; i < 4000; ++i) {
    T x = static_cast<T>(lo + (hi - lo) * random.Double());
    if (i % 2 == 1) x = static_cast<T>(x * std::exp(-20 * random.Double()));
    if (x < lo || x > hi) continue;
    ExpectNear(ours(x), libm(static_cast<long double>(x)), units, name, x);
  }
  if (!edges) return;
  const T inf = Limits<T>::infinity();
  for (T x : {T(0), T(-0.0), T(1), T(-1), inf, -inf, Limits<T>::quiet_NaN(),
              Limits<T>::max(), Limits<T>::lowest(), Limits<T>::min()}) {
    const long double want = libm(static_cast<long double>(x));
    ExpectNear(ours(x), want, units, name, x);
    if (want == 0) {
      EXPECT_EQ(std::signbit(ours(x)), std::signbit(want)) << name;
    }
  }
}

#define COMPARE(T, ours, libm, units, ...)                                   \
  Compare<T>(                                                                \
      #libm, [](auto x) { return ours(x); }, [](auto x) { return libm(x); }, \
      units, __VA_ARGS__)

TEST(VectorMath, FunctionsOfDouble) {
  COMPARE(double, double_math::Exp, std::exp, 2.5, -709, 710);
  COMPARE(double, double_math::Expm1, std::expm1, 2.5, -50, 710);
  COMPARE(double, double_math::Log, std::log, 2.5, 0, 10);
  COMPARE(double, double_math::Log1p, std::log1p, 2.5, -1, 10);
  COMPARE(double, double_math::Tanh, std::tanh, 2.6, -20, 20);
  COMPARE(double, double_math::Sin, std::sin, 2.5, -1e6, 1e6, false);
  COMPARE(double, double_math::Cos, std::cos, 2.5, -1e6, 1e6, false);
  COMPARE(double, double_math::Tan, std::tan, 4, -1e6, 1e6, false);
  COMPARE(double, vector_math::Erf, std::erf, 2, -6, 6);
  COMPARE(double, vector_math::Erfc, std::erfc, 6, -6, 26.4);
  COMPARE(double, vector_math::Sinh, std::sinh, 3, -711, 711);
  COMPARE(double, vector_math::Cosh, std::cosh, 3, -711, 711);
  Compare<double>(
      "sigmoid", [](double x) { return double_math::Sigmoid(x); },
      [](long double x) { return 1 / (1 + std::exp(-x)); }, 2.5, -700, 40);
}

template <class T>
class InverseMath : public testing::Test {};
using RealTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(InverseMath, RealTypes);

TYPED_TEST(InverseMath, OneOperand) {
  COMPARE(TypeParam, vector_math::Atan, std::atan, 3, -5, 5);
  COMPARE(TypeParam, vector_math::Asin, std::asin, 3, -1.01, 1.01);
  COMPARE(TypeParam, vector_math::Acos, std::acos, 3, -1.01, 1.01);
  COMPARE(TypeParam, vector_math::Atanh, std::atanh, 3, -1.01, 1.01);
  COMPARE(TypeParam, vector_math::Asinh, std::asinh, 3, -100, 100);
  COMPARE(TypeParam, vector_math::Acosh, std::acosh, 3, 0.9, 100);
  COMPARE(TypeParam, vector_math::Asinh, std::asinh, 3, -1e30, 1e30);
  COMPARE(TypeParam, vector_math::Acosh, std::acosh, 3, 1, 1e30);
  COMPARE(TypeParam, vector_math::Sinh, std::sinh, 3, -89.4, 89.4);
  COMPARE(TypeParam, vector_math::Cosh, std::cosh, 3, -89.4, 89.4);
  COMPARE(TypeParam, vector_math::Erfc, std::erfc, 6, -6, 9.1);
}

TYPED_TEST(InverseMath, Atan2) {
  using T = TypeParam;
  Rng random(7);
  const auto number = [&random] { return 8 * random.Double() - 4; };
  const auto compare = [](T y, T x) {
    const auto want =
        std::atan2(static_cast<long double>(y), static_cast<long double>(x));
    const T got = vector_math::Atan2(y, x);
    ExpectNear(got, want, 3, "atan2", y);
    if (!std::isnan(want)) {
      EXPECT_EQ(std::signbit(got), std::signbit(want));
    }
  };
  for (int i = 0; i < 4000; ++i) {
    const double scale = i % 2 == 0 ? 1 : std::exp(5 * number());
    const T y = static_cast<T>(number() * scale);
    compare(y, static_cast<T>(number()));
  }
  const T inf = Limits<T>::infinity();
  const T edges[] = {T(0),
                     T(-0.0),
                     T(1),
                     T(-3),
                     inf,
                     -inf,
                     Limits<T>::quiet_NaN(),
                     Limits<T>::max()};
  for (T y : edges) {
    for (T x : edges) compare(y, x);
  }
}

}  // namespace
}  // namespace millrace::ops
