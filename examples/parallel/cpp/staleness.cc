// What asynchronous training does about stale gradients. Five workers, of which
// one takes ten times as long as the others: while it computes a gradient, the
// others make some forty updates, of which its gradient knows nothing. The
// table compares what helps against that after the same time, and after as many
// examples.
//
// The workers take their time by waiting, as in spare_replicas.cc.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
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

using train::AsyncReplicasOptions;
using train::StalenessPolicy;

constexpr int64_t kSlowerByStaleness = 10;
struct StalenessSize {
  int workers = 5;
  std::vector<int64_t> hidden = {64};
  int64_t batch = 32;
  int64_t takes_ms = 20;
  double seconds = 12;
  int64_t least_updates = 0;
  int64_t look_ms = 250;
  int64_t bound = 6;  // of staleness, and of steps ahead
  int64_t warm_up_steps = 60;
};

struct Policy {
  std::string name;
  AsyncReplicasOptions options;
};

std::vector<Policy> PoliciesOf(const StalenessSize& size) {
  const int64_t bound = size.bound;
  const int64_t warm_up = size.warm_up_steps;
  return {
      {"applied as they are", {}},
      {absl::StrCat("staler than ", bound, " are dropped"),
       {.policy = StalenessPolicy::kDrop, .max_staleness = bound}},
      {"scaled by 1 / (staleness + 1)", {.policy = StalenessPolicy::kScale}},
      {absl::StrCat("at most ", bound, " steps ahead"), {.max_ahead = bound}},
      {absl::StrCat("warm-up of ", warm_up, " steps"),
       {.warm_up_steps = warm_up}},
      {"warm-up, and scaled",
       {.policy = StalenessPolicy::kScale, .warm_up_steps = warm_up}}};
}

// A replica whose gradients are treated as `options` say.
MakeStep AsynchronousWith(const MakeRule& make_rule,
                          const AsyncReplicasOptions& options) {
  struct Parts {
    Parts(std::unique_ptr<train::Optimizer> optimizer,
          const AsyncReplicasOptions& of_replica)
        : rule(std::move(optimizer)), async(rule.get(), of_replica) {}
    std::unique_ptr<train::Optimizer> rule;
    train::AsyncReplicas async;
    std::unique_ptr<train::AsyncReplicasHook> hook;
  };
  return [=](const Scope& scope, const Output& loss, const ops::Variable& step,
             int replica, const Hold& hold) {
    AsyncReplicasOptions own = options;
    own.replica = replica;
    const auto parts = std::make_shared<Parts>(make_rule(), own);
    ReplicaStep made;
    made.train_op = parts->async.ApplyGradients(
        scope, hold(scope, parts->async.ComputeGradients(scope, loss)),
        {.global_step = step});
    made.fetches = {parts->async.ops().staleness, parts->async.ops().applied};
    // The table has what it would log.
    parts->hook = std::make_unique<train::AsyncReplicasHook>(parts->async);
    made.hooks = {parts->hook.get()};
    made.may_come_later = options.warm_up_steps > 0 && replica > 0;
    made.owner = parts;
    return made;
  };
}

// What the gradients of all replicas were like. Thread-safe.
class StalenessCount {
 public:
  void Add(int64_t staleness, bool applied) {
    MutexLock lock(mu_);
    ++gradients_;
    sum_ += static_cast<double>(staleness);
    most_ = std::max(most_, staleness);
    if (applied) most_applied_ = std::max(most_applied_, staleness);
    if (!applied) ++dropped_;
  }
  double mean() const {
    MutexLock lock(mu_);
    return gradients_ == 0 ? -1 : sum_ / static_cast<double>(gradients_);
  }
  int64_t most() const {
    MutexLock lock(mu_);
    return most_;
  }
  int64_t most_applied() const {
    MutexLock lock(mu_);
    return most_applied_;
  }
  int64_t dropped() const {
    MutexLock lock(mu_);
    return dropped_;
  }

 private:
  mutable Mutex mu_;  // guards all below
  int64_t gradients_ = 0;
  int64_t dropped_ = 0;
  int64_t most_ = 0;
  int64_t most_applied_ = 0;
  double sum_ = 0;
};

