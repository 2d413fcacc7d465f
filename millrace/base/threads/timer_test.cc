#include "millrace/base/threads/timer.h"

#include <gtest/gtest.h>

#include <vector>

#include "millrace/base/sim/sim.h"
#include "millrace/base/threads/cancel.h"

namespace millrace {
namespace {

TEST(TimerTest, RunsInOrderOfTime) {
  const SimResult r = SimWorld({}).Run([] {
    Timer timer;
    std::vector<int> order;
    Notification last;
    const int64_t now = NowNanos();
    timer.RunAt(Deadline::At(now + 300), [&] {
      EXPECT_EQ(NowNanos(), now + 300);
      order.push_back(3);
      last.Notify();
    });
    timer.RunAt(Deadline::At(now + 100), [&] { order.push_back(1); });
    timer.RunAt(Deadline::At(now + 200), [&] { order.push_back(2); });
    const Timer::Id gone =
        timer.RunAt(Deadline::At(now + 150), [&] { order.push_back(9); });
    EXPECT_EQ(timer.pending(), 4u);
    EXPECT_TRUE(timer.Cancel(gone));
    EXPECT_FALSE(timer.Cancel(gone));
    last.Wait();
    EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  });
  EXPECT_TRUE(r.status.ok()) << r.Report();
}

TEST(TimerTest, WorksInRealTimeAndDropsWhatIsNotDue) {
  Notification rang;
  bool wrong = false;
  {
    Timer timer;
    timer.RunAt(Deadline::Infinite(), [&] { wrong = true; });
    timer.RunAt(Deadline::AfterMillis(1'000'000), [&] { wrong = true; });
    timer.RunAt(Deadline::AfterMillis(1), [&] { rang.Notify(); });
    rang.Wait();
  }
  EXPECT_FALSE(wrong);
}

TEST(CancelTest, FirstReasonWinsAndChildrenFollow) {
  CancelScope root;
  CancelScope step(&root);
  CancelScope call(&step);
  std::vector<int> ran;
  const auto a = root.Register([&] { ran.push_back(1); });
  const auto b = root.Register([&] { ran.push_back(2); });
  const auto c = call.Register([&] { ran.push_back(3); });
  ASSERT_TRUE(a.ok() && b.ok() && c.ok());
  EXPECT_TRUE(root.Unregister(a.token));
  EXPECT_FALSE(root.cancelled());
  root.Cancel(Aborted("first"));
  root.Cancel(Internal("second"));
  EXPECT_EQ(ran, (std::vector<int>{2, 3}));
  for (CancelScope* scope : {&root, &step, &call}) {
    EXPECT_TRUE(scope->cancelled());
    EXPECT_EQ(scope->status(), Aborted("first"));
  }
  EXPECT_FALSE(root.Unregister(b.token));
  EXPECT_TRUE(root.Unregister(0));
  const auto late = call.Register([&] { ran.push_back(4); });
  EXPECT_EQ(late.status, Aborted("first"));
  EXPECT_EQ(late.token, 0u);
  CancelScope born_late(&root);
  EXPECT_EQ(born_late.status(), Aborted("first"));
}

TEST(CancelTest, ChildDoesNotCancelItsParent) {
  CancelScope root;
  auto child = std::make_unique<CancelScope>(&root);
  CancelScope grandchild(child.get());
  child->Cancel(OkStatus());
  EXPECT_EQ(child->status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(root.status().ok());
  child = nullptr;
  root.Cancel(Aborted("root"));
  EXPECT_EQ(grandchild.status().code(), StatusCode::kCancelled);
}

TEST(CancelTest, ChildrenKeepTheirOrderWhenOthersLeave) {
  CancelScope root;
  std::vector<std::unique_ptr<CancelScope>> children;
  std::vector<int> ran, expected;
  for (int i = 0; i < 1000; ++i) {
    children.push_back(std::make_unique<CancelScope>(&root));
    ASSERT_TRUE(
        children.back()->Register([&ran, i] { ran.push_back(i); }).ok());
    // All but each tenth leave again, some time later.
    if (i >= 50 && (i - 50) % 10 != 0)
      children[static_cast<size_t>(i - 50)] = nullptr;
  }
  for (int i = 0; i < 1000; ++i) {
    if (children[static_cast<size_t>(i)] != nullptr) expected.push_back(i);
  }
  root.Cancel(Aborted("x"));
  EXPECT_EQ(ran, expected);
}

TEST(CancelTest, CallbackMayUnregisterAndDestroy) {
  auto scope = std::make_unique<CancelScope>();
  CancelScope::Token token = 0;
  bool second = false;
  auto first = scope->Register([&] {
    EXPECT_FALSE(scope->Unregister(token));
    scope = nullptr;
  });
  ASSERT_TRUE(scope->Register([&] { second = true; }).ok());
  token = first.token;
  scope->Cancel(Aborted("x"));
  EXPECT_EQ(scope, nullptr);
  EXPECT_FALSE(second) << "the scope was gone";
}

// After Unregister, the caller may destroy what the callback uses.
TEST(CancelTest, UnregisterWaitsForARunningCallback) {
  int ran = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const SimResult r = SimWorld({.seed = seed}).Run([&] {
      CancelScope scope;
      bool inside = false;
      bool done = false;
      const auto registration = scope.Register([&] {
        inside = true;
        Yield();
        inside = false;
        done = true;
      });
      Thread canceller("canceller", [&] { scope.Cancel(Aborted("x")); });
      Yield();
      const bool never = scope.Unregister(registration.token);
      EXPECT_FALSE(inside);
      EXPECT_EQ(done, !never);
      ran += done;
      canceller.Join();
    });
    ASSERT_TRUE(r.status.ok()) << r.Report();
  }
  EXPECT_GT(ran, 0);
  EXPECT_LT(ran, 300);
}

TEST(CancelTest, Deadline) {
  const SimResult r = SimWorld({}).Run([] {
    Timer timer;
    CancelScope root;
    CancelScope step(&root);
    Notification cancelled;
    ASSERT_TRUE(step.Register([&] { cancelled.Notify(); }).ok());
    const int64_t start = NowNanos();
    root.CancelAt(Deadline::AfterMillis(50), timer, DeadlineExceeded("late"));
    {
      CancelScope quick(&root);
      quick.CancelAt(Deadline::AfterMillis(10), timer, Internal("wrong"));
    }
    EXPECT_EQ(timer.pending(), 1u);
    cancelled.Wait();
    EXPECT_EQ(NowNanos(), start + 50'000'000);
    EXPECT_EQ(step.status(), DeadlineExceeded("late"));
  });
  EXPECT_TRUE(r.status.ok()) << r.Report();
}

}  // namespace
}  // namespace millrace
