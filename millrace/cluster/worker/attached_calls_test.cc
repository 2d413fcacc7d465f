#include "millrace/cluster/worker/attached_calls.h"

#include <gtest/gtest.h>

#include "millrace/base/threads/lanes.h"
#include "millrace/cluster/worker/step_table.h"

namespace millrace {
namespace {

struct WaitingCalls {
  CancelScope scope;
  CallContext context;
  int reply = 0;
  Status status = Internal("not answered");
  Done done;
  WaitingCalls() {
    context.cancel = &scope;
    done = Done([this](Status s) { status = std::move(s); });
  }
};

TEST(AttachedCalls, AllAreAnswered) {
  int abandoned = 0;
  AttachedCalls<int> calls([&](Status) { ++abandoned; });
  WaitingCalls a, b, late;
  ASSERT_TRUE(calls.Add(a.context, &a.reply, a.done));
  ASSERT_TRUE(calls.Add(b.context, &b.reply, b.done));
  calls.Complete(7, OkStatus());
  EXPECT_EQ(a.reply, 7);
  EXPECT_EQ(b.reply, 7);
  EXPECT_TRUE(a.status.ok() && b.status.ok());
  EXPECT_FALSE(calls.Add(late.context, &late.reply, late.done));
  EXPECT_TRUE(late.done);
  std::move(late.done)(OkStatus());
  a.scope.Cancel(Cancelled("too late"));
  b.scope.Cancel(Cancelled("too late"));
  EXPECT_EQ(abandoned, 0);
}

TEST(AttachedCalls, AbandonedWhenTheLastIsCancelled) {
  std::vector<Status> abandoned;
  AttachedCalls<int> calls(
      [&](Status s) { abandoned.push_back(std::move(s)); });
  WaitingCalls a, b, c;
  calls.Add(a.context, &a.reply, a.done);
  calls.Add(b.context, &b.reply, b.done);
  a.scope.Cancel(Cancelled("a"));
  EXPECT_TRUE(abandoned.empty());
  b.scope.Cancel(Cancelled("b"));
  ASSERT_EQ(abandoned.size(), 1u);
  EXPECT_EQ(abandoned[0].message(), "b");
  calls.Complete(0, abandoned[0]);
  EXPECT_EQ(a.status.message(), "b");
  // A call that was cancelled before it arrived.
  AttachedCalls<int> other(
      [&](Status s) { abandoned.push_back(std::move(s)); });
  c.scope.Cancel(Cancelled("c"));
  other.Add(c.context, &c.reply, c.done);
  EXPECT_EQ(abandoned.back().message(), "c");
  other.Complete(0, OkStatus());
}

TEST(AttachedCalls, MayBeCompletedByACancellation) {
  AttachedCalls<int>* self = nullptr;
  AttachedCalls<int> calls([&](Status s) { self->Complete(1, s); });
  self = &calls;
  WaitingCalls a;
  calls.Add(a.context, &a.reply, a.done);
  a.scope.Cancel(Cancelled("gone"));
  EXPECT_EQ(a.status.message(), "gone");
}

struct FakeRun : StepRun {
  void Cancel(const Status& s) override { reason = s; }
  Status reason;
};

TEST(StepTable, RemembersTheLastSteps) {
  Lanes& lanes = Lanes::Process();
  const auto table =
      MakeRef<StepTable>(lanes, "/job:ps/replica:0/task:0", 30'000);
  for (int64_t id = 1; id <= 5000; ++id) table->CleanUp(id);
  EXPECT_EQ(table->BeginRun(5000, "s", MakeRef<FakeRun>()).status().code(),
            StatusCode::kAborted);
  EXPECT_EQ(table->BeginRun(905, "s", MakeRef<FakeRun>()).status().code(),
            StatusCode::kAborted);
  const auto step = table->BeginRun(904, "s", MakeRef<FakeRun>());
  ASSERT_TRUE(step.ok());
  table->EndRun(**step, OkStatus());
  table->EndSession("other", Cancelled("x"));
  EXPECT_EQ(table->counts().steps, 1);
  table->EndSession("s", Cancelled("x"));
  EXPECT_EQ(table->counts().steps, 0);
}

TEST(StepTable, ARunIsCancelledByItsCleanUp) {
  Lanes& lanes = Lanes::Process();
  const auto table =
      MakeRef<StepTable>(lanes, "/job:ps/replica:0/task:0", 30'000);
  const auto run = MakeRef<FakeRun>();
  const auto step = table->BeginRun(1, "s", run);
  ASSERT_TRUE(step.ok());
  EXPECT_EQ(table->counts().running, 1);
  table->CleanUp(1);
  EXPECT_EQ(run->reason.code(), StatusCode::kAborted);
  table->EndRun(**step, InvalidArgument("the real reason"));
  // Later calls get the same error.
  EXPECT_EQ(table->BeginReceive(1).status().message(), "the real reason");
}

}  // namespace
}  // namespace millrace
