#include "millrace/ops/arithmetic/special_functions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace millrace::ops::special {
namespace {

// zeta(2, q) + zeta(2, 1 - q) = (pi / sin(pi q))^2.
TEST(ZetaTest, FarBelowZero) {
  EXPECT_NEAR(Zeta(2, -1e12 + 0.5), M_PI * M_PI - 1e-12, 1e-13);
  EXPECT_NEAR(Zeta(3, -1e9 + 0.25), 2 * M_PI * M_PI * M_PI, 1e-12);
  EXPECT_NEAR(Polygamma(1, -1e12 + 0.5), M_PI * M_PI - 1e-12, 1e-13);
  EXPECT_NEAR(Polygamma(2, -1e9 + 0.25), -4 * M_PI * M_PI * M_PI, 1e-12);
}

// zeta(x, q) = q^-x + zeta(x, q + 1), wherever the terms are added otherwise.
TEST(ZetaTest, GrowsByItsFirstTerm) {
  for (const double x : {2.0, 3.0, 7.0}) {
    for (const double q :
         {-2000.25, -1000.75, -1000.25, -999.75, -999.25, -0.5, 3.5}) {
      const double next = Zeta(x, q + 1);
      EXPECT_NEAR(Zeta(x, q), next + std::pow(q, -x), 1e-13 * std::fabs(next))
          << x << " " << q;
    }
  }
}

}  // namespace
}  // namespace millrace::ops::special
