// Exercise 10 of the chapter "Distributing TensorFlow Across Devices and
// Servers" of "Hands-On Machine Learning": one parameter server and two workers
// train a network asynchronously, then synchronously, then split into vertical
// slices, a half of each layer a worker. Which is faster, and which is better?
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "examples/parallel/cpp/picture.h"
#include "examples/parallel/cpp/replicas.h"
#include "examples/parallel/cpp/table.h"
#include "millrace/millrace.h"

namespace millrace::parallel {
namespace {

constexpr int kExerciseWorkers = 2;

// Each device has its share of the units of each hidden layer, with their
// variables; the layer of the classes is cut by its inputs, so that only sums
// go to the last device.
Output SlicedLogits(const VariableScope& variables, const Output& pixels,
                    const ClassifierOptions& options) {
  train::SplitTensor x = pixels;
  for (size_t i = 0; i < options.hidden.size(); ++i) {
    x = train::SplitDense(variables, x, options.hidden[i], options.devices,
                          {.activation = ops::Relu,
                           .kernel_initializer = SlicesOfWhole(
                               HeNormal({.seed = options.SeedOf(i)})),
                           .name = absl::StrCat("hidden", i + 1)});
  }
  const int64_t seed = options.SeedOf(options.hidden.size());
  x = train::SplitDense(
      variables, x, examples::kClasses, options.devices,
      {.cut = train::DenseCut::kInputs,
       .kernel_initializer = SlicesOfWhole(GlorotUniform({.seed = seed})),
       .name = "logits"});
  return train::Join(variables.scope(), x);
}

// One network over all workers, and one client.
Towers VerticalSlices(const Cluster& cluster, const ClassifierOptions& options,
                      const MakeRule& make_rule) {
  Towers towers;
  towers.graph = cluster.NewGraph();
  const Scope s = cluster.ReplicaOf(towers.graph, 0);
  const ops::Variable step = train::CreateGlobalStep(s);
  towers.nets.push_back(MakeClassifier(VariableScope(s), options));
  const std::unique_ptr<train::Optimizer> rule = make_rule();
  towers.train_ops.push_back(rule->Minimize(
      s, towers.nets[0].loss,
      {.global_step = step, .gradients = {.colocate_with_ops = true}}));
  return towers;
}

class ExerciseTrainings {
 public:
  ExerciseTrainings(const Options& options, Cluster& cluster,
                    const Images& images)
      : is_small_(options.is_small),
        cluster_(cluster),
        images_(images),
        table_({"training", "updates", "examples/s", "bytes an update",
                "accuracy", "loss",
                absl::StrFormat("to %.0f %%", 100 * goal())}) {
    race_.classifier.seed = options.seed;
    if (is_small_) race_.classifier.hidden = {32, 16};
    race_.end.steps = is_small_ ? 80 : 4'800;
    race_.look_ms = is_small_ ? 50 : 250;
  }

  Status OneWorker() {
    RaceOptions race = race_;
    race.clients = 1;
    return Add("one worker",
               TrainBetweenGraphs(cluster_, images_, race, Asynchronous(Rule()),
                                  {.batch = kExerciseWorkers * batch()}));
  }
  Status Replicas(const std::string& name, const MakeStep& make) {
    return Add(name, TrainBetweenGraphs(cluster_, images_, race_, make,
                                        {.batch = batch()}));
  }
  Status Slices() {
    RaceOptions race = race_;
    race.classifier.logits = SlicedLogits;
    for (int i = 0; i < kExerciseWorkers; ++i) {
      race.classifier.devices.push_back(Cluster::Worker(i));
    }
    const Towers towers = VerticalSlices(cluster_, race.classifier, Rule());
    return Add("vertical slices",
               TrainTowers(cluster_, images_, race, towers,
                           {.batch = kExerciseWorkers * batch()}));
  }

  MakeRule Rule() const { return Momentum(0.02, 0.9); }

  Status Show(Findings findings) const {
    findings.Show(
        absl::StrCat(
            "Exercise 10: asynchronous, synchronous, vertical slices (",
            images_.source, ")"),
        table_,
        absl::StrCat(
            "Data parallelism moves all variables and gradients with each step "
            "of a worker, here ",
            Bytes(static_cast<double>(race_.classifier.Bytes())),
            " each way; vertical slices move what the units say, which grows "
            "with the batch and not with the network. Synchronous training and "
            "vertical slices make the values of one worker."));
    findings.Draw("exercise_10",
                  Picture("Exercise 10",
                          {LinesPanel("seconds", "accuracy", curves_),
                           BarsPanel("MB between tasks an update", moved_)}));
    return findings.Write();
  }

 private:
  double goal() const { return is_small_ ? 0.4 : 0.88; }
  int64_t batch() const { return is_small_ ? 20 : 50; }

  Status Add(const std::string& name, const StatusOr<RaceResult>& result) {
    MR_RETURN_IF_ERROR(result.status());
    const double moved = static_cast<double>(result->bytes) /
                         static_cast<double>(result->updates);
    const double rate =
        static_cast<double>(kExerciseWorkers * batch() * race_.end.steps) /
        result->seconds;
    table_.Add({name, Count(static_cast<double>(result->updates)), Count(rate),
                Bytes(moved), Percent(result->score.accuracy),
                Fixed(result->score.loss, 4),
                Seconds(result->SecondsTo(goal()))});
    curves_.push_back({.name = name, .points = result->curve});
    constexpr double kMega = 1e6;
    moved_.push_back({.name = name, .value = moved / kMega});
    return OkStatus();
  }

  const bool is_small_;
  Cluster& cluster_;
  const Images& images_;
  RaceOptions race_ = {.clients = kExerciseWorkers};
  Table table_;
  std::vector<Line> curves_;
  std::vector<Bar> moved_;
};

}  // namespace

Status Exercise10(const Options& options) {
  MR_ASSIGN_OR_RETURN(const Images images, LoadImages(options));
  MR_ASSIGN_OR_RETURN(
      const std::unique_ptr<Cluster> cluster,
      Cluster::Start(options, {.ps = 1, .workers = kExerciseWorkers}));
  ExerciseTrainings trainings(options, *cluster, images);
  const MakeRule rule = trainings.Rule();
  MR_RETURN_IF_ERROR(trainings.OneWorker());
  MR_RETURN_IF_ERROR(trainings.Replicas("asynchronous", Asynchronous(rule)));
  MR_RETURN_IF_ERROR(trainings.Replicas(
      "synchronous", Synchronous(rule, kExerciseWorkers, kExerciseWorkers)));
  MR_RETURN_IF_ERROR(trainings.Slices());
  return trainings.Show(Findings(options));
}

}  // namespace millrace::parallel
