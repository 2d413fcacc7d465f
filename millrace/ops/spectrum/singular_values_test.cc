// Singular values and eigenvalues of matrices of many sizes, shapes and ranks:
// the products of the factors are the matrix again, and the vectors are
// orthogonal.
#include "millrace/ops/spectrum/singular_values.h"

#include <gtest/gtest.h>

#include "millrace/ops/linalg/testing/matrices.h"
#include "millrace/ops/spectrum/self_adjoint.h"

namespace millrace::ops {
namespace {

template <class S>
class SpectrumTest : public testing::Test {
 protected:
  StopFlag stop_{nullptr};
};
using ElementTypes =
    testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(SpectrumTest, ElementTypes);

template <class S>
void ExpectFactors(const Matrix<S>& a, int64_t u_cols, StopFlag& stop) {
  const int64_t m = a.rows(), n = a.cols();
  SCOPED_TRACE(testing::Message() << m << " x " << n << ", " << u_cols);
  CountedVector<RealType<S>> values;
  Matrix<S> u, v;
  ASSERT_TRUE(FactorTallSvd(a, u_cols, Vectors::kBoth, &values, &u, &v, stop));
  ASSERT_TRUE(std::is_sorted(values.rbegin(), values.rend()));
  ASSERT_GE(n == 0 ? 0 : values.back(), 0);
  const Matrix<S> u_product = PlainProduct(u.Adjoint(), u);
  EXPECT_LE(Distance(Matrix<S>::Identity(u_cols, u_cols), u_product),
            Rounding<S>(m));
  EXPECT_LE(Distance(Matrix<S>::Identity(n, n), PlainProduct(v.Adjoint(), v)),
            Rounding<S>(n));
  Matrix<S> scaled(m, n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) scaled(i, j) = u(i, j) * values[j];
  }
  EXPECT_LE(Distance(a, PlainProduct(scaled, v.Adjoint())), Rounding<S>(m));
  CountedVector<RealType<S>> alone;
  ASSERT_TRUE(FactorTallSvd(a, u_cols, Vectors::kNone, &alone, &u, &v, stop));
  const double tolerance = n == 0 ? 0 : Rounding<S>(m) * values[0];
  for (int64_t k = 0; k < n; ++k) EXPECT_NEAR(values[k], alone[k], tolerance);
}

TYPED_TEST(SpectrumTest, SingularValuesOfManyShapes) {
  using S = TypeParam;
  for (const int64_t n : {1, 2, 3, 9, 48, 49, 120}) {
    for (const int64_t m : {n, n + 1, n + n / 2, 2 * n + 1}) {
      ExpectFactors(RandomMatrix<S>(m, n), n, this->stop_);
      ExpectFactors(RandomMatrix<S>(m, n), m, this->stop_);
    }
  }
}

TYPED_TEST(SpectrumTest, SingularValuesOfAnyRank) {
  using S = TypeParam;
  for (const int64_t n : {2, 7, 60}) {
    for (const int64_t rank : {int64_t{0}, int64_t{1}, n / 2, n - 1}) {
      const Matrix<S> a = PlainProduct(RandomMatrix<S>(n + 3, rank),
                                       RandomMatrix<S>(rank, n, 2));
      ExpectFactors(a, n + 3, this->stop_);
    }
  }
}

// Matrices that already have two diagonals, with zeros at each place.
TYPED_TEST(SpectrumTest, SingularValuesWithZerosOnTheDiagonals) {
  using S = TypeParam;
  constexpr int64_t kN = 7;
  for (int64_t zero = 0; zero < 2 * kN; ++zero) {
    for (int64_t other = zero; other < 2 * kN; ++other) {
      Matrix<S> a(kN, kN);
      for (int64_t k = 0; k < 2 * kN - 1; ++k) {
        a(k / 2, (k + 1) / 2) = k == zero || k == other ? S(0) : S(1.0 + k);
      }
      ExpectFactors(a, kN, this->stop_);
    }
  }
}

TYPED_TEST(SpectrumTest, SingularValuesOfExtremes) {
  using S = TypeParam;
  using R = RealType<S>;
  using Limits = std::numeric_limits<R>;
  for (const R scale :
       {Limits::min(), Limits::max() / 8, Limits::denorm_min() * R(1 << 20)}) {
    Matrix<S> a = RandomMatrix<S>(5, 4);
    CountedVector<R> plain, scaled;
    Matrix<S> u, v;
    ASSERT_TRUE(
        FactorTallSvd(a, 4, Vectors::kNone, &plain, &u, &v, this->stop_));
    a.Scale(S(scale));
    ASSERT_TRUE(
        FactorTallSvd(a, 4, Vectors::kNone, &scaled, &u, &v, this->stop_));
    // Numbers below the least one of full precision are rounded.
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(scaled[k] / scale, plain[k], 1e-5);
  }
  // Elements of very different sizes.
  Matrix<S> graded(20, 20);
  for (int64_t i = 0; i < 20; ++i) {
    for (int64_t j = 0; j < 20; ++j) {
      graded(i, j) = S(std::pow(R(10), -static_cast<R>(i + j)));
    }
  }
  ExpectFactors(graded, 20, this->stop_);
}

TYPED_TEST(SpectrumTest, SelfAdjointMatricesOfManySizes) {
  using S = TypeParam;
  for (const int64_t n : {1, 2, 3, 9, 64, 150}) {
    const Matrix<S> half = RandomMatrix<S>(n, n), adjoint = half.Adjoint();
    Matrix<S> a(n, n);
    for (int64_t i = 0; i < a.size(); ++i)
      a.data()[i] = half.data()[i] + adjoint.data()[i];
    CountedVector<RealType<S>> values;
    Matrix<S> vt;
    ASSERT_TRUE(FactorSelfAdjoint(a, &values, &vt, this->stop_));
    ASSERT_TRUE(std::is_sorted(values.begin(), values.end()));
    const Matrix<S> v = vt.Transposed();
    EXPECT_LE(Distance(Matrix<S>::Identity(n, n), PlainProduct(v.Adjoint(), v)),
              Rounding<S>(n));
    Matrix<S> scaled = v;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) scaled(i, j) *= values[j];
    }
    EXPECT_LE(Distance(a, PlainProduct(scaled, v.Adjoint())), Rounding<S>(n));
  }
}

TYPED_TEST(SpectrumTest, RotationsOfNumbersOfAnySize) {
  using R = RealType<TypeParam>;
  using Limits = std::numeric_limits<R>;
  const R sizes[] = {0,
                     Limits::denorm_min(),
                     Limits::min(),
                     std::sqrt(Limits::min()),
                     R(1),
                     R(3),
                     std::sqrt(Limits::max()),
                     Limits::max() / 2};
  for (const R p : sizes) {
    for (const R q : sizes) {
      for (const auto& [x, y] : {std::pair(p, q), std::pair(-p, q),
                                 std::pair(p, -q), std::pair(-p, -q)}) {
        const PlaneRotation<R> g(x, y);
        EXPECT_NEAR(g.c * g.c + g.s * g.s, 1, 4 * Limits::epsilon());
        const R length = std::hypot(x, y);
        const R tolerance =
            4 * std::max(Limits::epsilon() * length, Limits::denorm_min());
        EXPECT_NEAR(g.c * x - g.s * y, length, tolerance) << x << ", " << y;
        EXPECT_NEAR(g.s * x + g.c * y, 0, tolerance) << x << ", " << y;
      }
    }
  }
}

}  // namespace
}  // namespace millrace::ops
