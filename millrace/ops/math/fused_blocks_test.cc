#include "millrace/ops/math/fused_blocks.h"

#include <gtest/gtest.h>

#include <vector>

namespace millrace::ops {
namespace {

// out = 2 * in[0] + in[1], one op on floats.
class TwiceAndAdd final : public ElementwiseFunction {
 public:
  TwiceAndAdd() : ElementwiseFunction(2, true, 250, "negative") {}
  bool Run(const char* const* in, uint32_t scalars, char* out,
           int64_t n) const override {
    const auto* x = reinterpret_cast<const float*>(in[0]);
    const auto* y = reinterpret_cast<const float*>(in[1]);
    auto* z = reinterpret_cast<float*>(out);
    bool ok = true;
    for (int64_t i = 0; i < n; ++i) {
      const float a = (scalars & 1) ? x[0] : x[i];
      const float b = (scalars & 2) ? y[0] : y[i];
      ok &= a >= 0;
      z[i] = 2 * a + b;
    }
    return ok;
  }
};

// Two stages: 2 * (2 * x + y) + 3.
class FusedBlocksTest : public ::testing::Test {
 protected:
  std::vector<float> Compute(std::vector<float>& x, const std::vector<float>& y,
                             bool in_place) {
    const auto total = static_cast<int64_t>(x.size());
    std::vector<float> z(in_place ? 0 : x.size());
    float* const result = in_place ? x.data() : z.data();
    FusedBlocks blocks(total, 1, sizeof(float), reinterpret_cast<char*>(result),
                       sizeof(float));
    FusedBlocks::Stage stage;
    stage.function = &function_;
    stage.index = 4;
    stage.in[0] = {reinterpret_cast<const char*>(x.data()), sizeof(float)};
    stage.in[1] = {reinterpret_cast<const char*>(y.data()), sizeof(float)};
    blocks.Add(stage);
    stage.index = 6;
    stage.scalars = 2;
    stage.in[0] = {};
    stage.in[1] = {reinterpret_cast<const char*>(&three_), 0};
    blocks.Add(stage);
    blocks.Finish(in_place);
    // As two threads would.
    const int64_t middle =
        total / 2 / FusedBlocks::kBlock * FusedBlocks::kBlock;
    blocks.Run(middle, total);
    blocks.Run(0, middle);
    failed_ = blocks.failed();
    return in_place ? x : z;
  }

  void ExpectRight(int64_t n, bool in_place) {
    std::vector<float> x(static_cast<size_t>(n)), y(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(i % 1000);
      y[i] = static_cast<float>(i % 7);
    }
    const std::vector<float> z = Compute(x, y, in_place);
    for (size_t i = 0; i < z.size(); ++i) {
      ASSERT_EQ(z[i], static_cast<float>(4 * (i % 1000) + 2 * (i % 7) + 3))
          << "element " << i << " of " << n;
    }
    EXPECT_EQ(failed_, FusedBlocks::kNone);
  }

  const TwiceAndAdd function_;
  const float three_ = 3;
  size_t failed_ = 0;
};

TEST_F(FusedBlocksTest, WholeAndPartialBlocks) {
  for (int64_t n : {1, 5, 1023, 1024, 1025, 4096, 70'001}) {
    ExpectRight(n, false);
    ExpectRight(n, true);
  }
}

// Larger than the caches of most machines: written past them.
TEST_F(FusedBlocksTest, LargeResults) { ExpectRight(20'000'003, false); }

TEST_F(FusedBlocksTest, TheFirstStageThatFailsIsTold) {
  std::vector<float> x(5000, 1), y(5000, 0);
  y[10] = -100;  // the second stage
  Compute(x, y, false);
  EXPECT_EQ(failed_, 6u);
  x[4000] = -1;  // the first, in a later block
  Compute(x, y, false);
  EXPECT_EQ(failed_, 4u);
}

}  // namespace
}  // namespace millrace::ops
