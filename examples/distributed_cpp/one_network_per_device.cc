// One network on each device: a search for good hyperparameters that gives the
// bad ones up early.
//
// One client, one graph: a network a worker, trained at the same time by one
// session, each with a learning rate and a momentum of its own. After each
// round the worst one that is still in the race is stopped.
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "examples/distributed_cpp/examples.h"
#include "examples/distributed_cpp/network.h"
#include "millrace/millrace.h"

namespace millrace::distributed {
namespace {

constexpr int kStepsPerRound = 50;

struct Candidate {
  int number = 0;
  float rate = 0;
  float momentum = 0;
  Output loss;
  Output accuracy;
  Operation train;
};

}  // namespace

Status OneNetworkPerDevice(const Cluster& cluster) {
  const Spirals training(0);
  const Spirals test(0.5);
  std::vector<Candidate> racing = {
      {.number = 0, .rate = 0.001f},
      {.number = 1, .rate = 0.01f, .momentum = .9f},
      {.number = 2, .rate = 0.1f},
      {.number = 3, .rate = 0.1f, .momentum = .9f}};
  const Scope root = cluster.NewGraph();
  const Output x = ops::Placeholder(root.WithOpName("x"), DataType::kFloat,
                                    {.shape = PartialShape({-1, 2})});
  const Output y = ops::Placeholder(root.WithOpName("y"), DataType::kInt32,
                                    {.shape = PartialShape({-1})});
  for (Candidate& candidate : racing) {
    const Scope s =
        root.WithDevice(absl::StrCat("/job:worker/task:",
                                     candidate.number % cluster.workers()))
            .SubScope(absl::StrCat("network", candidate.number));
    const Output logits = Network(s, x, /*seed=*/42);
    candidate.loss = Loss(s, logits, y);
    candidate.accuracy = Accuracy(s, logits, y);
    train::MomentumOptimizer optimizer(candidate.rate, candidate.momentum);
    candidate.train = optimizer.Minimize(s, candidate.loss);
  }

  Session session(root, cluster.Master());
  MR_RETURN_IF_ERROR(
      session.RunTargets({ops::GlobalVariablesInitializer(root)}));
  const std::vector<Feed> train_feeds = {{x, training.points},
                                         {y, training.classes}};
  const std::vector<Feed> test_feeds = {{x, test.points}, {y, test.classes}};
  while (racing.size() > 1) {
    // The networks that are out cost nothing: their part of the graph is pruned
    // away.
    std::vector<ControlInput> trains;
    std::vector<Output> losses;
    for (const Candidate& candidate : racing) {
      trains.push_back(candidate.train);
      losses.push_back(candidate.loss);
    }
    for (int step = 0; step < kStepsPerRound; ++step) {
      MR_RETURN_IF_ERROR(session.RunTargets(train_feeds, trains));
    }
    MR_ASSIGN_OR_RETURN(const auto now, session.Run(test_feeds, losses));
    size_t worst = 0;
    for (size_t i = 0; i < racing.size(); ++i) {
      if (now[i].scalar<float>() > now[worst].scalar<float>()) worst = i;
    }
    std::printf("network %d stops: rate %g, momentum %g\n",
                racing[worst].number, racing[worst].rate,
                racing[worst].momentum);
    racing.erase(racing.begin() + static_cast<ptrdiff_t>(worst));
  }
  const Candidate& best = racing[0];
  MR_ASSIGN_OR_RETURN(const auto accuracy,
                      session.Run(test_feeds, {best.accuracy}));
  std::printf("best: network %d, rate %g, momentum %g, most points right: %s\n",
              best.number, best.rate, best.momentum,
              accuracy[0].scalar<float>() > 0.6f ? "yes" : "no");
  return OkStatus();
}

}  // namespace millrace::distributed
