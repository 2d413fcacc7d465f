#include "millrace/client/variables/initializers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "millrace/client/ops.h"
#include "millrace/client/session.h"

namespace millrace {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<float> Made(const Initializer& initializer,
                        const TensorShape& shape) {
  const Scope s = Scope::NewRoot();
  const ops::Variable v = ops::MakeVariable(s.WithOpName("v"), shape,
                                            DataType::kFloat, initializer);
  EXPECT_TRUE(v) << s.status();
  Session session(s);
  EXPECT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  auto out = session.Run({v});
  EXPECT_TRUE(out.ok()) << out.status();
  if (!out.ok()) return {};
  const auto flat = (*out)[0].flat<float>();
  return {flat.begin(), flat.end()};
}

struct Moments {
  double mean = 0;
  double deviation = 0;
  double max = 0;  // of the absolute values
};
Moments MomentsOf(const std::vector<float>& x) {
  Moments m;
  for (const float v : x) {
    m.mean += v / static_cast<double>(x.size());
    m.max = std::max(m.max, std::abs(static_cast<double>(v)));
  }
  for (const float v : x) {
    m.deviation += (v - m.mean) * (v - m.mean) / static_cast<double>(x.size());
  }
  m.deviation = std::sqrt(m.deviation);
  return m;
}

TEST(Initializers, Constants) {
  EXPECT_THAT(Made(Zeros(), TensorShape({2, 2})), Each(0));
  EXPECT_THAT(Made(Ones(), TensorShape({3})), ElementsAre(1, 1, 1));
  EXPECT_THAT(Made(Constant(0.5), TensorShape({2})), ElementsAre(0.5, 0.5));
  EXPECT_THAT(Made(Constant({1.0f, 2.0f, 3.0f, 4.0f}), TensorShape({2, 2})),
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Made(Zeros(), TensorShape({0, 3})), ElementsAre());
}

TEST(Initializers, OfOtherTypes) {
  const Scope s = Scope::NewRoot();
  for (const DataType type :
       {DataType::kInt32, DataType::kBool, DataType::kString,
        DataType::kComplex64, DataType::kHalf, DataType::kDouble}) {
    EXPECT_TRUE(ops::MakeVariable(s, TensorShape({2}), type, Zeros()))
        << DataTypeName(type) << ": " << s.status();
  }
  EXPECT_TRUE(ops::MakeVariable(s, TensorShape({2}), DataType::kBool, Ones()));
  EXPECT_TRUE(s.ok()) << s.status();
  EXPECT_FALSE(
      ops::MakeVariable(s, TensorShape({2}), DataType::kInt32, RandomNormal()));
  EXPECT_THAT(s.status().message(), HasSubstr("expected floating point type"));
}

TEST(Initializers, Distributions) {
  const TensorShape shape({100, 200});
  const Moments uniform =
      MomentsOf(Made(RandomUniform({.min = -2, .max = 2, .seed = 1}), shape));
  EXPECT_NEAR(uniform.mean, 0, 0.03);
  EXPECT_NEAR(uniform.deviation, 2 / std::sqrt(3.0), 0.02);
  EXPECT_LT(uniform.max, 2.0001);
  const Moments normal = MomentsOf(
      Made(RandomNormal({.mean = 1, .stddev = 0.5, .seed = 1}), shape));
  EXPECT_NEAR(normal.mean, 1, 0.02);
  EXPECT_NEAR(normal.deviation, 0.5, 0.01);
  const Moments truncated = MomentsOf(
      Made(TruncatedNormal({.mean = 0, .stddev = 1, .seed = 1}), shape));
  EXPECT_NEAR(truncated.deviation, 0.8796, 0.01);
  EXPECT_LE(truncated.max, 2);
}

TEST(Initializers, VarianceIsScaled) {
  const TensorShape weight({50, 400});
  const auto deviation = [&](const Initializer& i, const TensorShape& shape) {
    return MomentsOf(Made(i, shape)).deviation;
  };
  EXPECT_NEAR(deviation(GlorotUniform({.seed = 1}), weight),
              std::sqrt(1 / 225.0), 0.001);
  EXPECT_NEAR(deviation(GlorotNormal({.seed = 1}), weight),
              std::sqrt(1 / 225.0), 0.001);
  EXPECT_NEAR(deviation(HeNormal({.seed = 1}), weight), std::sqrt(2 / 50.0),
              0.002);
  EXPECT_NEAR(deviation(HeUniform({.seed = 1}), weight), std::sqrt(2 / 50.0),
              0.002);
  EXPECT_NEAR(deviation(LecunNormal({.seed = 1}), weight), std::sqrt(1 / 50.0),
              0.002);
  EXPECT_NEAR(deviation(LecunUniform({.seed = 1}), weight), std::sqrt(1 / 50.0),
              0.002);
  // The receptive field of a filter counts.
  EXPECT_NEAR(deviation(HeNormal({.seed = 1}), TensorShape({5, 5, 8, 100})),
              std::sqrt(2 / 200.0), 0.002);
  EXPECT_NEAR(
      deviation(
          VarianceScaling(
              {.scale = 3,
               .mode = VarianceScalingMode::kFanOut,
               .distribution = VarianceScalingDistribution::kUntruncatedNormal,
               .seed = 1}),
          weight),
      std::sqrt(3 / 400.0), 0.002);
}

TEST(Initializers, OrthogonalMatrices) {
  for (const TensorShape& shape :
       {TensorShape({4, 4}), TensorShape({2, 3, 4}), TensorShape({3, 7})}) {
    const std::vector<float> q =
        Made(Orthogonal({.gain = 2, .seed = 3}), shape);
    const int64_t columns = shape.dim(shape.rank() - 1);
    const int64_t rows = shape.num_elements() / columns;
    // The shorter vectors are orthogonal, of length 2.
    const bool by_rows = rows < columns;
    const int64_t n = by_rows ? rows : columns;
    const int64_t length = by_rows ? columns : rows;
    const auto at = [&](int64_t vector, int64_t i) {
      return q[static_cast<size_t>(by_rows ? vector * columns + i
                                           : i * columns + vector)];
    };
    for (int64_t a = 0; a < n; ++a) {
      for (int64_t b = 0; b < n; ++b) {
        double product = 0;
        for (int64_t i = 0; i < length; ++i) product += at(a, i) * at(b, i);
        EXPECT_NEAR(product, a == b ? 4 : 0, 1e-5);
      }
    }
  }
}

TEST(Initializers, WhatTheyRefuse) {
  const Scope s = Scope::NewRoot();
  ops::MakeVariable(s, TensorShape({4}), DataType::kFloat, Orthogonal());
  EXPECT_THAT(s.status().message(), HasSubstr("at least two-dimensional"));
  const Scope other = Scope::NewRoot();
  ops::MakeVariable(other, TensorShape({4}), DataType::kFloat,
                    VarianceScaling({.scale = 0}));
  EXPECT_THAT(other.status().message(), HasSubstr("must be positive"));
}

}  // namespace
}  // namespace millrace
