// In-graph replication: one graph with a copy of the network on each worker,
// and one session.
#include <utility>

#include "absl/strings/str_cat.h"
#include "examples/parallel/cpp/replicas.h"
#include "millrace/millrace.h"

namespace millrace::parallel {
namespace {

// The mean of the gradients of each variable, on its own device.
Gradients Averages(const Scope& scope, const std::vector<Gradients>& towers) {
  Gradients averages;
  for (size_t i = 0; i < towers[0].size(); ++i) {
    const ops::Variable& variable = towers[0][i].variable;
    const Scope there = scope.WithDevice(variable.op().device());
    std::vector<Gradient> gradients;
    for (const auto& tower : towers) gradients.push_back(tower[i].gradient);
    const Output sum =
        ops::ToTensor(there, ops::SumGradients(there, gradients));
    averages.push_back(
        {ops::Mul(there, sum, 1 / static_cast<float>(towers.size())),
         variable});
  }
  return averages;
}

// A client: trains the networks `begin` to `end` - 1 by one op.
class TowerTraining {
 public:
  TowerTraining(const Towers& towers, size_t begin, size_t end,
                const Images& images, const ReplicasOptions& options)
      : towers_(towers),
        begin_(begin),
        end_(end),
        images_(images),
        options_(options) {}

  Status Run(Session& session, RaceClient& client) const {
    std::vector<Output> feeds;
    for (size_t i = begin_; i < end_; ++i) {
      feeds.push_back(towers_.nets[i].images);
      feeds.push_back(towers_.nets[i].labels);
    }
    const Operation& train_op =
        towers_.train_ops[towers_.train_ops.size() == 1 ? 0 : begin_];
    MR_ASSIGN_OR_RETURN(const Callable train,
                        session.Prepare(feeds, {train_op.output(0)}));
    client.Start();
    while (client.GoesOn()) {
      MR_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                          train.Run(Batches(client.steps())));
      client.Count(out[0].scalar<int64_t>(),
                   static_cast<int64_t>(end_ - begin_));
    }
    return OkStatus();
  }

 private:
  // What is fed to a step of all networks.
  std::vector<Tensor> Batches(int64_t step) const {
    const auto all = static_cast<int64_t>(towers_.nets.size());
    std::vector<Tensor> values;
    for (size_t i = begin_; i < end_; ++i) {
      examples::ImageSet batch =
          BatchOf(images_.training,
                  options_.first_batch + step * all + static_cast<int64_t>(i),
                  options_.batch);
      values.push_back(std::move(batch.images));
      values.push_back(std::move(batch.labels));
    }
    return values;
  }

  const Towers& towers_;
  const size_t begin_;
  const size_t end_;
  const Images& images_;
  const ReplicasOptions& options_;
};

}  // namespace

Towers CopiesOnWorkers(const Cluster& cluster, const ClassifierOptions& options,
                       int workers, Updates updates,
                       const MakeRule& make_rule) {
  Towers towers;
  towers.graph = cluster.NewGraph();
  const Scope first = cluster.ReplicaOf(towers.graph, 0);
  const ops::Variable step = train::CreateGlobalStep(first);
  const VariableScope variables = VariableScope(first).WithReuse(Reuse::kAuto);
  const std::unique_ptr<train::Optimizer> rule = make_rule();
  std::vector<Gradients> gradients;
  for (int i = 0; i < workers; ++i) {
    const Scope s = (i == 0 ? first : cluster.ReplicaOf(towers.graph, i))
                        .SubScope(absl::StrCat("tower", i));
    towers.nets.push_back(MakeClassifier(variables.WithScope(s), options));
    gradients.push_back(rule->ComputeGradients(s, towers.nets.back().loss));
  }
  if (!towers.graph.ok()) return towers;  // which a run reports
  if (updates == Updates::kSynchronous) {
    gradients = {Averages(first, gradients)};
  }
  for (const Gradients& each : gradients) {
    towers.train_ops.push_back(
        rule->ApplyGradients(first, each, {.global_step = step}));
  }
  return towers;
}

StatusOr<RaceResult> TrainTowers(Cluster& cluster, const Images& images,
                                 RaceOptions race, const Towers& towers,
                                 const ReplicasOptions& options) {
  const Operation init = ops::GlobalVariablesInitializer(towers.graph);
  MR_RETURN_IF_ERROR(towers.graph.status());
  // Nothing is sent before the race begins.
  Session session(towers.graph, cluster.Master());
  const bool is_alone = towers.train_ops.size() == 1;
  race.clients = static_cast<int>(towers.train_ops.size());
  return RunRace(cluster, images, race, [&](RaceClient& client) -> Status {
    const auto number = static_cast<size_t>(client.number());
    if (number == 0) MR_RETURN_IF_ERROR(session.RunTargets({init}));
    return TowerTraining(towers, number,
                         is_alone ? towers.nets.size() : number + 1, images,
                         options)
        .Run(session, client);
  });
}

}  // namespace millrace::parallel
