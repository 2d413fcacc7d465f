#include "millrace/train/optimizers/clip_gradients.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "millrace/client/gradients.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"

namespace millrace::train {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::IsNan;
using testing::Pointwise;

std::vector<float> Values(const Scope& s, const Output& output) {
  Session session(s);
  auto out = session.Run({output});
  EXPECT_TRUE(out.ok()) << out.status();
  if (!out.ok()) return {};
  const auto flat = (*out)[0].flat<float>();
  return {flat.begin(), flat.end()};
}

TEST(ClipGradients, ByValue) {
  const Scope s = Scope::NewRoot();
  const Gradient x = ops::Const(s, {-3.0f, 0.5f, 2.0f});
  EXPECT_THAT(Values(s, ClipByValue(s, x, -1.0, 1.0).tensor),
              ElementsAre(-1, 0.5, 1));
  const Gradient rows =
      IndexedSlices{ops::Const(s, {{5.0f}, {-5.0f}}), ops::Const(s, {3, 3}),
                    ops::Const(s, {4, 1})};
  const Gradient clipped = ClipByValue(s, rows, 0, 2);
  ASSERT_TRUE(clipped.is_slices());
  EXPECT_EQ(clipped.slices.indices, rows.slices.indices);
  EXPECT_THAT(Values(s, clipped.slices.values), ElementsAre(2, 0));
  EXPECT_FALSE(ClipByValue(s, Gradient(), 0, 1));
}

TEST(ClipGradients, ByNorm) {
  const Scope s = Scope::NewRoot();
  const Gradient x = ops::Const(s, {{3.0f, 0.0f}, {4.0f, 0.0f}});
  EXPECT_THAT(Values(s, ClipByNorm(s, x, 2.5).tensor),
              ElementsAre(1.5, 0, 2, 0));
  EXPECT_THAT(Values(s, ClipByNorm(s, x, 10).tensor), ElementsAre(3, 0, 4, 0));
  EXPECT_THAT(Values(s, ClipByNorm(s, x, 1, {.axes = {1}}).tensor),
              ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(Values(s, ClipByNorm(s, ops::Const(s, {0.0f, 0.0f}), 1).tensor),
              ElementsAre(0, 0));
}

TEST(ClipGradients, TheDerivativeOfAClippedZeroIsFinite) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s, {0.0f, 0.0f});
  auto dx = ops::Gradients(s, {ClipByNorm(s, x, 1.0).tensor}, {x});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_THAT(Values(s, dx[0].tensor), ElementsAre(1, 1));
}

TEST(ClipGradients, ByAverageNorm) {
  const Scope s = Scope::NewRoot();
  // The norm is 5, the average norm 2.5.
  const Gradient x = ops::Const(s, {3.0f, 4.0f});
  EXPECT_THAT(Values(s, ClipByAverageNorm(s, x, 1).tensor),
              Pointwise(FloatEq(), {1.2f, 1.6f}));
  EXPECT_THAT(Values(s, ClipByAverageNorm(s, x, 3).tensor),
              Pointwise(FloatEq(), {3.0f, 4.0f}));
}

TEST(ClipGradients, ByGlobalNorm) {
  const Scope s = Scope::NewRoot();
  const Gradient x = ops::Const(s, {3.0f, 0.0f});
  const Gradient rows = IndexedSlices{ops::Const(s, {{4.0f}, {12.0f}}),
                                      ops::Const(s, {1, 1}), Output()};
  const auto clip = ClipByGlobalNorm(s, {x, Gradient(), rows}, 6.5);
  EXPECT_THAT(Values(s, clip.norm), ElementsAre(13));
  ASSERT_EQ(clip.gradients.size(), 3u);
  EXPECT_FALSE(clip.gradients[1]);
  EXPECT_THAT(Values(s, clip.gradients[0].tensor),
              Pointwise(FloatEq(), {1.5f, 0.0f}));
  EXPECT_THAT(Values(s, clip.gradients[2].slices.values),
              Pointwise(FloatEq(), {2.0f, 6.0f}));
  const auto none =
      ClipByGlobalNorm(s, {x}, 100, {.use_norm = ops::Const(s, 13.0f)});
  EXPECT_THAT(Values(s, none.gradients[0].tensor),
              Pointwise(FloatEq(), {3.0f, 0.0f}));
  EXPECT_FALSE(GlobalNorm(s, {Gradient()}));
}

TEST(ClipGradients, AnInfiniteNormMakesEverythingNaN) {
  const Scope s = Scope::NewRoot();
  const Gradient x =
      ops::Const(s, {std::numeric_limits<float>::infinity(), 1.0f});
  const auto clip = ClipByGlobalNorm(s, {x}, 1);
  EXPECT_THAT(Values(s, clip.gradients[0].tensor),
              ElementsAre(IsNan(), IsNan()));
}

}  // namespace
}  // namespace millrace::train
