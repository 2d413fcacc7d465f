// Traces of clusters whose machines' clocks differ.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "millrace/base/json/json.h"
#include "millrace/base/threads/thread.h"
#include "millrace/cluster/trace/take_trace.h"
#include "millrace/cluster/trace/trace_file.h"
#include "millrace/cluster/trace/tracer.h"
#include "tests/cluster/simulated_cluster.h"
#include "tests/support/graph_text.h"

namespace millrace {
namespace {

constexpr int64_t kMilli = 1'000'000;
constexpr int64_t kSecond = 1'000'000'000;
constexpr int kSteps = 3;
constexpr int64_t kElements = 100, kBytes = 4 * kElements;

// By how much a task's clock is ahead.
int64_t SkewOf(const TaskName& task) {
  if (task == kPs1) return -3 * kSecond;
  if (task == kWorker0) return 5 * kSecond;
  return task == kWorker1 ? 250 * kMilli : 0;
}

// Each value goes to another task.
GraphDef OverAllTasks() {
  return GraphText()
      .Placeholder("x", "/job:worker/task:0")
      .Add("a", "x", "x", "/job:ps/task:0")
      .Add("b", "a", "a", "/job:worker/task:1")
      .Add("c", "a", "b", "/job:ps/task:1")
      .Take();
}
// a to b and c, b to c; x is fed where it is needed.
constexpr int kTransfersPerStep = 3;

// Runs steps, one after the other, for as long as it lives.
class Steps {
 public:
  explicit Steps(TestSession& session)
      : thread_("steps", [this, &session] {
          const Tensor x =
              Tensor::Zeros(DataType::kFloat, TensorShape({kElements}));
          while (!stop_.HasBeenNotified()) {
            last = session.Run({.feeds = {{"x:0", x}}, .fetches = {"c:0"}})
                       .status();
            if (!last.ok()) return;
            SleepUntil(Deadline::AfterMillis(2));
          }
        }) {}
  ~Steps() {
    stop_.Notify();
    thread_.Join();
  }

  Status last;  // once it is gone

