// Gradients on the wire between the tasks of clusters within a simulation.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/base/sim/sim.h"
#include "millrace/client/default_tables.h"
#include "millrace/client/ops.h"
#include "millrace/cluster/server.h"
#include "millrace/rpc/loopback/loopback.h"
#include "millrace/train/global_step.h"
#include "millrace/train/monitored_session.h"
#include "millrace/train/optimizers/gradient_descent.h"
#include "millrace/train/replica_device_setter.h"
#include "millrace/train/replicas/gradient_wire.h"
#include "millrace/train/replicas/sync_replicas_hook.h"

namespace millrace::train {
namespace {

constexpr int64_t kWireWeights = 300;
constexpr GradientWire kWire = {.form = GradientWire::Form::kTopK,
                                .fraction = 0.1};

// A parameter server and two workers.
class WireCluster {
 public:
  WireCluster() {
    auto spec = ClusterSpec::Parse(
        "ps=127.0.0.1:1001;worker=127.0.0.1:1002,127.0.0.1:1003");
    MR_CHECK(spec.ok(), spec.status().ToString());
    spec_ = *std::move(spec);
    for (const TaskName& task : spec_.Tasks()) servers_[task] = Start(task);
  }
  ~WireCluster() {
    for (const auto& [task, server] : servers_) server->Stop(0);
  }
  // Ends a task as a kill does, and starts it anew, without what it had.
  void Restart(const TaskName& task) {
    servers_[task]->Kill();
    servers_[task]->Join();
    servers_[task].reset();
    servers_[task] = Start(task);
  }
  SessionOptions Session(int worker) const {
    return {.target = absl::StrCat("grpc://127.0.0.1:", 1002 + worker),
            .transport = network_};
  }

 private:
  std::unique_ptr<Server> Start(const TaskName& task) {
    ServerOptions options;
    options.cluster = spec_;
    options.task = task;
    options.transport = network_;
    options.ops = &DefaultOps();
    options.kernels = &DefaultKernels();
    auto server = Server::Start(options);
    MR_CHECK(server.ok(), server.status().ToString());
    return *std::move(server);
  }

