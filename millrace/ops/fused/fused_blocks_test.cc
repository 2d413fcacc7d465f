#include "millrace/ops/fused/fused_blocks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace millrace::ops {
namespace {

// Computes out = 2 * in[0] + in[1]: one op on floats.
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

// Has two stages: 2 * (2 * x + y) + 3.
class FusedBlocksTest : public ::testing::Test {
 protected:
  std::vector<float> Compute(std::vector<float>& x, const std::vector<float>& y,
                             bool in_place) {
    const auto total = static_cast<int64_t>(x.size());
    std::vector<float> z(in_place ? 0 : x.size());
    float* const result = in_place ? x.data() : z.data();
    FusedBlocks blocks(total, 2, sizeof(float));
    FusedBlocks::Stage stage;
    stage.function = &function_;
    stage.index = 4;
    stage.in[0] = {reinterpret_cast<const char*>(x.data()), sizeof(float)};
    stage.in[1] = {reinterpret_cast<const char*>(y.data()), sizeof(float)};
    blocks.Add(stage);
    stage.index = 6;
    stage.scalars = 2;
    stage.reg = 1;
    stage.in[0] = {};
    stage.in[1] = {reinterpret_cast<const char*>(&three_), 0};
    stage.out = reinterpret_cast<char*>(result);
    stage.out_bytes = sizeof(float);
    stage.in_place = in_place;
    blocks.Add(stage);
    blocks.Finish();
    // Runs both halves, as two threads would.
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

// The results are larger than the caches of most machines, so they are written
// by non-temporal stores.
TEST_F(FusedBlocksTest, LargeResults) { ExpectRight(6'000'003, false); }

// Both stages have results, and the first one's may take over an operand that
// no later stage reads.
TEST_F(FusedBlocksTest, ResultsOfSeveralStages) {
  for (const int64_t n : {3, 1024, 5000, 3'000'001}) {
    for (const bool in_place : {false, true}) {
      std::vector<float> x(static_cast<size_t>(n)), y(x.size());
      std::vector<float> first(x.size()), second(x.size());
      for (size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i % 100);
        y[i] = static_cast<float>(i % 7);
      }
      float* const to = in_place ? x.data() : first.data();
      FusedBlocks blocks(n, 2, sizeof(float));
      FusedBlocks::Stage stage;
      stage.function = &function_;
      stage.in[0] = {reinterpret_cast<const char*>(x.data()), sizeof(float)};
      stage.in[1] = {reinterpret_cast<const char*>(y.data()), sizeof(float)};
      stage.out = reinterpret_cast<char*>(to);
      stage.out_bytes = sizeof(float);
      stage.in_place = in_place;
      stage.readers = 1;
      blocks.Add(stage);
      stage.reg = 1;
      stage.in[0] = {};
      stage.out = reinterpret_cast<char*>(second.data());
      stage.in_place = false;
      blocks.Add(stage);
      blocks.Finish();
      EXPECT_EQ(blocks.passes(), 2u);
      blocks.Run(0, n);
      for (size_t i = 0; i < x.size(); ++i) {
        const auto a = static_cast<float>(2 * (i % 100) + i % 7);
        ASSERT_EQ(to[i], a) << "element " << i << " of " << n;
        ASSERT_EQ(second[i], 2 * a + y[i]) << "element " << i << " of " << n;
      }
    }
  }
}

TEST_F(FusedBlocksTest, TheFirstStageThatFailsIsTold) {
  std::vector<float> x(5000, 1), y(5000, 0);
  y[10] = -100;  // fails in the second stage
  Compute(x, y, false);
  EXPECT_EQ(failed_, 6u);
  x[4000] = -1;  // fails in the first one, in a later block
  Compute(x, y, false);
  EXPECT_EQ(failed_, 4u);
}

// A PairOp as one op on floats.
class PairFunction final : public ElementwiseFunction {
 public:
  explicit PairFunction(PairOp op)
      : ElementwiseFunction(IsBinary(op) ? 2 : 1, true, 250, ""), op_(op) {}
  bool Run(const char* const* in, uint32_t scalars, char* out,
           int64_t n) const override {
    auto* z = reinterpret_cast<float*>(out);
    for (int64_t i = 0; i < n; ++i) {
      const auto at = [&](int k) {
        return reinterpret_cast<const float*>(
            in[k])[(scalars & (1u << k)) ? 0 : i];
      };
      const float x = at(0), y = num_inputs() == 2 ? at(1) : 0;
      switch (op_) {
        case PairOp::kMul:
          z[i] = x * y;
          break;
        case PairOp::kAdd:
          z[i] = x + y;
          break;
        case PairOp::kSub:
          z[i] = x - y;
          break;
        case PairOp::kRelu:
          z[i] = x <= 0 ? 0 : x;
          break;
        default:
          z[i] = x * x;
      }
    }
    return true;
  }