 private:
  Notification stop_;
  Thread thread_;
};

// A cluster of clocks that differ, with a session on OverAllTasks.
void OnSkewedCluster(
    std::function<void(LoopbackCluster& cluster, TestSession& session)> body) {
  if (!kTraces) GTEST_SKIP() << "built without traces";
  Simulate([&] {
    LoopbackCluster cluster(kJobs, [](ServerOptions* options) {
      options->clock_skew_nanos = SkewOf(options->task);
    });
    cluster.StartAll();
    TestSession session(cluster, kWorker0);
    ASSERT_TRUE(session.Create(OverAllTasks()).ok());
    body(cluster, session);
  });
}

// As `millrace trace` does.
struct Asked {
  Asked(LoopbackCluster& cluster, const TaskName& task)
      : caller(cluster.network()->Connect(cluster.Address(task))),
        admin(MakeAdminStub(caller.get())) {}
  StatusOr<ClusterTrace> Take(int steps = kSteps, int64_t timeout_ms = 60'000,
                              int64_t max_events = 0) {
    return TakeTrace(
        *admin,
        {.steps = steps, .timeout_ms = timeout_ms, .max_events = max_events},
        [](const TraceProgress&) {});
  }
  std::shared_ptr<Caller> caller;
  std::unique_ptr<AdminApi> admin;
};

bool IsChosen(const ClusterTrace& trace, int64_t step_id) {
  for (const ClusterTrace::Step& step : trace.steps) {
    if (step.step_id == step_id) return true;
  }
  return false;
}

// How often each node ran on a task, in the chosen steps.
std::map<std::string, int> NodesOf(const ClusterTrace& trace, size_t task) {
  const CollectTraceReply& events = trace.tasks[task].events;
  std::map<std::string, int> nodes;
  for (const TracedNode& node : events.nodes) {
    if (IsChosen(trace, node.step_id)) {
      ++nodes[events.strings.at(static_cast<size_t>(node.name))];
    }
  }
  return nodes;
}

struct Transfer {
  const TracedTransfer* send = nullptr;
  const TracedTransfer* receive = nullptr;
  int64_t sent = 0;  // by the clock of the asked server
  int64_t received = 0;
};
std::map<std::pair<int64_t, int64_t>, Transfer> TransfersOf(
    const ClusterTrace& trace) {
  std::map<std::pair<int64_t, int64_t>, Transfer> found;
  for (const ClusterTrace::Task& task : trace.tasks) {
    for (const TracedTransfer& t : task.events.transfers) {
      if (!IsChosen(trace, t.step_id)) continue;
      Transfer& transfer = found[{t.step_id, t.request_id}];
      if (t.is_send) {
        transfer.send = &t;
        transfer.sent = task.clock.ToLocalNanos(t.start_nanos);
      } else {
        transfer.receive = &t;
        transfer.received =
            task.clock.ToLocalNanos(t.start_nanos + t.duration_nanos);
      }
    }
  }
  return found;
}

TEST(Traces, HaveTheNodesAndTransfersOfAllTasksByOneClock) {
  OnSkewedCluster([](LoopbackCluster& cluster, TestSession& session) {
    const Steps steps(session);
    const auto trace = Asked(cluster, kPs0).Take();
    ASSERT_TRUE(trace.ok()) << trace.status();
    ASSERT_EQ(trace->steps_done(), kSteps);
    EXPECT_EQ(trace->dropped_events(), 0);
    EXPECT_GT(trace->clock_error_nanos(), 0);
    EXPECT_LT(trace->clock_error_nanos(), kMilli);
    ASSERT_EQ(trace->tasks.size(), 4u);
    for (size_t i = 0; i < 4; ++i) {
      const ClusterTrace::Task& task = trace->tasks[i];
      const TaskName name = TaskName::Parse(task.task).value();
      EXPECT_EQ(task.missing, "") << task.task;
      EXPECT_EQ(task.address, cluster.Address(name));
      EXPECT_LE(std::abs(task.clock.offset_nanos() - SkewOf(name)),
                task.clock.error_nanos())
          << task.task;
      const std::string node = name == kPs0       ? "a"
                               : name == kPs1     ? "c"
                               : name == kWorker1 ? "b"
                                                  : "";
      if (!node.empty()) {
        EXPECT_EQ(NodesOf(*trace, i)[node], kSteps) << node;
      }
    }
    const auto transfers = TransfersOf(*trace);
    EXPECT_EQ(transfers.size(), size_t{kSteps * kTransfersPerStep});
    for (const auto& [id, transfer] : transfers) {
      ASSERT_NE(transfer.send, nullptr);
      ASSERT_NE(transfer.receive, nullptr);
      EXPECT_EQ(transfer.send->bytes, kBytes);
      EXPECT_EQ(transfer.receive->bytes, kBytes);
      // Within the errors of both clocks.
      EXPECT_LT(transfer.sent, transfer.received + 2 * kMilli);
    }
    // Steps of the master, within which all of their nodes lie.
    for (const ClusterTrace::Step& step : trace->steps) {
      EXPECT_EQ(trace->tasks[step.master].task, kWorker0.ToString());
      EXPECT_EQ(step.session, session.handle());
      EXPECT_EQ(step.error, "");
      for (const ClusterTrace::Task& task : trace->tasks) {
        for (const TracedNode& node : task.events.nodes) {
          if (node.step_id != step.step_id) continue;
          const int64_t start = task.clock.ToLocalNanos(node.start_nanos);
          EXPECT_GT(start, step.start_nanos - 2 * kMilli);
          EXPECT_LT(start + node.duration_nanos, step.end_nanos + 2 * kMilli);
        }
      }
    }
  });
}

TEST(Traces, TheFileHasAProcessATaskAndAnArrowATransfer) {
  OnSkewedCluster([](LoopbackCluster& cluster, TestSession& session) {
    const Steps steps(session);
    const auto trace = Asked(cluster, kWorker1).Take();
    ASSERT_TRUE(trace.ok()) << trace.status();
    const auto totals = WriteTraceFile(*trace, DefaultFiles(), "/trace.json");
    ASSERT_TRUE(totals.ok()) << totals.status();
    EXPECT_EQ(totals->tasks, 4);
    EXPECT_EQ(totals->transfers, kSteps * kTransfersPerStep);
    EXPECT_EQ(totals->arrows, kSteps * kTransfersPerStep);
    EXPECT_EQ(totals->bytes, kSteps * kTransfersPerStep * kBytes);
    const auto text = ReadFileToString(DefaultFiles(), "/trace.json");
    ASSERT_TRUE(text.ok()) << text.status();
    const auto json = Json::Parse(*text);
    ASSERT_TRUE(json.ok()) << json.status();
    std::set<std::string> processes;
    int begins = 0, ends = 0;
    for (const Json& event : *json->Find("traceEvents")->array()) {
      const std::string& phase = *event.Find("ph")->string();
      if (*event.Find("name")->string() == "process_name") {
        const std::string name = *event.Find("args")->Find("name")->string();
        processes.insert(name.substr(0, name.find(' ')));
      }
      begins += phase == "s" ? 1 : 0;
      ends += phase == "f" ? 1 : 0;
      if (phase == "X") {
        EXPECT_GE(*event.Find("dur")->number(), 0);
      }
      if (phase == "s" || phase == "f") {
        EXPECT_EQ(*event.Find("args")->Find("bytes")->number(), kBytes);
      }
    }
    EXPECT_EQ(processes.size(), 4u);
    EXPECT_TRUE(processes.contains(kPs1.ToString()));
    EXPECT_EQ(begins, totals->arrows);
    EXPECT_EQ(ends, totals->arrows);
    // Nothing is left beside it.
    EXPECT_FALSE(DefaultFiles()->Exists("/trace.json.part").ok());
  });
}

TEST(Traces, SeveralAtOnceAndAllMastersAreFollowed) {
  OnSkewedCluster([](LoopbackCluster& cluster, TestSession& session) {
    TestSession other(cluster, kWorker1);
    ASSERT_TRUE(other.Create(OverAllTasks()).ok());
    const Steps steps(session);
    const Steps other_steps(other);
    StatusOr<ClusterTrace> second = Unavailable("not yet");
    Thread taker("taker", [&] { second = Asked(cluster, kPs1).Take(20); });
    const StatusOr<ClusterTrace> first = Asked(cluster, kWorker0).Take(20);
    taker.Join();
    for (const StatusOr<ClusterTrace>* trace :
         {&first, &std::as_const(second)}) {
      ASSERT_TRUE(trace->ok()) << trace->status();
      EXPECT_EQ((*trace)->steps_done(), 20);
      std::set<std::string> masters;
      for (const ClusterTrace::Step& step : (*trace)->steps) {
        masters.insert((*trace)->tasks[step.master].task);
      }
      EXPECT_EQ(masters.size(), 2u);
      EXPECT_EQ(TransfersOf(**trace).size(), size_t{20 * kTransfersPerStep});
    }
  });
}

TEST(Traces, AKilledTaskIsNamedAndTheOthersAreThere) {
  OnSkewedCluster([](LoopbackCluster& cluster, TestSession&) {
    cluster.Kill(kPs1);
    TestSession without(cluster, kWorker0);
    ASSERT_TRUE(without
                    .Create(GraphText()
                                .Placeholder("x", "/job:worker/task:0")
                                .Add("c", "x", "x", "/job:ps/task:0")
                                .Take())
                    .ok());
    const Steps steps(without);
    const auto trace = Asked(cluster, kWorker0).Take();
    ASSERT_TRUE(trace.ok()) << trace.status();
    EXPECT_EQ(trace->steps_done(), kSteps);
    for (const ClusterTrace::Task& task : trace->tasks) {
      EXPECT_EQ(task.missing.empty(), task.task != kPs1.ToString())
          << task.task << ": " << task.missing;
    }
    EXPECT_EQ(NodesOf(*trace, 0)["c"], kSteps);
    ASSERT_TRUE(WriteTraceFile(*trace, DefaultFiles(), "/others.json").ok());
  });
}

TEST(Traces, WithoutStepsTheyEndInTime) {
  OnSkewedCluster([](LoopbackCluster& cluster, TestSession&) {
    const int64_t start = Millis();
    const auto trace = Asked(cluster, kPs0).Take(kSteps, 2'000);
    ASSERT_TRUE(trace.ok()) << trace.status();
    EXPECT_TRUE(trace->steps.empty());
    EXPECT_GE(Millis() - start, 2'000);
    EXPECT_LT(Millis() - start, 2'500);
  });
}

TEST(Traces, AStepThatHangsIsThereWithWhatItWaitsFor) {
  OnSkewedCluster([](LoopbackCluster& cluster, TestSession&) {
    TestSession session(cluster, kWorker0);
    ASSERT_TRUE(
        session.Create(GraphText().EndlessLoop("loop", "/job:ps/task:1").Take())
            .ok());
    CancelScope cancel;
    Notification armed;
    Thread client("client", [&] {
      armed.Wait();
      session
          .Run({.feeds = {},
                .fetches = {},
                .targets = {"loop/exit"},
                .options = {},
                .cancel = &cancel})
          .status()
          .IgnoreError();
    });
    const Asked asked(cluster, kPs0);
    const auto trace = TakeTrace(
        *asked.admin, {.steps = 2, .timeout_ms = 300, .max_events = 1'000},
        [&](const TraceProgress&) {
          if (!armed.HasBeenNotified()) armed.Notify();
        });
    cancel.Cancel(Cancelled("enough"));
    client.Join();
    ASSERT_TRUE(trace.ok()) << trace.status();
    ASSERT_EQ(trace->steps.size(), 1u);
    EXPECT_EQ(trace->steps_done(), 0);
    const ClusterTrace::Step& step = trace->steps[0];
    EXPECT_TRUE(step.running);
    EXPECT_GT(step.end_nanos, step.start_nanos);
    EXPECT_NE(step.waits_for.find(kPs1.ToString()), std::string::npos)
        << step.waits_for;
    // An endless loop fills no memory.
    const ClusterTrace::Task& ps1 = trace->tasks[1];
    EXPECT_EQ(ps1.task, kPs1.ToString());
    EXPECT_LE(ps1.events.nodes.size(), 1'000u);
    EXPECT_GT(ps1.events.dropped_events, 0);
  });
}

TEST(Traces, OfTakersThatDieNothingIsLeft) {
  OnSkewedCluster([](LoopbackCluster& cluster, TestSession&) {
    const Asked asked(cluster, kPs0);
    StartTraceRequest request;
    request.steps = 1;
    StartTraceReply reply;
    for (size_t i = 1; i <= Tracer::kMaxTraces; ++i) {
      request.trace_id = i;
      request.task = kPs1.ToString();
      ASSERT_TRUE(
          CallAndWait(*asked.admin, &AdminApi::StartTrace, request, &reply)
              .ok());
    }
    EXPECT_EQ(reply.task, kPs1.ToString());
    request.trace_id = 100;
    EXPECT_EQ(CallAndWait(*asked.admin, &AdminApi::StartTrace, request, &reply)
                  .code(),
              StatusCode::kResourceExhausted);
    SleepUntil(Deadline::AfterMillis(Tracer::kLeaseMs + 1'000));
    EXPECT_TRUE(
        CallAndWait(*asked.admin, &AdminApi::StartTrace, request, &reply).ok());
    CollectTraceRequest collect;
    collect.task = kPs1.ToString();
    collect.trace_id = 1;
    CollectTraceReply events;
    EXPECT_EQ(
        CallAndWait(*asked.admin, &AdminApi::CollectTrace, collect, &events)
            .code(),
        StatusCode::kNotFound);
    collect.task = "/job:ps/replica:0/task:9";
    EXPECT_EQ(
        CallAndWait(*asked.admin, &AdminApi::CollectTrace, collect, &events)
            .code(),
        StatusCode::kNotFound);
  });
}

}  // namespace
}  // namespace millrace