  const std::shared_ptr<LoopbackNetwork> network_ =
      std::make_shared<LoopbackNetwork>();
  ClusterSpec spec_;
  std::map<TaskName, std::unique_ptr<Server>> servers_;
};

Scope ScopeOfWorker(const Scope& root, int worker) {
  return root.WithDevice(ReplicaDeviceSetter(
      {.ps_tasks = 1,
       .worker_device = absl::StrCat("/job:worker/task:", worker)}));
}

ops::Variable WireWeights(const Scope& s, bool use_resource) {
  return ops::Variable(s.WithOpName("w"),
                       Tensor::Zeros(DataType::kFloat, {kWireWeights}),
                       {.use_resource = use_resource, .shared_name = "w"});
}

// Runs the body of both workers side by side, in simulations.
void ForBothWorkers(const std::function<void(WireCluster&)>& before,
                    const std::function<void(WireCluster&, int worker)>& body,
                    const std::function<void(WireCluster&)>& afterwards) {
  DefaultOps();
  DefaultKernels();
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    SimWorld world({.seed = seed});
    const SimResult result = world.Run([&] {
      WireCluster cluster;
      before(cluster);
      std::vector<Thread> threads;
      for (int i = 0; i < 2; ++i)
        threads.emplace_back("worker", [&, i] { body(cluster, i); });
      for (Thread& thread : threads) thread.Join();
      afterwards(cluster);
    });
    ASSERT_TRUE(result.status.ok()) << result.Report();
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

float TotalOf(const Tensor& tensor) {
  const auto values = tensor.flat<float>();
  return std::accumulate(values.begin(), values.end(), 0.0f);
}

// What has been computed has arrived, or is in the residual of the worker that
// computed it.
TEST(GradientWireCluster, EachWorkerKeepsWhatItDidNotSend) {
  constexpr int kSteps = 5;
  for (const bool use_resource : {false, true}) {
    float kept[2] = {};
    ForBothWorkers(
        [&](WireCluster& cluster) {
          const Scope s = Scope::NewRoot();
          const ops::Variable w =
              WireWeights(ScopeOfWorker(s, 0), use_resource);
          Session session(s, cluster.Session(0));
          const Status status = session.RunTargets({w.initializer()});
          EXPECT_TRUE(status.ok()) << status;
        },
        [&](WireCluster& cluster, int worker) {
          const Scope root = Scope::NewRoot();
          const Scope s = ScopeOfWorker(root, worker);
          const ops::Variable w = WireWeights(s, use_resource);
          // Gradients of 1 or 2.
          const Output loss =
              ops::Sum(s, ops::Mul(s, w, static_cast<float>(worker + 1)), {0});
          GradientDescentOptimizer rule(1.0);
          const Operation train_op = rule.ApplyGradients(
              s, OnTheWire(s, rule.ComputeGradients(s, loss), kWire));
          ASSERT_TRUE(root.ok()) << root.status();
          Session session(root, cluster.Session(worker));
          Status status =
              session.RunTargets({ops::LocalVariablesInitializer(s)});
          for (int i = 0; status.ok() && i < kSteps; ++i)
            status = session.RunTargets({train_op});
          ASSERT_TRUE(status.ok()) << status;
          const auto rest = session.Run({ops::LocalVariables(s)[0].Read(root)});
          ASSERT_TRUE(rest.ok()) << rest.status();
          kept[worker] = TotalOf((*rest)[0]);
        },
        [&](WireCluster& cluster) {
          const Scope s = Scope::NewRoot();
          const ops::Variable w =
              WireWeights(ScopeOfWorker(s, 0), use_resource);
          Session session(s, cluster.Session(0));
          const auto weights = session.Run({w.Read(s)});
          ASSERT_TRUE(weights.ok()) << weights.status();
          // 30 of 300 elements a step, which have waited for 0 to 4 steps.
          EXPECT_EQ(kept[0], kSteps * kWireWeights - 30 * 15);
          EXPECT_EQ(kept[1], 2 * kept[0]);
          EXPECT_EQ(-TotalOf((*weights)[0]) + kept[0] + kept[1],
                    3 * kSteps * kWireWeights);
        });
  }
}

TEST(GradientWireCluster, SynchronousReplicasLearn) {
  ForBothWorkers(
      [](WireCluster&) {},
      [](WireCluster& cluster, int worker) {
        const Scope root = Scope::NewRoot();
        const Scope s = ScopeOfWorker(root, worker);
        const ops::Variable step = CreateGlobalStep(s);
        const ops::Variable w = WireWeights(s, false);
        // Half of the squared distance from 1.
        const Output distance = ops::Sub(s, w, 1.0f);
        const Output loss = ops::Mul(
            s, ops::Sum(s, ops::Mul(s, distance, distance), {0}), 0.5f);
        GradientDescentOptimizer rule(0.05);
        SyncReplicas sync(&rule, {.gradients_per_step = 2, .replicas = 2});
        const Operation train_op = sync.ApplyGradients(
            s, OnTheWire(s, sync.ComputeGradients(s, loss), kWire),
            {.global_step = step});
        ASSERT_TRUE(root.ok()) << root.status();
        SyncReplicasHook hook(sync, {.is_chief = [=] { return worker == 0; }});
        StopAtStepHook stop(30);
        MonitoredSessionOptions options;
        options.session = cluster.Session(worker);
        options.is_chief = [=] { return worker == 0; };
        options.hooks = {&hook, &stop};
        MonitoredSession session(root, options);
        const MonitoredCallable train =
            session.Prepare({}, {train_op.output(0)}, {}, {.step_fetch = 0});
        Status status = session.Start();
        while (status.ok() && !session.ShouldStop())
          status = train.Run().status();
        EXPECT_TRUE(status.ok()) << status;
        const Status closed = session.Close();
        EXPECT_TRUE(closed.ok()) << closed;
      },
      [](WireCluster& cluster) {
        const Scope s = Scope::NewRoot();
        const ops::Variable w = WireWeights(ScopeOfWorker(s, 0), false);
        Session session(s, cluster.Session(0));
        const auto weights = session.Run({w.value()});
        ASSERT_TRUE(weights.ok()) << weights.status();
        float squares = 0;  // at first 300
        for (const float x : (*weights)[0].flat<float>())
          squares += (x - 1) * (x - 1);
        EXPECT_LT(squares, 60);
      });
}

// The residual of a task that is lost is lost; the next session of the replica
// begins with zeros.
TEST(GradientWireCluster, TrainingGoesOnWhenAResidualIsLost) {
  ForBothWorkers(
      [](WireCluster&) {},
      [](WireCluster& cluster, int worker) {
        const Scope root = Scope::NewRoot();
        const Scope s = ScopeOfWorker(root, worker);
        const ops::Variable step = CreateGlobalStep(s);
        const ops::Variable w = WireWeights(s, true);
        GradientDescentOptimizer rule(1.0);
        const Operation train_op = rule.ApplyGradients(
            s,
            OnTheWire(s, rule.ComputeGradients(s, ops::Sum(s, w, {0})), kWire),
            {.global_step = step});
        ASSERT_TRUE(root.ok()) << root.status();
        StopAtStepHook stop(20);
        MonitoredSessionOptions options;
        options.session = cluster.Session(worker);
        options.is_chief = [=] { return worker == 0; };
        options.hooks = {&stop};
        MonitoredSession session(root, options);
        const MonitoredCallable train =
            session.Prepare({}, {train_op.output(0)}, {}, {.step_fetch = 0});
        Status status = session.Start();
        for (int runs = 0; status.ok() && !session.ShouldStop(); ++runs) {
          if (worker == 1 && runs == 3) cluster.Restart({"worker", 1});
          status = train.Run().status();
        }
        EXPECT_TRUE(status.ok()) << status;
        EXPECT_TRUE(session.Close().ok());
      },
      [](WireCluster& cluster) {
        const Scope s = Scope::NewRoot();
        const ops::Variable w = WireWeights(ScopeOfWorker(s, 0), true);
        Session session(s, cluster.Session(0));
        const auto weights = session.Run({w.Read(s)});
        ASSERT_TRUE(weights.ok()) << weights.status();
        // Thirty elements a step, each of 1 or more.
        EXPECT_LE(TotalOf((*weights)[0]), -20 * 30);
      });
}

}  // namespace
}  // namespace millrace::train
