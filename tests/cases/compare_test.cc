#include "tests/cases/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace millrace::cases {
namespace {

const float kNan = std::nanf("");
const float kInf = std::numeric_limits<float>::infinity();

bool Equal(const Case::Options& o, std::initializer_list<float> a,
           std::initializer_list<float> b) {
  return Difference(o, Tensor::Vector<float>(a), Tensor::Vector<float>(b))
      .empty();
}

TEST(Difference, DefaultToleranceByType) {
  const Case::Options o;
  EXPECT_TRUE(Equal(o, {1.000001f, kNan, kInf}, {1, kNan, kInf}));
  EXPECT_FALSE(Equal(o, {1.0001f}, {1}));
  EXPECT_FALSE(Equal(o, {kInf}, {-kInf}));
  EXPECT_FALSE(Equal(o, {kInf}, {3e38f}));
  EXPECT_FALSE(Equal(o, {kNan}, {1}));
  EXPECT_FALSE(
      Difference(o, Tensor::Vector<int32_t>({3}), Tensor::Vector<int32_t>({4}))
          .empty());
  EXPECT_TRUE(Difference(o, Tensor::Vector<Half>({Half(1.001f)}),
                         Tensor::Vector<Half>({Half(1.0f)}))
                  .empty());
}

TEST(Difference, UnitsInTheLastPlace) {
  Case c;
  c.Ulp(1);
  EXPECT_TRUE(Equal(c.options, {std::nextafter(1.0f, 2.0f), -0.0f}, {1, 0}));
  EXPECT_FALSE(Equal(c.options, {1.0000003f}, {1}));
  c.Exact();
  EXPECT_FALSE(Equal(c.options, {-0.0f}, {0.0f}));
  EXPECT_TRUE(Equal(c.options, {kNan}, {-kNan}));
}

TEST(Difference, SaysWhere) {
  const Case::Options o;
  EXPECT_EQ(Difference(o, Tensor::Vector<float>({1, 2, 3}),
                       Tensor::Vector<float>({1, 5, 6})),
            "element 1 is 2, expected 5 (2 of 3 differ)");
  EXPECT_EQ(Difference(o, Tensor::Vector<float>({1}), Tensor::Scalar(1.0f)),
            "shape is [1], expected []");
  EXPECT_EQ(Difference(o, Tensor::Scalar(1.0), Tensor::Scalar(1.0f)),
            "dtype is double, expected float");
  EXPECT_EQ(Difference(o, Tensor::Vector<std::string>({"a"}),
                       Tensor::Vector<std::string>({"b"})),
            "element 0 is \"a\", expected \"b\" (1 of 1 differ)");
  EXPECT_EQ(Difference(o, Tensor(), Tensor::Scalar(1.0f)), "there is no value");
  EXPECT_EQ(Difference(o, Tensor(), Tensor()), "");
}

TEST(Difference, ComplexPartsByTheLargerOne) {
  const Case::Options o;
  const auto one = [](float re, float im) {
    return Tensor::Scalar(Complex64(re, im));
  };
  EXPECT_EQ(Difference(o, one(1000, 0.001f), one(1000, 0)), "");
  EXPECT_NE(Difference(o, one(1000, 0.1f), one(1000, 0)), "");
}

}  // namespace
}  // namespace millrace::cases
