// An ensemble in one graph: networks on the workers, their predictions averaged
// on the first one.
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "examples/distributed_cpp/examples.h"
#include "examples/distributed_cpp/network.h"
#include "millrace/millrace.h"

namespace millrace::distributed {
namespace {

constexpr int kMembers = 3;
constexpr int kSteps = 150;

}  // namespace

Status EnsembleInGraph(const Cluster& cluster) {
  const Spirals training(0);
  const Spirals test(0.5);
  const Scope root = cluster.NewGraph();
  // The input is there once, and every network's device gets its copy.
  const Scope first = root.WithDevice("/job:worker/task:0/cpu:0");
  const Output x = ops::Placeholder(first.WithOpName("x"), DataType::kFloat,
                                    {.shape = PartialShape({-1, 2})});
  const Output y = ops::Placeholder(first.WithOpName("y"), DataType::kInt32,
                                    {.shape = PartialShape({-1})});
  std::vector<Output> estimates;
  std::vector<Output> accuracies;
  std::vector<ControlInput> trains;
  for (int i = 0; i < kMembers; ++i) {
    const Scope s =
        root.WithDevice(absl::StrCat("/job:worker/task:", i % cluster.workers(),
                                     "/cpu:0"))
            .SubScope(absl::StrCat("network", i));
    const Output logits = Network(s, x, 10 * i);
    train::AdamOptimizer optimizer(0.01f * static_cast<float>(i + 1));
    trains.push_back(optimizer.Minimize(s, Loss(s, logits, y)));
    estimates.push_back(ops::Softmax(s, logits));
    accuracies.push_back(Accuracy(s, logits, y));
  }
  const Output mean = ops::RealDiv(first, ops::AddN(first, estimates),
                                   static_cast<float>(kMembers));
  accuracies.push_back(Accuracy(first, mean, y));

  Session session(root, cluster.Master());
  MR_RETURN_IF_ERROR(
      session.RunTargets({ops::GlobalVariablesInitializer(root)}));
  for (int step = 0; step < kSteps; ++step) {
    MR_RETURN_IF_ERROR(session.RunTargets(
        {{x, training.points}, {y, training.classes}}, trains));
  }
  MR_ASSIGN_OR_RETURN(
      const auto values,
      session.Run({{x, test.points}, {y, test.classes}}, accuracies));
  float sum = 0;
  for (int i = 0; i < kMembers; ++i) {
    sum += values[static_cast<size_t>(i)].scalar<float>();
  }
  const float together = values.back().scalar<float>();
  std::printf(
      "together most points right: %s, not worse than the mean of the "
      "networks: %s\n",
      together > 0.7f ? "yes" : "no",
      together >= sum / kMembers - 0.01f ? "yes" : "no");
  return OkStatus();
}

}  // namespace millrace::distributed
