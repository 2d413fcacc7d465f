// Sessions with more kinds of runs than their master keeps.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/rpc/fault/fault_network.h"
#include "tests/cluster/simulated_cluster.h"

namespace millrace {
namespace {

constexpr size_t kKept = 2;

void OnForgetfulCluster(std::function<void(LoopbackCluster& cluster)> body) {
  Simulate([&] {
    LoopbackCluster cluster(kJobs, [](ServerOptions* options) {
      options->max_prepared_runs = kKept;
    });
    cluster.StartAll();
    body(cluster);
  });
}

SessionOptions At(LoopbackCluster& cluster, const TaskName& task) {
  return {.target = absl::StrCat("grpc://", cluster.Address(task)),
          .transport = cluster.network()};
}

// Waits until the task has no more than `graphs` of them.
void ExpectGraphs(LoopbackCluster& cluster, const TaskName& task,
                  int64_t graphs) {
  const Deadline limit = Deadline::AfterMillis(5'000);
  ServerStatusReply status = StatusOf(cluster, task);
  while (!limit.expired() &&
         (status.registered_graphs > graphs || status.plans > graphs)) {
    SleepUntil(Deadline::AfterMillis(10));
    status = StatusOf(cluster, task);
  }
  EXPECT_LE(status.registered_graphs, graphs) << task.ToString();
  EXPECT_LE(status.plans, graphs) << task.ToString();
}

// A private queue, a seeded random op and an iterator, all on a ps, and kinds
// of runs that have nothing of them.
struct Stateful {
  explicit Stateful(const Scope& root) {
    const Scope s = root.WithDevice("/job:ps/task:0");
    queue = ops::FIFOQueueV2(s, {DataType::kFloat});
    put = ops::QueueEnqueueV2(s, queue, {ops::Const(s, 7.0f)});
    size = ops::QueueSizeV2(s, queue);
    taken = ops::QueueDequeueV2(s, queue, {DataType::kFloat})[0];
    drawn = ops::RandomUniform(s, ops::Const(s, std::vector<int32_t>{2}),
                               DataType::kFloat, {.seed = 3, .seed2 = 4});
    const std::vector<DataType> types = {DataType::kInt64};
    const std::vector<PartialShape> shapes = {PartialShape({})};
    const auto number = [&](int64_t n) { return ops::Const(s, n); };
    const Output data =
        ops::RangeDataset(s, number(0), number(100), number(1), types, shapes);
    const Output iterator = ops::IteratorV2(s, "", "", types, shapes);
    begin = ops::MakeIterator(s, data, iterator);
    next = ops::IteratorGetNext(s, iterator, types, shapes)[0];
    for (int i = 0; i < 5; ++i) {
      others.push_back(ops::Neg(root.WithDevice("/job:ps/task:1"),
                                ops::Neg(s, ops::Const(s, float(i)))));
    }
  }
  Output queue, size, taken, drawn, next;
  Operation put, begin;
  std::vector<Output> others;
};

TEST(DroppedRuns, StateGoesOnWhereItWas) {
  Simulate([] {
    std::vector<std::vector<float>> draws;
    for (const size_t kept : {size_t{1000}, kKept}) {
      LoopbackCluster cluster(kJobs, [kept](ServerOptions* options) {
        options->max_prepared_runs = kept;
      });
      cluster.StartAll();
      const Scope s = Scope::NewRoot();
      const Stateful graph(s);
      Session session(s, At(cluster, kWorker0));
      ASSERT_TRUE(session.RunTargets({graph.begin}).ok());
      for (int i = 0; i < 6; ++i) {
        ASSERT_TRUE(session.RunTargets({graph.put}).ok());
      }
      draws.emplace_back();
      for (int i = 0; i < 5; ++i) {
        const auto values = session.Run({graph.taken, graph.drawn, graph.next});
        ASSERT_TRUE(values.ok()) << values.status();
        EXPECT_EQ((*values)[0].scalar<float>(), 7);
        const Tensor& drawn = (*values)[1];
        draws.back().push_back(drawn.flat<float>()[0]);
        draws.back().push_back(drawn.flat<float>()[1]);
        EXPECT_EQ((*values)[2].scalar<int64_t>(), i);
        for (const Output& other : graph.others) {
          ASSERT_TRUE(session.Run({other}).ok());
        }
        if (kept == kKept) {
          ExpectGraphs(cluster, kPs0, kKept);
          ExpectGraphs(cluster, kPs1, kKept);
        }
      }
      const auto left = session.Run({graph.size});
      ASSERT_TRUE(left.ok()) << left.status();
      EXPECT_EQ((*left)[0].scalar<int32_t>(), 1);
    }
    EXPECT_EQ(draws[0], draws[1]);
    EXPECT_NE(draws[0][0], draws[0][2]);
  });
}

TEST(DroppedRuns, CallablesKeepTheirGraphs) {
  OnForgetfulCluster([](LoopbackCluster& cluster) {
    const Scope s = Scope::NewRoot();
    const Scope ps = s.WithDevice("/job:ps/task:0");
    const Output x = ops::Placeholder(s, DataType::kFloat);
    const Output y = ops::Neg(ps, x);
    std::vector<Output> others;
    for (int i = 0; i < 6; ++i) {
      others.push_back(ops::Neg(ps, ops::Const(ps, float(i))));
    }
    Session session(s, At(cluster, kWorker0));
    {
      std::vector<Callable> callables;
      for (const Output& other : others) {
        auto made = session.Prepare({}, {other});
        ASSERT_TRUE(made.ok()) << made.status();
        callables.push_back(*std::move(made));
      }
      auto fed = session.Prepare({x}, {y});
      ASSERT_TRUE(fed.ok()) << fed.status();
      EXPECT_EQ(StatusOf(cluster, kPs0).registered_graphs, 7);
      for (int i = 0; i < 6; ++i) {
        const auto values = callables[i].Run({});
        ASSERT_TRUE(values.ok()) << values.status();
        EXPECT_EQ((*values)[0].scalar<float>(), -static_cast<float>(i));
      }
      EXPECT_EQ((*fed->Run({Tensor::Scalar(3.0f)}))[0].scalar<float>(), -3);
    }
    // Released: the next new kind makes room.
    ASSERT_TRUE(session.Run({ops::Neg(ps, y)}).status().code() ==
                StatusCode::kInvalidArgument);  // not fed
    ExpectGraphs(cluster, kPs0, kKept);
  });
}

// Messages are lost, doubled and late: what was given up does not come back,
// and nothing goes that is still needed.
TEST(DroppedRuns, UnderFaults) {
  Simulate([] {
    std::unique_ptr<FaultNetwork> faults;
    LoopbackCluster cluster(kJobs, [&](ServerOptions* options) {
      options->max_prepared_runs = kKept;
      options->transport = faults->Endpoint(cluster.Address(options->task));
    });
    faults = std::make_unique<FaultNetwork>(
        cluster.network(),
        FaultOptions{
            .request_lost = 100'000,
            .reply_lost = 100'000,
            .duplicated = 300'000,
            .request_delayed = 300'000,
            .reply_delayed = 100'000,
            .max_delay_nanos = 300'000'000,
            .max_loss_nanos = 300'000'000,
            .methods = {MethodId::kRegisterGraph, MethodId::kDeregisterGraph}});
    cluster.StartAll();
    const Scope s = Scope::NewRoot();
    const Stateful graph(s);
    Session session(s, At(cluster, kWorker0));
    int failed = 0;
    for (int i = 0; i < 60; ++i) {
      const int other = i % static_cast<int>(graph.others.size());
      StatusOr<std::vector<Tensor>> values;
      do {
        values = session.Run({graph.others[other]});
        if (values.ok()) break;
        ASSERT_TRUE(IsRecoverable(values.status())) << values.status();
        ASSERT_EQ(values.status().message().find("not found"),
                  absl::string_view::npos)
            << values.status();
      } while (++failed < 100);
      EXPECT_EQ((*values)[0].scalar<float>(), static_cast<float>(other));
    }
    EXPECT_GT(failed, 0);
    faults->set_options({});
    for (const TaskName& task : {kPs0, kPs1}) {
      ExpectGraphs(cluster, task, kKept);
    }
    // What was late has come.
    SleepUntil(Deadline::AfterMillis(1'000));
    for (const TaskName& task : {kPs0, kPs1}) {
      ExpectGraphs(cluster, task, kKept);
    }
  });
}

}  // namespace
}  // namespace millrace
