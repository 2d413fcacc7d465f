// A data set that travels to the cluster once: a variable that is not trained,
// filled through a placeholder.
#include <cmath>
#include <cstdio>

#include "examples/distributed_cpp/examples.h"
#include "millrace/millrace.h"

namespace millrace::distributed {
namespace {

constexpr int64_t kRows = 500;
constexpr int64_t kColumns = 4;
constexpr float kWeights[kColumns] = {1, -2, 3, 0.5f};

// Numbers in [0, 1), the same ones each time.
Tensor Features() {
  Tensor features =
      Tensor::New(DataType::kFloat, TensorShape({kRows, kColumns}));
  uint32_t state = 42;
  for (float& value : features.mutable_flat<float>()) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) / static_cast<float>(1 << 24);
  }
  return features;
}

Tensor Labels(const Tensor& features) {
  Tensor labels = Tensor::New(DataType::kFloat, TensorShape({kRows, 1}));
  const auto x = features.flat<float>();
  auto y = labels.mutable_flat<float>();
  for (size_t row = 0; row < y.size(); ++row) {
    y[row] = 0;
    for (size_t i = 0; i < kColumns; ++i) {
      y[row] += kWeights[i] * x[row * kColumns + i];
    }
  }
  return labels;
}

}  // namespace

Status Preloading(const Cluster& cluster) {
  const Tensor features = Features();
  const Tensor labels = Labels(features);
  const Scope root = cluster.NewGraph();
  const Scope worker = root.WithDevice("/job:worker/task:0");
  // In no collection: neither initialized with the others, nor saved.
  const ops::VariableOptions not_trained{.trainable = false, .collections = {}};
  const Output given_x = ops::Placeholder(
      worker, DataType::kFloat, {.shape = PartialShape({kRows, kColumns})});
  const Output given_y = ops::Placeholder(worker, DataType::kFloat,
                                          {.shape = PartialShape({kRows, 1})});
  const ops::Variable x(worker.WithOpName("data"), given_x, not_trained);
  const ops::Variable y(worker.WithOpName("labels"), given_y, not_trained);
  const ops::Variable weights(
      root.WithDevice("/job:ps/task:0").WithOpName("weights"),
      Tensor::Zeros(DataType::kFloat, TensorShape({kColumns, 1})));
  const Output difference =
      ops::Sub(worker, ops::MatMul(worker, x, weights), y);
  const Output error =
      ops::Mean(worker, ops::Square(worker, difference), {0, 1});
  train::GradientDescentOptimizer optimizer(0.5f);
  const Operation train = optimizer.Minimize(worker, error);

  std::printf("trained: %zu variable, saved: %zu\n",
              ops::TrainableVariables(root).size(),
              ops::GlobalVariables(root).size());
  Session session(root, cluster.Master());
  MR_RETURN_IF_ERROR(
      session.RunTargets({ops::GlobalVariablesInitializer(root)}));
  MR_RETURN_IF_ERROR(
      session.RunTargets({{given_x, features}, {given_y, labels}},
                         {x.initializer(), y.initializer()}));
  for (int step = 0; step <= 300; ++step) {
    if (step % 150 == 0) {
      MR_ASSIGN_OR_RETURN(const auto now, session.Run({error}));
      std::printf("step %d: error %.3f\n", step, now[0].scalar<float>());
    }
    MR_RETURN_IF_ERROR(session.RunTargets({train}));
  }
  MR_ASSIGN_OR_RETURN(const auto fitted, session.Run({weights}));
  std::printf("weights:");
  for (const float w : fitted[0].flat<float>()) std::printf(" %.1f", w);
  std::printf("\n");
  return OkStatus();
}

}  // namespace millrace::distributed
