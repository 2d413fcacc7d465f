#include "examples/demo/network.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "examples/support/fashion_mnist.h"
#include "millrace/millrace.h"

namespace millrace::demo {
namespace {

constexpr float kMaxPixel = 255;
// The rate falls in the last part of the training, to this part of the first.
constexpr double kDecayPart = 0.5;
constexpr double kLastRate = 0.01;

StatusOr<std::unique_ptr<train::Optimizer>> MakeOptimizer(
    const DemoOptions& options, const Output& rate) {
  if (options.optimizer == "sgd") {
    return std::make_unique<train::GradientDescentOptimizer>(rate);
  }
  if (options.optimizer == "momentum") {
    return std::make_unique<train::MomentumOptimizer>(rate, 0.9f);
  }
  if (options.optimizer == "adam") {
    return std::make_unique<train::AdamOptimizer>(rate);
  }
  return InvalidArgument("--optimizer is '", options.optimizer,
                         "', expected sgd, momentum or adam");
}

double FirstRate(const DemoOptions& options) {
  if (options.learning_rate > 0) return options.learning_rate;
  if (options.optimizer == "sgd") return 0.1;
  return options.optimizer == "momentum" ? 0.02 : 0.001;
}

// x * weights + biases, with He's initial deviation.
Output Dense(const Scope& scope, const Output& x, int64_t inputs,
             int64_t outputs, int64_t seed) {
  const ops::Variable weights(scope.WithOpName("weights"), [&](const Scope& s) {
    const auto [seed1, seed2] = s.Seeds(seed);
    const Output normal =
        ops::TruncatedNormal(s, Tensor::Vector<int64_t>({inputs, outputs}),
                             DataType::kFloat, {.seed = seed1, .seed2 = seed2});
    return ops::Mul(
        s, normal,
        static_cast<float>(std::sqrt(2.0 / static_cast<double>(inputs))));
  });
  const ops::Variable biases(scope.WithOpName("biases"), [&](const Scope& s) {
    return ops::Const(s,
                      Tensor::Zeros(DataType::kFloat, TensorShape({outputs})));
  });
  return ops::BiasAdd(scope, ops::MatMul(scope, x, weights), biases);
}

}  // namespace

float LearningRate(const DemoOptions& options, int64_t step) {
  const double all =
      static_cast<double>(options.epochs * StepsPerEpoch(options));
  const double left = std::clamp(1 - static_cast<double>(step) / all, 0.0, 1.0);
  return static_cast<float>(FirstRate(options) *
                            std::clamp(left / kDecayPart, kLastRate, 1.0));
}

StatusOr<Network> BuildNetwork(const Scope& root, const DemoOptions& options,
                               int worker) {
  const Scope s = root.WithDevice(train::ReplicaDeviceSetter(
      {.ps_tasks = options.ps,
       .worker_device = absl::StrCat("/job:worker/task:", worker)}));
  const int64_t seed = static_cast<int64_t>(options.seed);
  Network net;
  const ops::Variable global_step = train::CreateGlobalStep(s);
  net.global_step = global_step;
  net.images =
      ops::Placeholder(s.WithOpName("images"), DataType::kUint8,
                       {.shape = PartialShape({-1, examples::kPixels})});
  net.labels = ops::Placeholder(s.WithOpName("labels"), DataType::kInt32,
                                {.shape = PartialShape({-1})});
  net.rate = ops::Placeholder(s.WithOpName("learning_rate"), DataType::kFloat,
                              {.shape = PartialShape(std::vector<int64_t>{})});
  MR_ASSIGN_OR_RETURN(const std::unique_ptr<train::Optimizer> optimizer,
                      MakeOptimizer(options, net.rate));
  const Output x =
      ops::Mul(s, ops::Cast(s, net.images, DataType::kFloat), 1 / kMaxPixel);
  const Output h1 = ops::Relu(
      s, Dense(s.SubScope("hidden1"), x, examples::kPixels, 300, 3 * seed));
  const Output h2 =
      ops::Relu(s, Dense(s.SubScope("hidden2"), h1, 300, 100, 3 * seed + 1));
  const Output logits =
      Dense(s.SubScope("softmax"), h2, 100, examples::kClasses, 3 * seed + 2);
  const auto cross_entropy =
      ops::SparseSoftmaxCrossEntropyWithLogits(s, logits, net.labels);
  net.loss = ops::Mean(s.WithOpName("loss"), cross_entropy.loss, {0});
  const Output predicted =
      ops::ArgMax(s, logits, 1, {.output_type = DataType::kInt32});
  net.correct = ops::Sum(
      s.WithOpName("correct"),
      ops::Cast(s, ops::Equal(s, predicted, net.labels), DataType::kInt32),
      {0});
  const Operation train_op =
      optimizer->Minimize(s, net.loss, {.global_step = global_step});
  net.step = train_op.output(0);
  MR_RETURN_IF_ERROR(root.status());
  return net;
}

}  // namespace millrace::demo
