// Factors of matrices of sizes on both sides of each cut: their products are
// the matrix again, within some rounding errors.
#include <gtest/gtest.h>

#include "millrace/ops/linalg/cholesky_factor.h"
#include "millrace/ops/linalg/lu_factors.h"
#include "millrace/ops/linalg/qr_factors.h"
#include "millrace/ops/linalg/testing/matrices.h"

namespace millrace::ops {
namespace {

constexpr int64_t kSizes[] = {1, 2, 15, 16, 17, 32, 33, 48, 49, 65, 150};

template <class S>
class FactorsTest : public testing::Test {
 protected:
  StopFlag stop_{nullptr};
};
using ElementTypes =
    testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(FactorsTest, ElementTypes);

TYPED_TEST(FactorsTest, ProductsOfBlocksAreThoseOfElements) {
  using S = TypeParam;
  for (const int64_t n : {1, 2, 4, 7, 16, 100, 300, 530}) {
    const int64_t m = n % 7 + 95, depth = n % 5 + n;
    const Matrix<S> a = RandomMatrix<S>(m, depth),
                    b = RandomMatrix<S>(depth, n);
    const Matrix<S> expected = PlainProduct(a, b);
    EXPECT_LE(Distance(expected, Product(a, b, this->stop_)),
              Rounding<S>(depth));
    Matrix<S> c(m, n);
    SubtractProduct(All(a), All(b.Adjoint()), All(&c), this->stop_,
                    Second::kAdjoint);
    c.Scale(S(-1));
    EXPECT_LE(Distance(expected, c), Rounding<S>(depth)) << n;
  }
}

TYPED_TEST(FactorsTest, LowerHalfOfAProductIsComplete) {
  using S = TypeParam;
  for (const int64_t n : {5, 97, 600}) {
    const Matrix<S> a = RandomMatrix<S>(n, 20);
    Matrix<S> c(n, n), all(n, n);
    SubtractProduct(All(a), All(a), All(&all), this->stop_, Second::kAdjoint);
    SubtractProduct(All(a), All(a), All(&c), this->stop_, Second::kAdjoint,
                    Wanted::kLowerHalf);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) ASSERT_EQ(c(i, j), all(i, j));
    }
  }
}

TYPED_TEST(FactorsTest, CholeskyTimesItsAdjoint) {
  using S = TypeParam;
  for (const int64_t n : kSizes) {
    const Matrix<S> a = RandomMatrix<S>(n, n);
    Matrix<S> definite = PlainProduct(a, a.Adjoint());
    for (int64_t i = 0; i < n; ++i) definite(i, i) += S(1);
    Matrix<S> l = definite;
    // Only the lower half is read.
    for (int64_t i = 0; i < n; ++i)
      std::fill(l.row(i) + i + 1, l.row(i) + n, S(9));
    ASSERT_TRUE(FactorCholesky(&l, this->stop_)) << n;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i + 1; j < n; ++j) ASSERT_EQ(l(i, j), S(0));
    }
    EXPECT_LE(Distance(definite, PlainProduct(l, l.Adjoint())), Rounding<S>(n))
        << n;
    definite(n / 2, n / 2) = S(-1);
    EXPECT_FALSE(FactorCholesky(&definite, this->stop_)) << n;
  }
}

TYPED_TEST(FactorsTest, SolutionsByLu) {
  using S = TypeParam;
  for (const int64_t n : kSizes) {
    Matrix<S> a = RandomMatrix<S>(n, n);
    for (int64_t i = 0; i < n; ++i) a(i, (i + 1) % n) += S(n);
    const LuFactors<S> f = FactorLu(a, this->stop_);
    ASSERT_TRUE(f.IsInvertible());
    Matrix<S> l = Matrix<S>::Identity(n, n), u(n, n), permuted(n, n);
    for (int64_t i = 0; i < n; ++i) {
      std::copy(f.lu.row(i), f.lu.row(i) + i, l.row(i));
      std::copy(f.lu.row(i) + i, f.lu.row(i) + n, u.row(i) + i);
      std::copy(a.row(f.order[i]), a.row(f.order[i]) + n, permuted.row(i));
    }
    EXPECT_LE(Distance(permuted, PlainProduct(l, u)), Rounding<S>(n)) << n;
    const Matrix<S> x = RandomMatrix<S>(n, 3);
    EXPECT_LE(Distance(x, SolveLu(f, PlainProduct(a, x), this->stop_)),
              20 * Rounding<S>(n))
        << n;
    // A matrix with two equal columns of small whole numbers.
    Matrix<S> singular = Matrix<S>::Identity(n, n);
    if (n > 1)
      std::copy(singular.row(0), singular.row(0) + n, singular.row(n - 1));
    EXPECT_EQ(FactorLu(singular, this->stop_).singular, n > 1);
  }
}

TYPED_TEST(FactorsTest, UnitaryTimesTriangular) {
  using S = TypeParam;
  for (const int64_t n : kSizes) {
    for (const int64_t m : {n, n + 9, std::max<int64_t>(1, n - 5)}) {
      const Matrix<S> a = RandomMatrix<S>(m, n);
      Matrix<S> q, r;
      FactorQr(a, m, &q, &r, this->stop_);
      EXPECT_LE(Distance(a, PlainProduct(q, r)), Rounding<S>(n))
          << m << ' ' << n;
      EXPECT_LE(
          Distance(Matrix<S>::Identity(m, m), PlainProduct(q.Adjoint(), q)),
          Rounding<S>(n))
          << m << ' ' << n;
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < std::min(i, n); ++j) ASSERT_EQ(r(i, j), S(0));
      }
    }
  }
}

}  // namespace
}  // namespace millrace::ops
