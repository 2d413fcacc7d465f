// Tests asynchronous training on clusters within a simulation: in virtual time,
// each test from several seeds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>

#include "millrace/client/ops.h"
#include "millrace/client/queues.h"
#include "millrace/train/global_step.h"
#include "millrace/train/monitored_session.h"
#include "millrace/train/replicas/async_replicas.h"
#include "millrace/train/replicas/async_replicas_hook.h"
#include "millrace/train/testing/counting_rule.h"
#include "millrace/train/testing/replica_cluster.h"

namespace millrace::train {
namespace {

using testing::HasSubstr;

constexpr uint64_t kAsyncSeeds = 6;
constexpr int64_t kForever = 1'000'000;

// A weight that starts at 0 and whose gradients are 1, so that after n updates
// it is -n. A step of a slow replica waits for an element of a queue between
// its reads and its gradient.
struct WeightModel {
  explicit WeightModel(const Scope& s, bool is_slow = false) {
    step = CreateGlobalStep(s);
    w = ops::Variable(s.WithOpName("w"), Tensor::Scalar(0.0f),
                      {.use_resource = true});
    rule.Build(s, w);
    Output one = ops::StopGradient(s, ops::OnesLike(s, w));
    if (is_slow) {
      const FIFOQueue queue(s, {DataType::kBool}, {.shared_name = "slow"});
      put = queue.Enqueue(s, {true});
      const Output taken = queue.Dequeue(s.WithControlDependencies({one}))[0];
      one = ops::Identity(s.WithControlDependencies({taken}), one);
    }
    loss = ops::Mul(s, w, one);
  }
  CountingRule rule;
  ops::Variable step, w;
  Output loss;
  Operation put;
};

struct AsyncModel : WeightModel {
  AsyncModel(const Scope& s, const AsyncReplicasOptions& options,
             bool is_slow = false)
      : WeightModel(s, is_slow), async(&rule, options) {
    train_op = async.Minimize(s, loss, {.global_step = step});
    MR_CHECK(s.ok(), s.status().ToString());
  }
  AsyncReplicas async;
  Operation train_op;
};

// What a replica did.
struct AsyncEnded {
  Status status;
  int64_t runs = 0;
  int64_t dropped = 0;
  int64_t greatest_applied = 0;  // staleness
  int64_t first_step = -1;
  int64_t waited_nanos = 0;
  ReplicaRecords records;
};

struct AsyncOptions {
  AsyncReplicasOptions async;
  AsyncReplicasHookOptions hook;
  int64_t last_step = 40;
  int64_t most_runs = kForever;
  int64_t step_ms = 0;                  // how long its steps take
  Gate* gate = nullptr;                 // before the first step
  std::function<bool()> is_chief;       // empty: replica 0
  std::function<void(int64_t)> on_run;  // with the number of runs so far
  Coordinator* coordinator = nullptr;
};

// Lets a slow replica's steps go on, one every so many milliseconds.
class SlowSteps {
 public:
  SlowSteps(const Scope& s, const SessionOptions& options, const Operation& put,
            int64_t step_ms) {
    if (step_ms == 0) return;
    thread_ = Thread("slow steps", [this, s, options, put, step_ms] {
      Session session(s, options);
      while (!ends_.load()) {
        SleepUntil(Deadline::AfterMillis(step_ms));
        session.RunTargets({put}, {.options = {.timeout_ms = 10 * step_ms}})
            .IgnoreError();
      }
    });
  }
  ~SlowSteps() {
    ends_.store(true);
    if (thread_.joinable()) thread_.Join();
  }

