// Gradients of ops whose cases cannot have them checked: those that are of
// float alone, or of which only some outputs have gradients.
#include <gtest/gtest.h>

#include "millrace/client/ops.h"
#include "tests/cases/gradient_check.h"

namespace millrace::cases {
namespace {

using Outputs = std::vector<Output>;

// Ops of float are not as smooth as those of double.
constexpr double kFloatTolerance = 3e-2, kFloatStep = 1e-2;

Tensor Numbers(TensorShape shape, uint64_t seed) {
  return RandomTensor(DataType::kDouble, std::move(shape), -1, 1, seed);
}

Outputs CastAll(const Scope& s, const Outputs& x, DataType type) {
  Outputs all;
  for (const Output& one : x) all.push_back(ops::Cast(s, one, type));
  return all;
}

// Checks a function of float.
void ExpectInFloat(const GraphFunction& f, const std::vector<Tensor>& inputs) {
  const GraphFunction wide = [&f](const Scope& s, const Outputs& x) {
    return CastAll(s, f(s, CastAll(s, x, DataType::kFloat)), DataType::kDouble);
  };
  EXPECT_EQ(
      CheckGradient(
          wide, inputs,
          {.tolerance = kFloatTolerance, .step = kFloatStep, .second = false}),
      "");
}

// x, cs_prev, h_prev, the weights, three peepholes and the bias.
std::vector<Tensor> LayerInputs(const TensorShape& x) {
  return {Numbers(x, 1),      Numbers({2, 2}, 2), Numbers({2, 2}, 3),
          Numbers({5, 8}, 4), Numbers({2}, 5),    Numbers({2}, 6),
          Numbers({2}, 7),    Numbers({8}, 8)};
}

TEST(FusedGradients, LstmCell) {
  for (const bool peephole : {false, true}) {
    ExpectInFloat(
        [=](const Scope& s, const Outputs& x) {
          const auto cell =
              ops::LSTMBlockCell(s, x[0], x[1], x[2], x[3], x[4], x[5], x[6],
                                 x[7], {.use_peephole = peephole});
          return Outputs{cell.cs, cell.h};
        },
        LayerInputs({2, 3}));
  }
}

TEST(FusedGradients, BlockLstm) {
  for (const bool peephole : {false, true}) {
    ExpectInFloat(
        [=](const Scope& s, const Outputs& x) {
          const auto layer = ops::BlockLSTM(
              s, ops::Const(s, 3, DataType::kInt64), x[0], x[1], x[2], x[3],
              x[4], x[5], x[6], x[7], {.use_peephole = peephole});
          return Outputs{layer.cs, layer.h};
        },
        LayerInputs({3, 2, 3}));
    ExpectInFloat(
        [=](const Scope& s, const Outputs& x) {
          const auto layer = ops::BlockLSTMV2(
              s, ops::Const(s, 2, DataType::kInt64), x[0], x[1], x[2], x[3],
              x[4], x[5], x[6], x[7], {.use_peephole = peephole});
          return Outputs{layer.cs, layer.h};
        },
        LayerInputs({3, 2, 3}));
  }
}

TEST(FusedGradients, GruCell) {
  ExpectInFloat(
      [](const Scope& s, const Outputs& x) {
        return Outputs{
            ops::GRUBlockCell(s, x[0], x[1], x[2], x[3], x[4], x[5]).h};
      },
      {Numbers({2, 3}, 1), Numbers({2, 2}, 2), Numbers({5, 4}, 3),
       Numbers({5, 2}, 4), Numbers({4}, 5), Numbers({2}, 6)});
}

TEST(FusedGradients, CtcLoss) {
  const auto loss = [](const Scope& s, const Outputs& x) {
    return Outputs{
        ops::CTCLoss(
            s, x[0],
            ops::Const(s, Tensor::Of<int64_t>({3, 2}, {0, 0, 0, 1, 1, 0})),
            ops::Const(s, Tensor::Vector<int32_t>({1, 1, 2})),
            ops::Const(s, Tensor::Vector<int32_t>({5, 3})))
            .loss};
  };
  EXPECT_EQ(CheckGradient(loss, {Numbers({5, 2, 4}, 1)}, {.second = false}),
            "");
}

TEST(FusedGradients, FractionalPools) {
  const auto pools = [](const Scope& s, const Outputs& x) {
    const std::vector<float> ratio = {1, 1.5f, 1.7f, 1};
    return Outputs{
        ops::FractionalMaxPool(
            s, x[0], ratio,
            {.overlapping = true, .deterministic = true, .seed = 3, .seed2 = 5})
            .output,
        ops::FractionalAvgPool(s, x[0], ratio,
                               {.deterministic = true, .seed = 3, .seed2 = 5})
            .output};
  };
  EXPECT_EQ(CheckGradient(pools, {Numbers({1, 5, 7, 2}, 1)}, {.second = false}),
            "");
}

}  // namespace
}  // namespace millrace::cases
