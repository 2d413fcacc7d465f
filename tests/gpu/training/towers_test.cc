// Data parallelism: towers on several GPUs, variables on the CPU of their
// process or of a parameter server.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/train/losses.h"
#include "millrace/train/optimizers/momentum.h"
#include "tests/gpu/training/trained.h"
#include "tests/support/loopback_cluster.h"

namespace millrace::gpu_tests {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using train::Waves;

// Each tower computes the gradients of its half of the examples; their mean,
// computed beside the variables, is applied once.
Program Towers(const std::string& variables_on,
               const std::vector<std::string>& towers_on, bool use_resource) {
  const Scope s = Scope::NewRoot();
  const Scope cpu = s.WithDevice(variables_on);
  const auto variable = [&](const char* name,
                            const std::vector<int64_t>& shape) {
    return ops::Variable(
        cpu.WithOpName(name),
        [shape](const Scope& scope) { return Waves(scope, shape); },
        {.use_resource = use_resource});
  };
  const ops::Variable w1 = variable("w1", {6, 12}), b1 = variable("b1", {12});
  const ops::Variable w2 = variable("w2", {12, 4});
  const int64_t examples = 32;
  const int64_t part = examples / static_cast<int64_t>(towers_on.size());
  const Output x = Waves(cpu, {examples, 6}), y = Waves(cpu, {examples, 4});
  train::MomentumOptimizer optimizer(0.1, 0.5);
  std::vector<std::vector<train::GradientAndVariable>> gradients;
  std::vector<Output> losses;
  for (size_t i = 0; i < towers_on.size(); ++i) {
    const Scope tower =
        s.SubScope(absl::StrCat("tower", i)).WithDevice(towers_on[i]);
    const int64_t begin = static_cast<int64_t>(i) * part;
    const Output some_x =
        ops::Slice(tower, x, {begin, int64_t{0}}, {part, int64_t{6}});
    const Output some_y =
        ops::Slice(tower, y, {begin, int64_t{0}}, {part, int64_t{4}});
    const Output hidden = ops::Tanh(
        tower, ops::BiasAdd(tower, ops::MatMul(tower, some_x, w1), b1));
    losses.push_back(
        train::MeanSquaredError(tower, some_y, ops::MatMul(tower, hidden, w2)));
    gradients.push_back(optimizer.ComputeGradients(tower, losses.back()));
  }
  const float share = 1.0f / static_cast<float>(towers_on.size());
  std::vector<train::GradientAndVariable> means;
  for (size_t v = 0; v < gradients[0].size(); ++v) {
    std::vector<Output> of_towers;
    for (const auto& of_tower : gradients) {
      of_towers.push_back(of_tower[v].gradient.tensor);
    }
    means.push_back({ops::Mul(cpu, ops::AddN(cpu, of_towers), share),
                     gradients[0][v].variable});
  }
  const Output loss = ops::Mul(cpu, ops::AddN(cpu, losses), share);
  return {s, optimizer.ApplyGradients(cpu, means), loss};
}

class TowersOnGpus : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Kinds, TowersOnGpus, ::testing::Bool());

TEST_P(TowersOnGpus, OfOneProcess) {
  const Trained on_cpu =
      Train(Towers("/cpu:0", {"/cpu:0"}, GetParam()), WithCards(0), 6);
  const Trained on_gpus = Train(
      Towers("/cpu:0", {"/gpu:0", "/gpu:1"}, GetParam()), WithCards(2), 6);
  ExpectSame(on_cpu, on_gpus, 1e-4);
  EXPECT_THAT(on_gpus.PlacesOf("tower0/MatMul"), ElementsAre("GPU:0"));
  EXPECT_THAT(on_gpus.PlacesOf("tower1/MatMul"), ElementsAre("GPU:1"));
  EXPECT_THAT(on_gpus.PlacesOf("/update_"), ElementsAre("CPU:0"));
}

// Layers on two cards: the hidden values and their gradients go from one to the
// other.
TEST_P(TowersOnGpus, LayersOnTwoCards) {
  const auto build = [](const std::string& first, const std::string& second) {
    const Scope s = Scope::NewRoot();
    const Scope a = s.WithDevice(first), b = s.WithDevice(second);
    const ops::Variable w1(a.WithOpName("w1"),
                           [](const Scope& scope) {
                             return Waves(scope, {6, 12});
                           },
                           {.use_resource = GetParam()});
    const ops::Variable w2(b.WithOpName("w2"),
                           [](const Scope& scope) {
                             return Waves(scope, {12, 4});
                           },
                           {.use_resource = GetParam()});
    const Output hidden = ops::Tanh(a, ops::MatMul(a, Waves(a, {16, 6}), w1));
    const Output loss = train::MeanSquaredError(b, Waves(b, {16, 4}),
                                                ops::MatMul(b, hidden, w2));
    train::MomentumOptimizer optimizer(0.1, 0.5);
    return Program{s, optimizer.Minimize(s, loss), loss};
  };
  const Trained on_cpu = Train(build("/cpu:0", "/cpu:0"), WithCards(0), 6);
  const Trained on_gpus = Train(build("/gpu:0", "/gpu:1"), WithCards(2), 6);
  ExpectSame(on_cpu, on_gpus, 1e-4);
  EXPECT_THAT(on_gpus.PlacesOf("/update_w1/"), Contains("GPU:0"));
  EXPECT_THAT(on_gpus.PlacesOf("/update_w2/"), Contains("GPU:1"));
  EXPECT_THAT(on_gpus.PlacesOf("/update_w1/"), Not(Contains("GPU:1")));
}

// Variables on a parameter server, which has no GPU; each worker has its card.
TEST_P(TowersOnGpus, OfWorkersWithAParameterServer) {
  const std::string ps = "/job:ps/task:0/cpu:0";
  const Trained on_cpu =
      Train(Towers("/cpu:0", {"/cpu:0"}, GetParam()), WithCards(0), 6);
  LoopbackCluster cluster({{"ps", 1}, {"worker", 2}});
  cluster.StartAll();
  SessionOptions options;
  options.target =
      absl::StrCat("grpc://", cluster.Address({.job = "worker", .index = 0}));
  options.transport = cluster.network();
  const Trained on_gpus =
      Train(Towers(ps, {"/job:worker/task:0/gpu:0", "/job:worker/task:1/gpu:0"},
                   GetParam()),
            options, 6);
  ExpectSame(on_cpu, on_gpus, 1e-4);
  EXPECT_THAT(on_gpus.PlacesOf("tower0/MatMul"), ElementsAre("GPU:0"));
  EXPECT_THAT(on_gpus.PlacesOf("tower1/MatMul"), ElementsAre("GPU:0"));
  EXPECT_THAT(on_gpus.PlacesOf("/update_"), ElementsAre("CPU:0"));
}

}  // namespace
}  // namespace millrace::gpu_tests