 private:
  const PairOp op_;
};

constexpr PairOp kPairOps[] = {PairOp::kMul, PairOp::kAdd, PairOp::kSub,
                               PairOp::kRelu, PairOp::kSquare};

// Every pair, in every form, gives the same bits with and without its loop.
TEST(FusedPairsTest, ArePassesLessAndTheSameBits) {
  constexpr int64_t kTotal = 1500;
  std::vector<float> x, y, w;
  for (int i = 0; i < kTotal; ++i) {
    x.push_back(1.1f * static_cast<float>(i % 37) - 20);
    y.push_back(0.7f * static_cast<float>(i % 11) - 3);
    w.push_back(1.3f * static_cast<float>(i % 23) - 12);
  }
  const auto block = [](const std::vector<float>& v, bool scalar) {
    return FusedBlocks::Operand{reinterpret_cast<const char*>(v.data()),
                                scalar ? 0 : sizeof(float)};
  };
  int pairs = 0;
  for (const PairOp a : kPairOps) {
    for (const PairOp b : kPairOps) {
      // The form says which operands are one element, and on which side the
      // value is.
      for (uint32_t form = 0; form < 12; ++form) {
        const PairFunction first(a), second(b);
        std::vector<float> z[2];
        size_t passes[2];
        for (const bool paired : {false, true}) {
          std::vector<float>& result = z[paired];
          result.resize(kTotal);
          FusedBlocks blocks(kTotal, 1, sizeof(float));
          FusedBlocks::Stage stage;
          stage.function = &first;
          stage.scalars = IsBinary(a) ? form % 3 : 0;
          stage.in[0] = block(x, stage.scalars & 1);
          stage.in[1] = block(y, stage.scalars & 2);
          stage.readers = 1;
          stage.pair_op = paired ? a : PairOp::kNone;
          blocks.Add(stage);
          const int value = IsBinary(b) ? static_cast<int>(form / 3 % 2) : 0;
          stage = {};
          stage.function = &second;
          stage.scalars = IsBinary(b) && form >= 6 ? 2 >> value : 0;
          stage.in[1 - value] = block(w, stage.scalars != 0);
          stage.in[value] = {};
          stage.pair_op = paired ? b : PairOp::kNone;
          stage.out = reinterpret_cast<char*>(result.data());
          stage.out_bytes = sizeof(float);
          blocks.Add(stage);
          blocks.Finish();
          blocks.Run(0, kTotal);
          passes[paired] = blocks.passes();
        }
        EXPECT_EQ(passes[false], 2u);
        pairs += passes[true] == 1;
        EXPECT_EQ(0, std::memcmp(z[0].data(), z[1].data(), kTotal * 4))
            << static_cast<int>(a) << ", " << static_cast<int>(b) << ", form "
            << form;
      }
    }
  }
  EXPECT_GT(pairs, 100);
}

// A value that two stages read is written for both.
TEST(FusedPairsTest, NoPairOfAValueThatOthersRead) {
  const PairFunction relu(PairOp::kRelu), add(PairOp::kAdd);
  const float x[] = {-1, 2};
  float z[2];
  FusedBlocks blocks(2, 1, sizeof(float));
  FusedBlocks::Stage stage;
  stage.function = &relu;
  stage.in[0] = {reinterpret_cast<const char*>(x), sizeof(float)};
  stage.readers = 2;
  stage.pair_op = PairOp::kRelu;
  blocks.Add(stage);
  stage = {};
  stage.function = &add;  // of the value and itself
  stage.pair_op = PairOp::kAdd;
  stage.out = reinterpret_cast<char*>(z);
  stage.out_bytes = sizeof(float);
  blocks.Add(stage);
  blocks.Finish();
  EXPECT_EQ(blocks.passes(), 2u);
  blocks.Run(0, 2);
  EXPECT_EQ(z[0], 0);
  EXPECT_EQ(z[1], 4);
}

}  // namespace
}  // namespace millrace::ops
