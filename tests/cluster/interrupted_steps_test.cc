// What a step says and how long it takes when something ends it early.
#include <gtest/gtest.h>

#include "tests/cluster/simulated_cluster.h"
#include "tests/support/graph_text.h"

namespace millrace {
namespace {

struct Ending {
  Status status;
  int64_t took_ms;  // from the event on
};

// What becomes of a step that cannot end when `event` happens.
Ending Interrupted(TestSession& session, const TaskName& where,
                   std::function<void()> event, RunOptions options = {},
                   CancelScope* cancel = nullptr) {
  const Status made = session.Create(GraphText()
                                         .Const("ok", 1, where.ToString())
                                         .EndlessLoop("loop", where.ToString())
                                         .Take());
  EXPECT_TRUE(made.ok()) << made;
  int64_t at = 0;
  Thread other("event", [&] {
    SleepUntil(Deadline::AfterMillis(200));
    at = Millis();
    if (event) event();
  });
  Status status = session
                      .Run({.feeds = {},
                            .fetches = {"loop/exit:0"},
                            .targets = {},
                            .options = std::move(options),
                            .cancel = cancel})
                      .status();
  const int64_t end = Millis();
  other.Join();
  return {std::move(status), end - at};
}

TEST(InterruptedSteps, AKilledTaskEndsTheStep) {
  OnCluster([](LoopbackCluster& cluster, TestSession& session) {
    const auto [status, took_ms] =
        Interrupted(session, kPs0, [&] { cluster.Kill(kPs0); });
    EXPECT_TRUE(IsRecoverable(status)) << status;
    EXPECT_TRUE(Names(status, kPs0)) << status;
    EXPECT_LT(took_ms, 1'000);
    EXPECT_TRUE(IsRecoverable(session.Fetch("ok:0").status()));
    // A restarted task is not taken for the old one.
    cluster.Start(kPs0);
    const Status restarted = session.Fetch("ok:0").status();
    EXPECT_TRUE(IsRecoverable(restarted)) << restarted;
    EXPECT_TRUE(session.Close().ok());
    TestSession again(cluster, kWorker0);
    ASSERT_TRUE(
        again.Create(GraphText().Const("ok", 1, "/job:ps/task:0").Take()).ok());
    EXPECT_EQ(*again.Fetch("ok:0"), 1);
  });
}

TEST(InterruptedSteps, AFrozenTaskEndsTheStepWithinFiveSeconds) {
  OnCluster([](LoopbackCluster& cluster, TestSession& session) {
    const SimProcess ps = cluster.process(kPs0);
    const auto [status, took_ms] =
        Interrupted(session, kPs0, [&] { SimWorld::Current()->Freeze(ps); });
    EXPECT_TRUE(IsRecoverable(status)) << status;
    EXPECT_TRUE(Names(status, kPs0)) << status;
    EXPECT_LE(took_ms, 5'000);
    SimWorld::Current()->Thaw(ps);
  });
}

// The step is still being prepared: its part is to be registered there.
TEST(InterruptedSteps, AFrozenTaskEndsAFirstStepWithinFiveSeconds) {
  OnCluster([](LoopbackCluster& cluster, TestSession& session) {
    ASSERT_TRUE(
        session.Create(GraphText().Const("ok", 1, "/job:ps/task:0").Take())
            .ok());
    const SimProcess ps = cluster.process(kPs0);
    SimWorld::Current()->Freeze(ps);
    const int64_t start = Millis();
    const Status status = session.Fetch("ok:0").status();
    EXPECT_TRUE(IsRecoverable(status)) << status;
    EXPECT_TRUE(Names(status, kPs0)) << status;
    EXPECT_LE(Millis() - start, 5'000);
    SimWorld::Current()->Thaw(ps);
    EXPECT_EQ(*session.Fetch("ok:0"), 1);
  });
}

TEST(InterruptedSteps, AKilledMasterBreaksTheCall) {
  OnCluster([](LoopbackCluster& cluster, TestSession& session) {
    const Status status =
        Interrupted(session, kPs0, [&] { cluster.Kill(kWorker0); }).status;
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
    cluster.Start(kWorker0);
    const Status unknown = session.Fetch("ok:0").status();
    EXPECT_EQ(unknown.code(), StatusCode::kAborted) << unknown;
  });
}

TEST(InterruptedSteps, AStoppedMasterAnswersAborted) {
  OnCluster([](LoopbackCluster& cluster, TestSession& session) {
    const auto [status, took_ms] =
        Interrupted(session, kPs0, [&] { cluster.Stop(kWorker0); });
    EXPECT_EQ(status.code(), StatusCode::kAborted) << status;
    EXPECT_TRUE(Names(status, kWorker0)) << status;
    EXPECT_LE(took_ms, 2'000);
  });
}

TEST(InterruptedSteps, AStoppedWorkerAbortsTheStep) {
  OnCluster([](LoopbackCluster& cluster, TestSession& session) {
    const auto [status, took_ms] =
        Interrupted(session, kPs0, [&] { cluster.Stop(kPs0); });
    EXPECT_TRUE(IsRecoverable(status)) << status;
    EXPECT_TRUE(Names(status, kPs0)) << status;
    EXPECT_LE(took_ms, 2'000);
  });
}

TEST(InterruptedSteps, ATimeoutEndsTheStepAndNotTheSession) {
  OnCluster([](LoopbackCluster&, TestSession& session) {
    RunOptions options;
    options.timeout_ms = 20;
    const Status status = Interrupted(session, kPs0, {}, options).status;
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status;
    EXPECT_EQ(*session.Fetch("ok:0"), 1);
  });
}

TEST(InterruptedSteps, TheClientsCancelEndsTheStep) {
  OnCluster([](LoopbackCluster&, TestSession& session) {
    CancelScope cancel;
    const auto enough = [&] { cancel.Cancel(Cancelled("enough")); };
    const Status status =
        Interrupted(session, kPs0, enough, {}, &cancel).status;
    EXPECT_EQ(status.code(), StatusCode::kCancelled) << status;
    EXPECT_EQ(*session.Fetch("ok:0"), 1);
  });
}

TEST(InterruptedSteps, CloseEndsTheStepAndLeavesNothing) {
  OnCluster([](LoopbackCluster& cluster, TestSession& session) {
    const auto close = [&] { EXPECT_TRUE(session.Close().ok()); };
    const Status status = Interrupted(session, kPs0, close).status;
    EXPECT_EQ(status.code(), StatusCode::kCancelled) << status;
    EXPECT_EQ(session.Fetch("ok:0").status().code(), StatusCode::kAborted);
    // The clean-up of the step may still be on its way.
    SleepUntil(Deadline::AfterMillis(1'000));
    for (const TaskName& task : {kPs0, kWorker0}) {
      const ServerStatusReply reply = StatusOf(cluster, task);
      EXPECT_EQ(reply.task, task.ToString());
      EXPECT_EQ(reply.master_sessions, 0);
      EXPECT_EQ(reply.worker_sessions, 0);
      EXPECT_EQ(reply.running_steps, 0);
      EXPECT_EQ(reply.rendezvous_entries, 0);
    }
  });
}

}  // namespace
}  // namespace millrace
