#include "millrace/ops/arithmetic/gamma_slope.h"

#include <gtest/gtest.h>

#include "millrace/base/clock.h"

namespace millrace::ops {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Known {
  double alpha, sample, slope;
};

// Computed by the same sums with 113 bits and as many terms as they need.
constexpr Known kKnown[] = {
    {0.398107, 35.4813, 6.0709522729119643},
    {10, 616.595, 4.2358288418178578},
    {112.202, 1621.81, 2.8729820143439531},
    {1000, 5623.41, 2.1007773994898673},
    {90000, 101000, 1.0587651868618408},
    {99999.99999, 101000, 1.0049850911886582},
    {1e5, 101000, 1.0049850911384921},
    {1e5, 130000, 1.1369137032105325},
    {1e5, 1e5, 1.0000016666683333},
    {1e5, 1e-5, 2.3025855932234691e-09},
    {1e6, 1e6, 1.0000001666666833},
    {1e7, 1e9, 4.651687103332848},
    {1e8, 1.1749e8, 1.082755581369206},
    {1e10, 9.9999e9, 0.99999499999999986},
    {1e12, 1.000002e12, 1.0000009999995001},
    {1.5, 1e200, 460.48052862483058},
    {3, 1e18, 40.523747338794358},
};

TEST(GammaSlope, KnownValues) {
  for (const Known& k : kKnown) {
    EXPECT_NEAR(GammaSampleSlope(k.alpha, k.sample) / k.slope, 1, 1e-11)
        << k.alpha << ' ' << k.sample;
  }
}

TEST(GammaSlope, Ends) {
  EXPECT_EQ(GammaSampleSlope(3, 0), 0);
  EXPECT_TRUE(std::isnan(GammaSampleSlope(0, 1)));
  EXPECT_TRUE(std::isnan(GammaSampleSlope(1, -1)));
  EXPECT_TRUE(std::isnan(GammaSampleSlope(1, kInfinity)));
  EXPECT_TRUE(std::isnan(GammaSampleSlope(kInfinity, 1)));
  EXPECT_TRUE(std::isnan(GammaSampleSlope(kInfinity, kInfinity)));
  EXPECT_TRUE(std::isfinite(GammaSampleSlope(1e300, 1e-300)));
  EXPECT_TRUE(std::isfinite(GammaSampleSlope(1e300, 1e308)));
  EXPECT_TRUE(std::isfinite(GammaSampleSlope(1e5, 1e308)));
  EXPECT_TRUE(std::isfinite(GammaSampleSlope(1e-3, 1e308)));
}

TEST(IncompleteGammaSlope, IsTheSlope) {
  for (const double a : {0.1, 0.9, 2.5, 30.0, 180.0}) {
    for (const double x : {0.01, 0.7, 2.4, 33.0, 200.0}) {
      const double h = 1e-5 * a;
      const double slope = (special::IncompleteGamma(a + h, x) -
                            special::IncompleteGamma(a - h, x)) /
                           (2 * h);
      EXPECT_NEAR(IncompleteGammaSlope(a, x), slope, 1e-8) << a << ' ' << x;
    }
  }
}

TEST(IncompleteGammaSlope, Ends) {
  EXPECT_EQ(IncompleteGammaSlope(3, 0), 0);
  EXPECT_EQ(IncompleteGammaSlope(3, kInfinity), 0);
  EXPECT_EQ(IncompleteGammaSlope(kInfinity, 3), 0);
  EXPECT_EQ(IncompleteGammaSlope(3, 1e308), 0);
  EXPECT_TRUE(std::isnan(IncompleteGammaSlope(kInfinity, kInfinity)));
  EXPECT_TRUE(std::isnan(IncompleteGammaSlope(0, 1)));
  EXPECT_TRUE(std::isnan(IncompleteGammaSlope(1, -1)));
  EXPECT_TRUE(std::isfinite(IncompleteGammaSlope(1e300, 1e-300)));
}

// A shard of a kernel ends within 100 ms only if no element takes long. These
// arguments once took 200 us and more each, most of it spent on waiting for
// rounding errors to agree.
TEST(GammaSlope, TakesNoLongTime) {
  const int64_t begin = NowNanos();
  double sum = 0;
  for (int i = 0; i < 300; ++i) {
    for (const double alpha : {28.1838, 1e5, 1e12, kInfinity}) {
      sum += GammaSampleSlope(alpha + i, 1071.52);
      sum += GammaSampleSlope(alpha + i, alpha);
      sum += GammaSampleSlope(112.202, alpha + i);
      sum += GammaSampleSlope(112.202 + i, 1621.81);
    }
  }
  EXPECT_LT(NowNanos() - begin, 500'000'000) << sum;
}

}  // namespace
}  // namespace millrace::ops
