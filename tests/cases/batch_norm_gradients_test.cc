// Gradients of the gradient of batch normalization in training: mean and
// variance move with the batch, so both ops are differentiated together.
#include <gtest/gtest.h>

#include "millrace/client/ops.h"
#include "tests/cases/gradient_check.h"

namespace millrace::cases {
namespace {

using Outputs = std::vector<Output>;

Tensor Batch(TensorShape shape, uint64_t seed) {
  return RandomTensor(DataType::kFloat, std::move(shape), -1, 1, seed);
}

// Of dy, x and scale.
GraphFunction GradOfNorm(const std::string& format) {
  return [format](const Scope& s, const Outputs& in) {
    const Output &dy = in[0], &x = in[1], &scale = in[2];
    const Output offset = ops::ZerosLike(s, scale);
    const Tensor none = Tensor::Zeros(DataType::kFloat, {0});
    const auto norm =
        ops::FusedBatchNormV3(s, x, scale, offset, none, none,
                              {.epsilon = 0.1f, .data_format = format});
    const auto grad = ops::FusedBatchNormGradV3(
        s, dy, x, scale, norm.reserve_space_1, norm.reserve_space_2,
        norm.reserve_space_3, {.epsilon = 0.1f, .data_format = format});
    return Outputs{grad.x_backprop, grad.scale_backprop, grad.offset_backprop};
  };
}

TEST(BatchNormGradients, SecondOrderInTraining) {
  const std::pair<const char*, TensorShape> layouts[] = {
      {"NHWC", TensorShape({2, 2, 2, 3})},
      {"NCHW", TensorShape({2, 3, 2, 2})},
      {"NDHWC", TensorShape({2, 2, 1, 2, 3})},
      {"NCDHW", TensorShape({2, 3, 2, 1, 2})}};
  for (const auto& [format, shape] : layouts) {
    const Tensor scale =
        RandomTensor(DataType::kFloat, TensorShape({3}), 0.5, 2, 3);
    EXPECT_EQ(CheckGradient(GradOfNorm(format),
                            {Batch(shape, 1), Batch(shape, 2), scale},
                            {.tolerance = 5e-3, .step = 1e-2, .second = false}),
              "")
        << format;
  }
}

}  // namespace
}  // namespace millrace::cases
