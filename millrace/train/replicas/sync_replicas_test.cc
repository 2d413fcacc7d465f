// Tests synchronous training on clusters within a simulation: in virtual time,
// each test from several seeds.
#include "millrace/train/replicas/sync_replicas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>

#include "millrace/client/ops.h"
#include "millrace/train/global_step.h"
#include "millrace/train/monitored_session.h"
#include "millrace/train/optimizers/gradient_descent.h"
#include "millrace/train/replicas/sync_replicas_hook.h"
#include "millrace/train/testing/replica_cluster.h"

namespace millrace::train {
namespace {

using testing::HasSubstr;

constexpr uint64_t kSeeds = 8;
constexpr int kWorkers = 3;

// A weight and a table of two rows, which start at 0. Each gradient of the
// weight is 1, and of the table's row 0 as well, so that after n updates they
// are -n, whoever gave the gradients.
struct SyncModel {
  SyncModel(const Scope& s, const SyncReplicasOptions& options)
      : rule(1.0f), sync(&rule, options) {
    step = CreateGlobalStep(s);
    w = ops::Variable(s.WithOpName("w"), Tensor::Scalar(0.0f));
    table = ops::Variable(s.WithOpName("table"), {{0.0f}, {0.0f}});
    const Output rows = ops::GatherV2(s, table.value(), {0}, 0);
    const Output loss =
        ops::AddV2(s, w, ops::Sum(s, rows, ops::Const(s, {0, 1})));
    train_op = sync.Minimize(s, loss, {.global_step = step});
    MR_CHECK(s.ok(), s.status().ToString());
  }
  GradientDescentOptimizer rule;
  SyncReplicas sync;
  ops::Variable step, w, table;
  Operation train_op;
};

// What a replica did.
struct Ended {
  Status status;
  int64_t runs = 0;
  int64_t updates = 0;
  int64_t replaced = 0;
  int64_t dropped = 0;
  int64_t greatest_staleness = 0;
};

struct ReplicaOptions {
  SyncReplicasOptions sync = {.gradients_per_step = kWorkers,
                              .replicas = kWorkers};
  SyncReplicasHookOptions hook;
  int64_t last_step = 10;
  int64_t most_runs = 1'000'000;
  std::function<bool()> is_chief;       // empty: replica 0
  std::function<void(int64_t)> on_run;  // with the number of runs so far
  FileSystem* files = nullptr;          // if given, the chief saves there
  Coordinator* coordinator = nullptr;
  Gate* gate = nullptr;  // before the first step
};

Ended RunReplica(const ReplicaCluster& cluster, int worker,
                 ReplicaOptions options) {
  Ended ended;
  const Scope s = cluster.NewGraph(worker);
  SyncModel model(s, options.sync);
  if (!options.is_chief) options.is_chief = [worker] { return worker == 0; };
  options.hook.is_chief = options.is_chief;
  SyncReplicasHook hook(model.sync, options.hook);
  StopAtStepHook stop(options.last_step);
  MonitoredSessionOptions monitored;
  monitored.session = cluster.Session(worker);
  monitored.is_chief = options.is_chief;
  monitored.hooks = {&hook, &stop};
  monitored.coordinator = options.coordinator;
  if (options.files != nullptr) {
    monitored.checkpoint_dir = "/d";
    monitored.save_seconds = 0;
    monitored.save_steps = options.last_step;
    monitored.saver.files = options.files;
  }
  MonitoredSession session(s, monitored);
  const MonitoredCallable train = session.Prepare(
      {}, {model.train_op.output(0), model.sync.ops().staleness}, {},
      {.step_fetch = 0});
  ended.status = session.Start();
  if (options.gate) options.gate->Pass();
  while (ended.status.ok() && !session.ShouldStop() &&
         ended.runs < options.most_runs) {
    const auto values = train.Run();
    ended.status = values.status();
    if (values.ok()) {
      ended.greatest_staleness =
          std::max(ended.greatest_staleness, (*values)[1].scalar<int64_t>());
    }
    ++ended.runs;
    if (options.on_run) options.on_run(ended.runs);
  }
  const Status closed = session.Close();
  if (ended.status.ok()) ended.status = closed;
  ended.updates = hook.updates();
  ended.replaced = hook.replaced_tokens();
  ended.dropped = hook.dropped_gradients();
  return ended;
}

// Runs replicas side by side; returns what became of each.
std::vector<Ended> RunReplicas(const ReplicaCluster& cluster,
                               const std::vector<ReplicaOptions>& options) {
  std::vector<Ended> ended(options.size());
  std::vector<Thread> threads;
  for (size_t i = 0; i < options.size(); ++i) {
    threads.emplace_back("replica", [&, i] {
      ended[i] = RunReplica(cluster, static_cast<int>(i), options[i]);
    });
  }
  for (Thread& thread : threads) thread.Join();
  return ended;
}

// Checks that each update applied the average of its gradients, and returns how
// many there were.
int64_t CheckModel(const ReplicaCluster& cluster, int worker = 0) {
  const Scope s = cluster.NewGraph(worker);
  SyncModel model(s, {.gradients_per_step = 1});
  Session session(s, cluster.Session(worker));
  const auto values = session.Run({model.step, model.w, model.table});
  EXPECT_TRUE(values.ok()) << values.status();
  if (!values.ok()) return 0;
  const int64_t steps = (*values)[0].scalar<int64_t>();
  const auto updates = static_cast<float>(steps);
  EXPECT_EQ((*values)[1].scalar<float>(), -updates);
  EXPECT_EQ((*values)[2].flat<float>()[0], -updates);
  EXPECT_EQ((*values)[2].flat<float>()[1], 0);
  return steps;
}

void ForSyncSeeds(uint64_t seeds, const std::function<void()>& body) {
  EXPECT_EQ(
      FirstFailure(seeds, body, [] { return testing::Test::HasFailure(); }),
      "");
}

TEST(SyncReplicas, EachStepAppliesTheAverageOfItsGradients) {
  ForSyncSeeds(kSeeds, [] {
    ReplicaCluster cluster;
    const auto ended = RunReplicas(cluster, std::vector<ReplicaOptions>(3));
    for (const Ended& replica : ended) {
      EXPECT_TRUE(replica.status.ok()) << replica.status;
      EXPECT_EQ(replica.replaced, 0);
    }
    EXPECT_GE(CheckModel(cluster), 10);
    EXPECT_GE(ended[0].updates, 10);
    EXPECT_EQ(ended[1].updates, 0);
  });
}

TEST(SyncReplicas, SparesAreNotWaitedFor) {
  ForSyncSeeds(kSeeds, [] {
    ReplicaCluster cluster;
    ReplicaOptions options;
    options.sync.gradients_per_step = 2;
    std::vector<ReplicaOptions> replicas(3, options);
    // The last one takes an hour a step, so it never gives a gradient in time.
    replicas[2].on_run = [](int64_t runs) {
      if (runs <= 2) SleepUntil(Deadline::AfterMillis(3'600'000));
    };
    const int64_t begin = NowNanos();
    replicas[0].hook.leave_timeout_ms = 1'000;
    const auto ended = RunReplicas(cluster, replicas);
    EXPECT_TRUE(ended[0].status.ok()) << ended[0].status;
    EXPECT_TRUE(ended[1].status.ok()) << ended[1].status;
    EXPECT_GE(CheckModel(cluster), 10);
    EXPECT_GT(NowNanos() - begin, 0);
  });
}

TEST(SyncReplicas, StaleGradientsAreCounted) {
  ForSyncSeeds(kSeeds, [] {
    ReplicaCluster cluster;
    Gate gate(3);
    ReplicaOptions options;
    options.sync.gradients_per_step = 2;
    options.gate = &gate;
    options.hook.leave_timeout_ms = 1'000;
    std::vector<ReplicaOptions> replicas(3, options);
    // The others have ended when it has its second gradient.
    replicas[2].on_run = [](int64_t runs) {
      if (runs == 1) SleepUntil(Deadline::AfterMillis(600'000));
    };
    const auto ended = RunReplicas(cluster, replicas);
    for (const Ended& replica : ended) {
      EXPECT_TRUE(replica.status.ok()) << replica.status;
      EXPECT_LE(replica.dropped, replica.runs);
    }
    EXPECT_GT(ended[2].dropped, 0);
    EXPECT_GE(ended[2].greatest_staleness, 8);
    CheckModel(cluster);
  });
}

TEST(SyncReplicas, DataMayEndUnevenly) {
  ForSyncSeeds(kSeeds, [] {
    ReplicaCluster cluster;
    std::vector<ReplicaOptions> replicas(3);
    for (size_t i = 0; i < 3; ++i) {
      replicas[i].last_step = 1'000'000;
      replicas[i].most_runs = static_cast<int64_t>(2 + 9 * i);
    }
    const auto ended = RunReplicas(cluster, replicas);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(ended[i].status.ok()) << ended[i].status;
      EXPECT_EQ(ended[i].runs, replicas[i].most_runs);
      EXPECT_EQ(ended[i].replaced, 0);
    }
    CheckModel(cluster);
  });
}

// It would wait for ever for tokens that nobody hands out.
TEST(SyncReplicas, WhoIsLeftByTheChiefEnds) {
  ForSyncSeeds(kSeeds, [] {
    ReplicaCluster cluster;
    std::vector<ReplicaOptions> replicas(2);
    for (ReplicaOptions& replica : replicas) {
      replica.last_step = 1'000'000;
      replica.hook.leave_timeout_ms = 100;
    }
    replicas[0].most_runs = 5;
    // Time passes only where somebody waits.
    replicas[1].on_run = [](int64_t) { SleepUntil(Deadline::AfterMillis(10)); };
    const auto ended = RunReplicas(cluster, replicas);
    EXPECT_TRUE(ended[0].status.ok()) << ended[0].status;
    EXPECT_TRUE(ended[1].status.ok() ||
                ended[1].status.code() == StatusCode::kOutOfRange)
        << ended[1].status;
    EXPECT_GE(ended[1].runs, 5);
    CheckModel(cluster);
  });
}

// Makes the first checkpoint behind that of step 0 fail.
MemoryFiles::Fault UnavailableOnce() {
  return [failed = false](FileOp op, const std::string& path) mutable {
    if (failed || op != FileOp::kOpenWrite ||
        path.find("model.ckpt-") == std::string::npos ||
        path.find("model.ckpt-0") != std::string::npos) {
      return OkStatus();
    }
    failed = true;
    return Unavailable("the disk is not there");
  };
}

// The last checkpoint of the chief ends its session, so that it saves the end
// in a new one; the replica that it leaves must hear of that.
TEST(SyncReplicas, WhoIsLeftByAChiefThatLostItsSessionEnds) {
  ForSyncSeeds(kSeeds, [] {
    ReplicaCluster cluster;
    std::vector<ReplicaOptions> replicas(2);
    replicas[0].last_step = 5;
    replicas[0].files = &cluster.files();
    replicas[1].last_step = 1'000'000;
    replicas[1].on_run = [](int64_t) { SleepUntil(Deadline::AfterMillis(10)); };
    cluster.files().SetFault(UnavailableOnce());
    const auto ended = RunReplicas(cluster, replicas);
    EXPECT_TRUE(ended[0].status.ok()) << ended[0].status;
    EXPECT_TRUE(ended[1].status.ok() ||
                ended[1].status.code() == StatusCode::kOutOfRange)
        << ended[1].status;
    EXPECT_GE(ended[0].updates, 5);
    CheckModel(cluster);
  });
}

// Takes a token and never gives a gradient for it.
void TakeATokenAndVanish(const ReplicaCluster& cluster, int worker) {
  const Scope s = Scope::NewRoot().WithDevice("/job:ps/task:0");
  const FIFOQueue tokens(
      s, {DataType::kInt64},
      {.shapes = {PartialShape({})}, .shared_name = "sync_token_q"});
  Session session(s, cluster.Session(worker));
  session.Run({}, tokens.Dequeue(s), {}, {.options = {.timeout_ms = 10'000}})
      .status()
      .IgnoreError();
}

// Returns two replicas; after four steps of the first one a third takes so many
// tokens that the others have too few.
std::vector<ReplicaOptions> TwoThatLoseAThird(const ReplicaCluster& cluster,
                                              const ReplicaOptions& options,
                                              std::atomic<bool>* vanished) {
  std::vector<ReplicaOptions> replicas(2, options);
  replicas[0].on_run = [&cluster, vanished](int64_t runs) {
    if (runs < 4 || vanished->exchange(true)) return;
    for (int i = 0; i < 3; ++i) TakeATokenAndVanish(cluster, 2);
  };
  return replicas;
}

TEST(SyncReplicas, OthersComputeWhatALostReplicaOwes) {
  ForSyncSeeds(kSeeds, [] {
    ReplicaCluster cluster;
    ReplicaOptions options;
    options.hook.leave_timeout_ms = 5'000;
    std::atomic<bool> vanished{false};
    const auto ended =
        RunReplicas(cluster, TwoThatLoseAThird(cluster, options, &vanished));
    for (const Ended& replica : ended)
      EXPECT_TRUE(replica.status.ok()) << replica.status;
    EXPECT_GT(ended[0].replaced, 0);
    EXPECT_GE(CheckModel(cluster), 10);
  });
}

TEST(SyncReplicas, AStepThatWaitsInVainMayEndTheTraining) {
  ForSyncSeeds(kSeeds, [] {
    ReplicaCluster cluster;
    ReplicaOptions options;
    options.hook.when_too_few = WhenTooFew::kStop;
    options.hook.leave_timeout_ms = 5'000;
    options.last_step = 1'000'000;
    std::atomic<bool> vanished{false};
    const auto ended =
        RunReplicas(cluster, TwoThatLoseAThird(cluster, options, &vanished));
    for (const Ended& replica : ended) {
      EXPECT_EQ(replica.status.code(), StatusCode::kDeadlineExceeded)
          << replica.status;
      EXPECT_THAT(std::string(replica.status.message()),
                  HasSubstr("of 3 gradients of "));
    }
    CheckModel(cluster);
  });
}

TEST(SyncReplicas, TheNextReplicaTakesOverFromALostChief) {
  ForSyncSeeds(kSeeds, [] {
    ReplicaCluster cluster;
    std::atomic<int> chief{0};
    ReplicaOptions options;
    options.hook.leave_timeout_ms = 5'000;
    std::vector<ReplicaOptions> replicas(3, options);
    Coordinator first;
    for (int i = 0; i < 3; ++i)
      replicas[static_cast<size_t>(i)].is_chief = [&, i] {
        return chief.load() == i;
      };
    replicas[0].coordinator = &first;
    replicas[0].on_run = [&](int64_t runs) {
      if (runs != 3) return;
      first.RequestStop();
      cluster.KillWorker(0);
      chief.store(1);
    };
    const auto ended = RunReplicas(cluster, replicas);
    EXPECT_TRUE(ended[1].status.ok()) << ended[1].status;
    EXPECT_TRUE(ended[2].status.ok()) << ended[2].status;
    EXPECT_GT(ended[1].updates, 0);
    EXPECT_GE(CheckModel(cluster, 1), 10);
  });
}

TEST(SyncReplicas, APsThatRestartsBeginsAgain) {
  ForSyncSeeds(kSeeds, [] {
    ReplicaCluster cluster;
    std::vector<ReplicaOptions> replicas(3);
    std::atomic<bool> restarted{false};
    replicas[1].on_run = [&](int64_t runs) {
      if (runs == 3 && !restarted.exchange(true)) cluster.RestartPs();
    };
    const auto ended = RunReplicas(cluster, replicas);
    for (const Ended& replica : ended)
      EXPECT_TRUE(replica.status.ok()) << replica.status;
    EXPECT_GE(CheckModel(cluster), 10);
  });
}

TEST(SyncReplicas, GradientsMayGoInFewerBytes) {
  ForSyncSeeds(2, [] {
    ReplicaCluster cluster;
    const Scope s = cluster.NewGraph(0);
    const ops::Variable step = CreateGlobalStep(s);
    const ops::Variable w(s.WithOpName("w"), Tensor::Scalar(0.0f));
    GradientDescentOptimizer rule(1.0f);
    SyncReplicas sync(&rule, {.wire = {.form = GradientWire::Form::kBfloat16}});
    const Operation train_op =
        sync.Minimize(s, ops::Mul(s, w, 257.0f), {.global_step = step});
    SyncReplicasHook hook(sync);
    StopAtStepHook stop(4);
    MonitoredSessionOptions options;
    options.session = cluster.Session(0);
    options.hooks = {&hook, &stop};
    MonitoredSession session(s, options);
    const MonitoredCallable train =
        session.Prepare({}, {train_op.output(0)}, {}, {.step_fetch = 0});
    Status status = session.Start();
    while (status.ok() && !session.ShouldStop()) status = train.Run().status();
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_TRUE(session.Close().ok());
    Session after(s, cluster.Session(0));
    const auto values = after.Run({step.value(), w.value()});
    ASSERT_TRUE(values.ok()) << values.status();
    // 257 has nine significant bits, of which bfloat16 keeps eight: 256.
    const auto steps = static_cast<float>((*values)[0].scalar<int64_t>());
    EXPECT_GE(steps, 4);
    EXPECT_EQ((*values)[1].scalar<float>(), -256 * steps);
  });
}

TEST(SyncReplicas, WhatIsMissingIsSaid) {
  const Scope s = Scope::NewRoot();
  const ops::Variable w(s.WithOpName("w"), Tensor::Scalar(0.0f));
  GradientDescentOptimizer rule(1.0f);
  SyncReplicas sync(&rule, {.gradients_per_step = 2});
  EXPECT_FALSE(sync.Minimize(s, ops::Identity(s, w), {}));
  EXPECT_THAT(std::string(s.status().message()),
              HasSubstr("Global step is required to check staleness"));
}

}  // namespace
}  // namespace millrace::train