// Trains with a policy, and counts what the gradients were like.
StatusOr<RaceResult> TrainWith(const Policy& policy, const StalenessSize& size,
                               Cluster& cluster, const Images& images,
                               uint64_t seed, StalenessCount* count) {
  std::vector<std::unique_ptr<TimedDevice>> devices;
  for (int i = 0; i < size.workers; ++i) {
    const bool is_slow = i == size.workers - 1;
    devices.push_back(std::make_unique<TimedDevice>(
        cluster, i, size.takes_ms * (is_slow ? kSlowerByStaleness : 1)));
  }
  ReplicasOptions replicas = {.batch = size.batch};
  replicas.hold = [&](int i, const Scope& scope, const Gradients& gradients) {
    return devices[static_cast<size_t>(i)]->Hold(scope, gradients);
  };
  replicas.before_step = [&](int i) {
    devices[static_cast<size_t>(i)]->Begin();
  };
  replicas.after_step = [&](int, const std::vector<Tensor>& fetched) {
    count->Add(fetched[0].scalar<int64_t>(), fetched[1].scalar<bool>());
  };
  RaceOptions race = {.clients = size.workers,
                      .classifier = {.hidden = size.hidden, .seed = seed},
                      .look_ms = size.look_ms};
  race.end = {.seconds = size.seconds, .least_updates = size.least_updates};
  AsyncReplicasOptions options = policy.options;
  options.replicas = size.workers;
  StatusOr<RaceResult> result = TrainBetweenGraphs(
      cluster, images, race, AsynchronousWith(Momentum(0.02, 0.9), options),
      replicas);
  // Whose errors make the steps fail.
  for (const auto& device : devices) MR_RETURN_IF_ERROR(device->status());
  return result;
}

struct OfPolicy {
  std::string name;
  StalenessCount count;
  RaceResult result;
};

}  // namespace

Status Staleness(const Options& options) {
  const StalenessSize size = options.is_small
                                 ? StalenessSize{.workers = 3,
                                                 .hidden = {16},
                                                 .takes_ms = 10,
                                                 .seconds = 0.6,
                                                 .least_updates = 40,
                                                 .look_ms = 50,
                                                 .bound = 3,
                                                 .warm_up_steps = 15}
                                 : StalenessSize();
  MR_ASSIGN_OR_RETURN(const Images images, LoadImages(options));
  MR_ASSIGN_OR_RETURN(
      const std::unique_ptr<Cluster> cluster,
      Cluster::Start(options, {.ps = 1, .workers = size.workers}));
  std::vector<std::unique_ptr<OfPolicy>> all;
  for (const Policy& policy : PoliciesOf(size)) {
    all.push_back(std::make_unique<OfPolicy>());
    all.back()->name = policy.name;
    MR_ASSIGN_OR_RETURN(all.back()->result,
                        TrainWith(policy, size, *cluster, images, options.seed,
                                  &all.back()->count));
  }
  int64_t fewest = all[0]->result.batches;
  for (const auto& each : all) {
    fewest = std::min(fewest, each->result.batches);
  }
  Table table(
      {"stale gradients", "gradients", "updates", "dropped", "mean staleness",
       "greatest", "greatest applied", "loss", "accuracy",
       absl::StrCat("after ", Count(static_cast<double>(fewest * size.batch)),
                    " examples")});
  std::vector<Line> curves;
  std::vector<Bar> staleness;
  for (const auto& each : all) {
    const RaceResult& result = each->result;
    table.Add({each->name, Count(static_cast<double>(result.batches)),
               Count(static_cast<double>(result.updates)),
               absl::StrCat(each->count.dropped()),
               Fixed(each->count.mean(), 2), absl::StrCat(each->count.most()),
               absl::StrCat(each->count.most_applied()),
               Fixed(result.score.loss, 4), Percent(result.score.accuracy),
               Percent(result.AccuracyAfter(fewest))});
    curves.push_back({.name = each->name, .points = result.curve});
    staleness.push_back({.name = each->name, .value = each->count.mean()});
  }
  Findings findings(options);
  findings.Show(
      absl::StrCat("Staleness policies (", images.source, ")"), table,
      absl::StrFormat(
          "%d workers, one of which takes %d ms for a batch of %d examples and "
          "the others %d ms; each training has %g s. Staleness is how many "
          "updates others made meanwhile.",
          size.workers, size.takes_ms * kSlowerByStaleness, size.batch,
          size.takes_ms, size.seconds));
  findings.Draw(
      "staleness",
      Picture(absl::StrFormat("Stale gradients: one of %d workers takes %d "
                              "times as long",
                              size.workers, kSlowerByStaleness),
              {LinesPanel("seconds", "accuracy", curves),
               BarsPanel("mean staleness", staleness)}));
  return findings.Write();
}

}  // namespace millrace::parallel
