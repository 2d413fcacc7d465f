// Tests of trainings that run on one GPU as a whole, against the CPU.
#include <memory>
#include <string>
#include <vector>

#include "millrace/train/losses.h"
#include "millrace/train/optimizers/adagrad.h"
#include "millrace/train/optimizers/adam.h"
#include "millrace/train/optimizers/ftrl.h"
#include "millrace/train/optimizers/gradient_descent.h"
#include "millrace/train/optimizers/momentum.h"
#include "millrace/train/optimizers/rms_prop.h"
#include "tests/gpu/training/trained.h"

namespace millrace::gpu_tests {
namespace {

using ::testing::ElementsAre;
using train::Waves;

using MakeOptimizer = std::function<std::unique_ptr<train::Optimizer>()>;

template <class O, class... A>
MakeOptimizer Make(A... a) {
  return [=] { return std::make_unique<O>(a...); };
}

Program LinearRegression(const std::string& device, bool use_resource) {
  const Scope s = Scope::NewRoot().WithDevice(device);
  const Output x = Waves(s, {64, 3});
  const Output y = ops::MatMul(s, x, Waves(s, {3, 1}));
  const ops::Variable w(s.WithOpName("w"), Tensor::Of<float>({3, 1}, {0, 0, 0}),
                        {.use_resource = use_resource});
  const ops::Variable b(s.WithOpName("b"), Tensor::Vector<float>({0.5f}),
                        {.use_resource = use_resource});
  const Output loss =
      train::MeanSquaredError(s, y, ops::Add(s, ops::MatMul(s, x, w), b));
  train::GradientDescentOptimizer optimizer(0.25);
  return {s, optimizer.Minimize(s, loss), loss};
}

Program Classifier(const std::string& device, bool use_resource,
                   const MakeOptimizer& make) {
  const Scope s = Scope::NewRoot().WithDevice(device);
  const Output x = Waves(s, {32, 7});
  std::vector<int64_t> classes;
  for (int i = 0; i < 32; ++i) classes.push_back(i % 5);
  const Output labels = ops::Const(s, Tensor::Vector<int64_t>(classes));
  const auto variable = [&](const char* name,
                            const std::vector<int64_t>& shape) {
    return ops::Variable(
        s.WithOpName(name),
        [shape](const Scope& scope) { return Waves(scope, shape); },
        {.use_resource = use_resource});
  };
  const Output hidden =
      ops::Relu(s, ops::BiasAdd(s, ops::MatMul(s, x, variable("w1", {7, 16})),
                                variable("b1", {16})));
  const Output logits = ops::BiasAdd(
      s, ops::MatMul(s, hidden, variable("w2", {16, 5})), variable("b2", {5}));
  const Output loss = train::SparseSoftmaxCrossEntropy(s, labels, logits);
  const auto optimizer = make();
  return {s, optimizer->Minimize(s, loss), loss};
}

// Both kinds of variables.
class TrainingOnGpu : public ::testing::TestWithParam<bool> {
 protected:
  void ExpectSameAsOnCpu(
      const std::function<Program(const std::string& device)>& build, int steps,
      double tolerance) {
    const Trained on_cpu = Train(build("/cpu:0"), WithCards(0), steps);
    const Trained on_gpu = Train(build("/gpu:0"), WithCards(1), steps);
    ExpectSame(on_cpu, on_gpu, tolerance);
    EXPECT_THAT(on_gpu.PlacesOf("/update_"), ElementsAre("GPU:0"));
    EXPECT_THAT(on_gpu.PlacesOf("MatMul"), ElementsAre("GPU:0"));
    ASSERT_FALSE(on_gpu.losses.empty());
    EXPECT_LT(on_gpu.losses.back(), on_gpu.losses.front());
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, TrainingOnGpu, ::testing::Bool());

TEST_P(TrainingOnGpu, LinearRegression) {
  ExpectSameAsOnCpu(
      [](const std::string& device) {
        return LinearRegression(device, GetParam());
      },
      30, 1e-5);
}

TEST_P(TrainingOnGpu, ClassifierByEachOptimizer) {
  const std::pair<const char*, MakeOptimizer> optimizers[] = {
      {"gradient descent", Make<train::GradientDescentOptimizer>(0.25)},
      {"momentum", Make<train::MomentumOptimizer>(0.1, 0.5)},
      {"Adam", Make<train::AdamOptimizer>(0.05)},
      {"Adagrad", Make<train::AdagradOptimizer>(0.1)},
      {"RMSProp", Make<train::RMSPropOptimizer>(0.01)},
      {"FTRL", Make<train::FtrlOptimizer>(0.1)}};
  for (const auto& [name, make] : optimizers) {
    SCOPED_TRACE(name);
    ExpectSameAsOnCpu(
        [&](const std::string& device) {
          return Classifier(device, GetParam(), make);
        },
        8, 1e-3);
  }
}

// Rows of a table, some of them several times in a step.
Program Embedding(const std::string& device, bool use_resource,
                  const MakeOptimizer& make) {
  const Scope s = Scope::NewRoot().WithDevice(device);
  const ops::Variable table(s.WithOpName("table"),
                            [](const Scope& scope) {
                              return Waves(scope, {20, 6});
                            },
                            {.use_resource = use_resource});
  const Output ids =
      ops::Const(s, Tensor::Vector<int64_t>({3, 17, 3, 0, 3, 5, 17, 19, 3, 8}));
  const Output rows = use_resource ? ops::ResourceGather(s, table.handle(), ids,
                                                         DataType::kFloat)
                                   : ops::Gather(s, table.handle(), ids);
  const Output loss = train::MeanSquaredError(s, Waves(s, {10, 6}), rows);
  const auto optimizer = make();
  return {s, optimizer->Minimize(s, loss), loss};
}

TEST_P(TrainingOnGpu, RowsThatOccurSeveralTimes) {
  const std::pair<const char*, MakeOptimizer> optimizers[] = {
      {"gradient descent", Make<train::GradientDescentOptimizer>(0.5)},
      {"momentum", Make<train::MomentumOptimizer>(0.25, 0.5)},
      {"Adagrad", Make<train::AdagradOptimizer>(0.5)}};
  for (const auto& [name, make] : optimizers) {
    SCOPED_TRACE(name);
    const auto build = [&](const std::string& device) {
      return Embedding(device, GetParam(), make);
    };
    const Trained on_cpu = Train(build("/cpu:0"), WithCards(0), 5);
    const Trained on_gpu = Train(build("/gpu:0"), WithCards(1), 5);
    ExpectSame(on_cpu, on_gpu, 1e-6);
    EXPECT_THAT(on_gpu.PlacesOf("/update_table/"),
                ::testing::Contains("GPU:0"));
  }
}

}  // namespace
}  // namespace millrace::gpu_tests
