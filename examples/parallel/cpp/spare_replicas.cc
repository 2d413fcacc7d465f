// Five workers, of which one takes ten times as long as the others: synchronous
// training with 0, 1 and 2 spares, and asynchronous. With a spare, a step takes
// the gradients of the four workers that have theirs first, and nobody waits
// for the slow one.
//
// Five workers on this machine would only show how its cores are shared. So the
// network is small, and each worker has a device that takes its time by
// waiting.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "examples/parallel/cpp/picture.h"
#include "examples/parallel/cpp/replicas.h"
#include "examples/parallel/cpp/table.h"
#include "examples/parallel/cpp/timed_device.h"
#include "millrace/millrace.h"

namespace millrace::parallel {
namespace {

constexpr int64_t kSlower = 10;
constexpr int64_t kBatchesApart = 1'000'003;  // of the seeds
// The first steps of a session are slower: graphs are sent and made ready.
constexpr ptrdiff_t kSlowFirstUpdates = 2;

struct SpareSize {
  int fast = 4;  // workers, beside the slow one
  std::vector<int64_t> hidden = {32};
  int64_t takes_ms = 25;
  double seconds = 4;
  int64_t least_updates = 0;
  uint64_t seeds = 3;
};

// A way to train. gradients_per_step 0: asynchronous.
struct Way {
  std::string name;
  int workers = 0;
  int gradients_per_step = 0;
  Tokens tokens = Tokens::kOfLaterSteps;
};

std::vector<Way> WaysOf(int fast) {
  return {{"synchronous, without the slow one", fast, fast},
          {"synchronous, no spare", fast + 1, fast + 1},
          {"synchronous, 1 spare", fast + 1, fast},
          {"synchronous, 2 spares", fast + 1, fast - 1},
          {"synchronous, 1 spare, any token", fast + 1, fast, Tokens::kAny},
          {"asynchronous", fast + 1, 0}};
}

// What the trainings of a way gave, one for each seed.
struct Found {
  std::vector<double> steps;  // how long each took
  std::vector<double> accuracies;
  std::vector<double> updates;
};

class SpareTraining {
 public:
  SpareTraining(const SpareSize& size, Cluster& cluster, const Images& images)
      : size_(size), cluster_(cluster), images_(images) {}

  Status Train(const Way& way, uint64_t seed, Found* found) {
    std::vector<std::unique_ptr<TimedDevice>> devices;
    for (int i = 0; i < way.workers; ++i) {
      const bool is_slow = i == size_.fast;
      devices.push_back(std::make_unique<TimedDevice>(
          cluster_, i, size_.takes_ms * (is_slow ? kSlower : 1)));
    }
    ReplicasOptions replicas = {
        .batch = 32, .first_batch = static_cast<int64_t>(seed) * kBatchesApart};
    replicas.hold = [&](int i, const Scope& scope, const Gradients& gradients) {
      return devices[static_cast<size_t>(i)]->Hold(scope, gradients);
    };
    replicas.before_step = [&](int i) {
      devices[static_cast<size_t>(i)]->Begin();
    };
    RaceOptions race = {.clients = way.workers,
                        .classifier = {.hidden = size_.hidden, .seed = seed}};
    race.end = {.seconds = size_.seconds, .least_updates = size_.least_updates};
    const MakeRule rule = GradientDescent(0.1);
    const StatusOr<RaceResult> result = TrainBetweenGraphs(
        cluster_, images_, race,
        way.gradients_per_step == 0 ? Asynchronous(rule)
                                    : Synchronous(rule, way.gradients_per_step,
                                                  way.workers, way.tokens),
        replicas);
    // Whose end the steps would not survive.
    for (const auto& device : devices) MR_RETURN_IF_ERROR(device->status());
    MR_RETURN_IF_ERROR(result.status());
    Add(way, *result, found);
    return OkStatus();
  }

 private:
  void Add(const Way& way, const RaceResult& result, Found* found) const {
    const std::vector<double>& updates = result.update_seconds;
    if (way.gradients_per_step == 0) {
      found->steps.push_back(
          result.seconds /
          static_cast<double>(std::max<int64_t>(1, result.updates)));
    } else {
      const bool has_more =
          static_cast<ptrdiff_t>(updates.size()) > kSlowFirstUpdates;
      found->steps.insert(found->steps.end(),
                          updates.begin() + (has_more ? kSlowFirstUpdates : 0),
                          updates.end());
    }
    found->accuracies.push_back(result.score.accuracy);
    found->updates.push_back(static_cast<double>(result.updates));
  }

  const SpareSize& size_;
  Cluster& cluster_;
  const Images& images_;
};

std::string Shows(const SpareSize& size) {
  return absl::StrFormat(
      "%d workers, one of which takes %d ms for a batch and the others %d ms; "
      "each training has %g s, with %s. A step without spares takes as long as "
      "the slow worker, with one as long as the others. Any token: as "
      "TensorFlow hands them out, so that fast workers also compute what "
      "nobody "
      "waits for.",
      size.fast + 1, size.takes_ms * kSlower, size.takes_ms, size.seconds,
      size.seeds == 1 ? "one seed" : absl::StrCat(size.seeds, " seeds"));
}

}  // namespace

Status SpareReplicas(const Options& options) {
  const SpareSize size = options.is_small ? SpareSize{.fast = 2,
                                                      .hidden = {16},
                                                      .takes_ms = 10,
                                                      .seconds = 0.5,
                                                      .least_updates = 8,
                                                      .seeds = 1}
                                          : SpareSize();
  MR_ASSIGN_OR_RETURN(const Images images, LoadImages(options));
  MR_ASSIGN_OR_RETURN(
      const std::unique_ptr<Cluster> cluster,
      Cluster::Start(options, {.ps = 1, .workers = size.fast + 1}));
  SpareTraining training(size, *cluster, images);
  Table table({"training", "gradients a step", "median step", "of the first",
               "mean step", "updates", "accuracy", "lowest", "highest"});
  std::vector<Bar> medians;
  std::vector<Bar> accuracies;
  double first = 0;
  for (const Way& way : WaysOf(size.fast)) {
    Found found;
    for (uint64_t seed = 0; seed < size.seeds; ++seed) {
      MR_RETURN_IF_ERROR(training.Train(way, options.seed + seed, &found));
    }
    const double median = Median(found.steps);
    if (first == 0) first = median;
    const auto [lowest, highest] =
        std::minmax_element(found.accuracies.begin(), found.accuracies.end());
    table.Add({way.name, absl::StrCat(std::max(1, way.gradients_per_step)),
               Seconds(median), Fixed(median / first, 2),
               Seconds(MeanOf(found.steps)), Count(MeanOf(found.updates)),
               Percent(MeanOf(found.accuracies)), Percent(*lowest),
               Percent(*highest)});
    constexpr double kMillis = 1000;
    constexpr double kPercent = 100;
    medians.push_back({way.name, kMillis * median});
    accuracies.push_back({way.name, kPercent * MeanOf(found.accuracies)});
  }
  Findings findings(options);
  findings.Show(absl::StrCat("Spare replicas (", images.source, ")"), table,
                Shows(size));
  findings.Draw(
      "spare_replicas",
      Picture(absl::StrFormat(
                  "Spare replicas: one of %d workers takes %d times as long",
                  size.fast + 1, kSlower),
              {BarsPanel("median step, ms", medians),
               BarsPanel(absl::StrFormat("%% right after %g s", size.seconds),
                         accuracies)}));
  return findings.Write();
}

}  // namespace millrace::parallel