 private:
  std::atomic<bool> ends_{false};
  Thread thread_;
};

AsyncEnded RunAsyncReplica(const ReplicaCluster& cluster, int worker,
                           AsyncOptions options) {
  AsyncEnded ended;
  const Scope s = cluster.NewGraph(worker);
  options.async.replica = worker;
  AsyncModel model(s, options.async, options.step_ms > 0);
  AsyncReplicasHook hook(model.async, options.hook);
  StopAtStepHook stop(options.last_step);
  MonitoredSessionOptions monitored;
  monitored.session = cluster.Session(worker);
  monitored.is_chief =
      options.is_chief ? options.is_chief : [worker] { return worker == 0; };
  monitored.hooks = {&hook, &stop};
  monitored.coordinator = options.coordinator;
  MonitoredSession session(s, monitored);
  const SlowSteps slow(s, monitored.session, model.put, options.step_ms);
  const AsyncReplicasOps& ops = model.async.ops();
  const MonitoredCallable train = session.Prepare(
      {}, {model.train_op.output(0), ops.staleness, ops.applied}, {},
      {.step_fetch = 0});
  ended.status = session.Start();
  if (options.gate) options.gate->Pass();
  while (ended.status.ok() && !session.ShouldStop() &&
         ended.runs < options.most_runs) {
    const auto values = train.Run();
    ended.status = values.status();
    if (values.ok()) {
      if (ended.runs == 0) ended.first_step = (*values)[0].scalar<int64_t>();
      const int64_t staleness = (*values)[1].scalar<int64_t>();
      const bool applied = (*values)[2].scalar<bool>();
      ended.dropped += applied ? 0 : 1;
      if (applied)
        ended.greatest_applied = std::max(ended.greatest_applied, staleness);
    }
    ++ended.runs;
    if (options.on_run) options.on_run(ended.runs);
  }
  const Status closed = session.Close();
  if (ended.status.ok()) ended.status = closed;
  ended.records = hook.records();
  ended.waited_nanos = hook.waited_nanos();
  return ended;
}

enum class Begin { kTogether, kAsTheyCome };

std::vector<AsyncEnded> RunAsyncReplicas(const ReplicaCluster& cluster,
                                         std::vector<AsyncOptions> options,
                                         Begin begin = Begin::kTogether) {
  std::vector<AsyncEnded> ended(options.size());
  Gate gate(static_cast<int>(options.size()));
  std::vector<Thread> threads;
  for (size_t i = 0; i < options.size(); ++i) {
    options[i].async.replicas = static_cast<int64_t>(options.size());
    if (begin == Begin::kTogether) options[i].gate = &gate;
    threads.emplace_back("replica", [&, i] {
      ended[i] = RunAsyncReplica(cluster, static_cast<int>(i), options[i]);
    });
  }
  for (Thread& thread : threads) thread.Join();
  return ended;
}

struct Trained {
  int64_t updates = 0;
  int64_t most_missed = 0;  // updates, by a gradient that was applied
  ReplicaRecords records;
};

// Checks that each counted update was made once; returns what there is in the
// end.
Trained CheckAsyncModel(const ReplicaCluster& cluster, int worker = 0) {
  const Scope s = cluster.NewGraph(worker);
  AsyncModel model(s, {.replicas = 3});
  Session session(s, cluster.Session(worker));
  const auto values = session.Run({model.step, model.w, model.rule.worst()});
  EXPECT_TRUE(values.ok()) << values.status();
  const auto records = ReadReplicaRecords(session, model.async.ops());
  EXPECT_TRUE(records.ok()) << records.status();
  if (!values.ok() || !records.ok()) return {};
  const int64_t updates = (*values)[0].scalar<int64_t>();
  EXPECT_EQ((*values)[1].scalar<float>(), -static_cast<float>(updates));
  return {.updates = updates,
          .most_missed = static_cast<int64_t>((*values)[2].scalar<float>()),
          .records = *records};
}

void ExpectAllEnded(const std::vector<AsyncEnded>& ended) {
  for (const AsyncEnded& replica : ended)
    EXPECT_TRUE(replica.status.ok()) << replica.status;
}

void ForAsyncSeeds(uint64_t seeds, const std::function<void()>& body) {
  EXPECT_EQ(
      FirstFailure(seeds, body, [] { return testing::Test::HasFailure(); }),
      "");
}

TEST(AsyncReplicasOnClusters, EachReplicaAppliesItsOwnGradients) {
  ForAsyncSeeds(kAsyncSeeds, [] {
    ReplicaCluster cluster;
    const auto ended = RunAsyncReplicas(cluster, std::vector<AsyncOptions>(3));
    ExpectAllEnded(ended);
    const Trained trained = CheckAsyncModel(cluster);
    EXPECT_GE(trained.updates, 40);
    int64_t gradients = 0, runs = 0;
    for (size_t r = 0; r < 3; ++r) {
      gradients += trained.records.replicas[r].gradients();
      runs += ended[r].runs;
      EXPECT_EQ(trained.records.replicas[r].state, ReplicaState::kEnded);
    }
    EXPECT_EQ(gradients, trained.updates);
    EXPECT_EQ(runs, trained.updates);
  });
}

TEST(AsyncReplicasOnClusters, NoneStalerThanTheBoundIsApplied) {
  for (const int64_t bound : {0, 1}) {
    int64_t dropped = 0;
    ForAsyncSeeds(kAsyncSeeds / 2, [&] {
      ReplicaCluster cluster;
      AsyncOptions options;
      options.async.policy = StalenessPolicy::kDrop;
      options.async.max_staleness = bound;
      options.async.updates = Updates::kOneByOne;
      std::vector<AsyncOptions> replicas(3, options);
      replicas[0].step_ms = 5;
      replicas[1].step_ms = 7;
      replicas[2].step_ms = 30;
      const auto ended = RunAsyncReplicas(cluster, replicas);
      ExpectAllEnded(ended);
      const Trained trained = CheckAsyncModel(cluster);
      EXPECT_LE(trained.most_missed, bound);
      int64_t runs = 0, drops = 0, counted = 0;
      for (size_t r = 0; r < 3; ++r) {
        EXPECT_LE(ended[r].greatest_applied, bound);
        runs += ended[r].runs;
        drops += ended[r].dropped;
        counted += trained.records.replicas[r].dropped;
      }
      EXPECT_EQ(drops, counted);
      EXPECT_EQ(trained.updates, runs - drops);
      dropped += drops;
    });
    EXPECT_GT(dropped, 0);
  }
}

TEST(AsyncReplicasOnClusters, VariablesOnOtherTasksAreDroppedWithTheRest) {
  ForAsyncSeeds(kAsyncSeeds / 2, [] {
    ReplicaCluster cluster(/*num_ps=*/2);
    AsyncOptions options;
    options.async.policy = StalenessPolicy::kDrop;
    options.async.max_staleness = 0;
    options.async.updates = Updates::kOneByOne;
    const auto ended =
        RunAsyncReplicas(cluster, std::vector<AsyncOptions>(3, options));
    ExpectAllEnded(ended);
    int64_t runs = 0, drops = 0;
    for (const AsyncEnded& replica : ended) {
      runs += replica.runs;
      drops += replica.dropped;
    }
    EXPECT_GT(drops, 0);
    EXPECT_EQ(CheckAsyncModel(cluster).updates, runs - drops);
  });
}

TEST(AsyncReplicasOnClusters, NobodyIsFartherAheadThanTold) {
  for (const int64_t ahead : {0, 2}) {
    ForAsyncSeeds(kAsyncSeeds / 2, [&] {
      ReplicaCluster cluster;
      AsyncOptions options;
      options.async.max_ahead = ahead;
      options.async.updates = Updates::kOneByOne;
      std::vector<AsyncOptions> replicas(3, options);
      replicas[1].step_ms = 50;
      const auto ended = RunAsyncReplicas(cluster, replicas);
      ExpectAllEnded(ended);
      const Trained trained = CheckAsyncModel(cluster);
      EXPECT_LE(trained.most_missed, 2 * (2 * ahead + 1));
      EXPECT_GT(ended[0].waited_nanos, 0);
      // The slow one makes its share of the steps.
      EXPECT_GE(ended[1].runs, (40 - 2 * (ahead + 1)) / 3);
    });
  }
}

TEST(AsyncReplicasOnClusters, DataMayEndUnevenly) {
  ForAsyncSeeds(kAsyncSeeds, [] {
    ReplicaCluster cluster;
    std::vector<AsyncOptions> replicas(3);
    for (size_t r = 0; r < 3; ++r) {
      replicas[r].async.max_ahead = 1;
      replicas[r].last_step = kForever;
      replicas[r].most_runs = static_cast<int64_t>(3 + 10 * r);
    }
    const int64_t begin = NowNanos();
    const auto ended = RunAsyncReplicas(cluster, replicas);
    ExpectAllEnded(ended);
    for (size_t r = 0; r < 3; ++r)
      EXPECT_EQ(ended[r].runs, replicas[r].most_runs);
    EXPECT_EQ(CheckAsyncModel(cluster).updates, 3 + 13 + 23);
    // Nobody was taken as gone.
    EXPECT_LT(NowNanos() - begin, int64_t{60'000} * 1'000'000);
  });
}

// Returns three replicas of which the last one's worker is lost after three of
// its steps, with its program.
std::vector<AsyncOptions> ThreeThatLoseOne(ReplicaCluster& cluster,
                                           Coordinator& of_the_lost,
                                           const AsyncOptions& options) {
  std::vector<AsyncOptions> replicas(3, options);
  replicas[2].coordinator = &of_the_lost;
  replicas[2].on_run = [&](int64_t runs) {
    if (runs != 3) return;
    of_the_lost.RequestStop();
    cluster.KillWorker(2);
  };
  return replicas;
}

TEST(AsyncReplicasOnClusters, TheTrainingGoesOnWithoutALostReplica) {
  ForAsyncSeeds(kAsyncSeeds, [] {
    ReplicaCluster cluster;
    Coordinator lost;
    AsyncOptions options;
    options.async.max_ahead = 1;
    const auto ended =
        RunAsyncReplicas(cluster, ThreeThatLoseOne(cluster, lost, options));
    EXPECT_TRUE(ended[0].status.ok()) << ended[0].status;
    EXPECT_TRUE(ended[1].status.ok()) << ended[1].status;
    const Trained trained = CheckAsyncModel(cluster);
    EXPECT_GE(trained.updates, 40);
    EXPECT_EQ(trained.records.replicas[2].state, ReplicaState::kGone);
    EXPECT_GE(ended[0].waited_nanos, int64_t{50'000} * 1'000'000);
  });
}

TEST(AsyncReplicasOnClusters, ALostReplicaMayEndTheTraining) {
  ForAsyncSeeds(kAsyncSeeds / 2, [] {
    ReplicaCluster cluster;
    Coordinator lost;
    AsyncOptions options;
    options.async.max_ahead = 0;
    options.hook.when_stuck = WhenStuck::kStop;
    options.hook.too_long_ms = 20'000;
    const auto ended =
        RunAsyncReplicas(cluster, ThreeThatLoseOne(cluster, lost, options));
    int stopped = 0;
    for (size_t r = 0; r < 2; ++r) {
      if (ended[r].status.ok()) continue;  // the other one has ended first
      ++stopped;
      EXPECT_EQ(ended[r].status.code(), StatusCode::kDeadlineExceeded)
          << ended[r].status;
      EXPECT_THAT(std::string(ended[r].status.message()),
                  HasSubstr(" s for replica 2, at step 3 of its own"));
    }
    EXPECT_GE(stopped, 1);
  });
}

TEST(AsyncReplicasOnClusters, ARestartedReplicaComesInAtTheSlowestClock) {
  ForAsyncSeeds(kAsyncSeeds, [] {
    ReplicaCluster cluster;
    Coordinator lost;
    AsyncOptions options;
    options.async.max_ahead = 2;
    options.async.replicas = 3;
    options.hook.when_stuck = WhenStuck::kWait;
    std::vector<AsyncOptions> replicas =
        ThreeThatLoseOne(cluster, lost, options);
    std::vector<AsyncEnded> ended(3);
    Gate gate(3);
    std::vector<Thread> threads;
    for (int r = 0; r < 3; ++r) {
      replicas[static_cast<size_t>(r)].gate = &gate;
      threads.emplace_back("replica", [&, r] {
        const auto i = static_cast<size_t>(r);
        ended[i] = RunAsyncReplica(cluster, r, replicas[i]);
        if (r != 2) return;
        SleepUntil(Deadline::AfterMillis(30'000));
        cluster.RestartWorker(2);
        ended[i] = RunAsyncReplica(cluster, r, options);
      });
    }
    for (Thread& thread : threads) thread.Join();
    ExpectAllEnded(ended);
    const Trained trained = CheckAsyncModel(cluster);
    EXPECT_GE(trained.updates, 40);
    // It had made three steps; it did not have to make up for the others'.
    EXPECT_GT(trained.records.replicas[2].clock,
              trained.records.replicas[2].gradients());
  });
}

TEST(AsyncReplicasOnClusters, APsThatRestartsBeginsAgain) {
  ForAsyncSeeds(kAsyncSeeds, [] {
    ReplicaCluster cluster;
    AsyncOptions options;
    options.async.max_ahead = 1;
    std::vector<AsyncOptions> replicas(3, options);
    std::atomic<bool> restarted{false};
    replicas[1].on_run = [&](int64_t runs) {
      if (runs == 4 && !restarted.exchange(true)) cluster.RestartPs();
    };
    // Who is ready only after the end gets the stop as its answer.
    for (const AsyncEnded& replica : RunAsyncReplicas(cluster, replicas)) {
      EXPECT_TRUE(replica.status.ok() ||
                  replica.status.code() == StatusCode::kCancelled)
          << replica.status;
    }
    EXPECT_GE(CheckAsyncModel(cluster).updates, 40);
  });
}

TEST(AsyncReplicasOnClusters, ReplicaZeroTrainsAloneInTheWarmUp) {
  ForAsyncSeeds(kAsyncSeeds, [] {
    ReplicaCluster cluster;
    AsyncOptions options;
    options.async.warm_up_steps = 15;
    options.step_ms = 10;
    const auto ended = RunAsyncReplicas(
        cluster, std::vector<AsyncOptions>(3, options), Begin::kAsTheyCome);
    ExpectAllEnded(ended);
    EXPECT_EQ(ended[0].first_step, 1);
    for (size_t r = 1; r < 3; ++r)
      EXPECT_TRUE(ended[r].runs == 0 || ended[r].first_step > 15);
    EXPECT_GT(ended[1].runs + ended[2].runs, 0);
    EXPECT_GE(CheckAsyncModel(cluster).updates, 40);
  });
}

TEST(AsyncReplicasOnClusters, TheWaitForTheWarmUpEndsWithAStop) {
  ForAsyncSeeds(kAsyncSeeds / 2, [] {
    ReplicaCluster cluster;
    AsyncOptions options;
    options.async.warm_up_steps = kForever;
    options.step_ms = 20;
    std::vector<AsyncOptions> replicas(2, options);
    Coordinator stops;
    replicas[1].coordinator = &stops;
    replicas[0].on_run = [&](int64_t runs) {
      if (runs == 20) stops.RequestStop();
    };
    const auto ended = RunAsyncReplicas(cluster, replicas, Begin::kAsTheyCome);
    EXPECT_TRUE(ended[0].status.ok()) << ended[0].status;
    EXPECT_EQ(ended[1].status.code(), StatusCode::kCancelled);
    EXPECT_THAT(
        std::string(ended[1].status.message()),
        HasSubstr("replica 1 of 'async_replicas' waits for the warm-up: "
                  "replica 0 is at step "));
  });
}

TEST(AsyncReplicasOnClusters, TheWarmUpMayEndEarly) {
  ForAsyncSeeds(kAsyncSeeds / 2, [] {
    ReplicaCluster cluster;
    AsyncOptions options;
    options.async.warm_up_steps = 1'000;
    std::vector<AsyncOptions> replicas(2, options);
    replicas[0].most_runs = 5;  // its data end
    const auto ended = RunAsyncReplicas(cluster, replicas, Begin::kAsTheyCome);
    ExpectAllEnded(ended);
    EXPECT_EQ(ended[1].first_step, 6);
  });
}

// What a step of one worker is made of.
struct StepCost {
  int64_t nodes = 0;
  int64_t transfers = 0;  // between tasks
};

StepCost CostOf(const ReplicaCluster& cluster, const Scope& s,
                const Operation& train_op) {
  Session session(s, cluster.Session(0));
  EXPECT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  RunMetadata metadata;
  const auto ran = session.Run(
      {}, {train_op.output(0)}, {},
      {.options = {.output_partition_graphs = true}, .metadata = &metadata});
  EXPECT_TRUE(ran.ok()) << ran.status();
  StepCost cost;
  for (const GraphDef& graph : metadata.partition_graphs) {
    for (const NodeDef& node : graph.nodes) {
      cost.nodes += node.op == "_Send" || node.op == "_Recv" ? 0 : 1;
      cost.transfers += node.op == "_Send" ? 1 : 0;
    }
  }
  return cost;
}

StepCost CostOfPlainStep(const ReplicaCluster& cluster) {
  const Scope s = cluster.NewGraph(0);
  WeightModel model(s);
  const Operation train_op =
      model.rule.Minimize(s, model.loss, {.global_step = model.step});
  return CostOf(cluster, s, train_op);
}

StepCost CostOfStep(const ReplicaCluster& cluster,
                    const AsyncReplicasOptions& options) {
  const Scope s = cluster.NewGraph(0);
  const AsyncModel model(s, options);
  return CostOf(cluster, s, model.train_op);
}

TEST(AsyncReplicasOnClusters, AStepSendsAtMostOneMoreNumberToATask) {
  ForAsyncSeeds(1, [] {
    AsyncReplicasOptions drops = {.policy = StalenessPolicy::kDrop,
                                  .max_staleness = 3};
    const AsyncReplicasOptions scales = {.policy = StalenessPolicy::kScale};
    AsyncReplicasOptions one_by_one = drops;
    one_by_one.updates = Updates::kOneByOne;
    {
      // All variables are beside the global step.
      ReplicaCluster cluster(/*num_ps=*/1, /*num_workers=*/1);
      const StepCost plain = CostOfPlainStep(cluster);
      EXPECT_GT(plain.transfers, 0);
      for (const auto& options :
           {AsyncReplicasOptions(), drops, scales, one_by_one}) {
        const StepCost cost = CostOfStep(cluster, options);
        EXPECT_EQ(cost.transfers, plain.transfers);
        EXPECT_LE(cost.nodes, plain.nodes + 50);
      }
    }
    // The variable is on another task, to which the decision goes; a signal
    // comes from the worker.
    ReplicaCluster cluster(/*num_ps=*/2, /*num_workers=*/1);
    const StepCost plain = CostOfPlainStep(cluster);
    EXPECT_LE(CostOfStep(cluster, {}).transfers, plain.transfers);
    for (const auto& options : {drops, scales, one_by_one}) {
      EXPECT_LE(CostOfStep(cluster, options).transfers, plain.transfers + 2);
    }
  });
}

TEST(AsyncReplicasOnClusters, StalenessIsWrittenAsSummaries) {
  ForAsyncSeeds(1, [] {
    ReplicaCluster cluster;
    auto writer = EventWriter::Open(&cluster.files(), "/events");
    ASSERT_TRUE(writer.ok()) << writer.status();
    std::vector<AsyncOptions> replicas(2);
    replicas[0].hook.writer = writer->get();
    ExpectAllEnded(RunAsyncReplicas(cluster, replicas));
    EXPECT_TRUE((*writer)->Close().ok());
    const auto bytes = ReadFileToString(&cluster.files(), (*writer)->path());
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    for (const char* tag :
         {"async_replicas/staleness", "async_replicas/max_staleness",
          "async_replicas/dropped"}) {
      EXPECT_THAT(*bytes, HasSubstr(tag));
    }
  });
}

}  // namespace
}  // namespace millrace::train
