#include "examples/distributed_cpp/network.h"

#include <cmath>
#include <numbers>

#include "millrace/millrace.h"

namespace millrace::distributed {
namespace {

constexpr int64_t kPoints = 300;
constexpr int64_t kHidden = 20;

Output Dense(const Scope& scope, const Output& x, int64_t inputs,
             int64_t outputs, int64_t seed) {
  const ops::Variable weights(scope.WithOpName("weights"), [&](const Scope& s) {
    const auto [seed1, seed2] = s.Seeds(seed);
    const Output normal = ops::RandomStandardNormal(
        s, Tensor::Vector<int64_t>({inputs, outputs}), DataType::kFloat,
        {.seed = seed1, .seed2 = seed2});
    return ops::Mul(
        s, normal,
        static_cast<float>(1 / std::sqrt(static_cast<double>(inputs))));
  });
  const ops::Variable biases(
      scope.WithOpName("biases"),
      Tensor::Zeros(DataType::kFloat, TensorShape({outputs})));
  return ops::BiasAdd(scope, ops::MatMul(scope, x, weights), biases);
}

}  // namespace

Spirals::Spirals(double offset)
    : points(Tensor::New(DataType::kFloat, TensorShape({kPoints, 2}))),
      classes(Tensor::New(DataType::kInt32, TensorShape({kPoints}))) {
  auto x = points.mutable_flat<float>();
  auto y = classes.mutable_flat<int32_t>();
  for (size_t i = 0; i < y.size(); ++i) {
    const double at = (static_cast<double>(i) + offset) / kPoints;
    const double radius = (0.5 + 2.5 * at) * std::numbers::pi;
    y[i] = static_cast<int32_t>(i % 2);
    const double angle = radius + y[i] * std::numbers::pi;
    x[2 * i] = static_cast<float>(std::cos(angle) * radius / 10);
    x[2 * i + 1] = static_cast<float>(std::sin(angle) * radius / 10);
  }
}

Output Network(const Scope& scope, const Output& x, int64_t seed) {
  const Output hidden = ops::Tanh(
      scope, Dense(scope.SubScope("first"), x, 2, kHidden, 2 * seed + 1));
  return Dense(scope.SubScope("logits"), hidden, kHidden, 2, 2 * seed + 2);
}

Output Loss(const Scope& scope, const Output& logits, const Output& classes) {
  return ops::Mean(
      scope,
      ops::SparseSoftmaxCrossEntropyWithLogits(scope, logits, classes).loss,
      {0});
}

Output Accuracy(const Scope& scope, const Output& logits,
                const Output& classes) {
  const Output hits = ops::InTopK(scope, logits, classes, 1);
  return ops::Mean(scope, ops::Cast(scope, hits, DataType::kFloat), {0});
}

}  // namespace millrace::distributed
