// Tests which threads run a step, and many steps at once.
#include <gtest/gtest.h>

#include "millrace/base/random.h"
#include "millrace/exec/step.h"
#include "millrace/exec/testing/step_suite.h"

namespace millrace {
namespace {

class StepThreadsTest : public testing::Test, protected StepFixture {};

// A loop of long kernels releases its thread as soon as another step waits for
// it.
TEST_F(StepThreadsTest, AnEndlessLoopLetsOtherStepsRun) {
  TestGraph endless;
  const auto body = endless.OpenLoop("loop", endless.Arg(0), int64_t{1} << 60);
  OutputRef last = body.body;
  for (int i = 0; i < 100; ++i) {
    last = endless.Add(absl::StrCat("busy", i), "Busy", {last});
  }
  endless.CloseLoop("loop", body, last);
  endless.Retval(0, body.exit);
  const auto loop_plan = BuildTestPlan(endless.graph(), device_);
  g_.Retval(0, g_.Add("b", "Busy", {g_.Add("a", "Busy", {g_.Arg(0)})}));
  TestRun loop({0});
  InlineQueue thread;
  thread.Schedule(
      [&] { RunPlan(*loop_plan, loop.plan_run(&thread), loop.WhenDone()); });
  const auto plan = Build();
  for (int i = 0; i < 5; ++i) {
    TestRun other({i});
    const int64_t before = TestKernels::ticks();
    thread.Schedule(
        [&] { RunPlan(plan, other.plan_run(&thread), other.WhenDone()); });
    while (!other.ended() && thread.RunOne()) {
    }
    ASSERT_TRUE(other.Wait().ok());
    // Two of its own, and at most as many of the loop for each of its turns.
    EXPECT_LE(TestKernels::ticks() - before, 8);
  }
  EXPECT_FALSE(loop.ended());
  loop.cancel().Cancel(Cancelled("enough"));
  thread.RunAll();
  EXPECT_EQ(loop.Wait().code(), StatusCode::kCancelled);
}

// A loop of cheap nodes, for which no other thread is needed.
TEST_F(StepThreadsTest, AnEndlessLoopLeavesTheThreadThatStartedIt) {
  const auto loop = g_.OpenLoop("loop", g_.Arg(0), int64_t{1} << 60);
  g_.CloseLoop("loop", loop, g_.Add("tick", "Tick", {loop.body}));
  for (const bool may_use_caller : {false, true}) {
    TestRun run({0});
    ThreadPool pool("test", 1);
    PlanRun plan_run = run.plan_run(&pool);
    plan_run.may_use_caller = may_use_caller;
    RunPlan(Build(), plan_run, run.WhenDone());
    const int64_t ticks = TestKernels::ticks();
    while (TestKernels::ticks() < ticks + 100) Yield();  // it continues
    run.cancel().Cancel(Cancelled("enough"));
    EXPECT_EQ(run.Wait().code(), StatusCode::kCancelled);
  }
}

// The loop does not occupy a thread that only delivered a value to it, either.
TEST_F(StepThreadsTest, AnEndlessLoopLeavesTheThreadThatReleasedIt) {
  const OutputRef wait = g_.Add("wait", "Wait", {g_.Arg(0)});
  const auto loop = g_.OpenLoop("loop", wait, int64_t{1} << 60);
  g_.CloseLoop("loop", loop, g_.Add("tick", "Tick", {loop.body}));
  TestRun run({0});
  ThreadPool pool("test", 1);
  RunPlan(Build(), run.plan_run(&pool), run.WhenDone());
  TestKernels::Release();
  const int64_t ticks = TestKernels::ticks();
  while (TestKernels::ticks() < ticks + 100) Yield();
  run.cancel().Cancel(Cancelled("enough"));
  EXPECT_EQ(run.Wait().code(), StatusCode::kCancelled);
}

TEST_F(StepThreadsTest, AnExpensiveNodeStaysOnItsThreadBehindAFewCheapOnes) {
  const auto left_to_others = [&](int cheap, int expensive) {
    TestGraph g;
    const OutputRef arg = g.Arg(0);
    for (int i = 0; i < expensive; ++i) {
      g.Add(absl::StrCat("busy", i), "Busy", {arg});
    }
    for (int i = 0; i < cheap; ++i) {
      g.Add(absl::StrCat("less", i), "Less", {arg}, {{"limit", int64_t{i}}});
    }
    InlineQueue others;
    TestRun run({0});
    RunPlan(*BuildTestPlan(g.graph(), device_), run.plan_run(&others),
            run.WhenDone());
    const size_t left = others.size();
    others.RunAll();
    EXPECT_TRUE(run.Wait().ok());
    return left;
  };
  EXPECT_EQ(left_to_others(0, 1), 0u);
  EXPECT_EQ(left_to_others(4, 1), 0u);
  EXPECT_EQ(left_to_others(4, 3), 2u);
  EXPECT_EQ(left_to_others(40, 1), 0u);
  EXPECT_EQ(left_to_others(100, 1), 1u) << "another may begin with it";
}

TEST_F(StepThreadsTest, OneThreadGoesOnWithChainsOfAnyLength) {
  OutputRef end = g_.Arg(0);
  for (int i = 0; i < 20'000; ++i) {
    end = g_.Add(absl::StrCat("n", i), i % 3 == 0 ? "Wait" : "Inc", {end});
  }
  g_.Retval(0, end);
  TestKernels::Release();  // Wait ends before RunAsync returns
  TestRun run({0});
  ASSERT_TRUE(run.Run(Build()).ok());
  EXPECT_EQ(run.value(0), 20'000 - 6667);
}

// An Exit has a value in each iteration if its input is not from a Switch.
TEST_F(StepThreadsTest, AnExitThatIsAlwaysLiveGivesItsFirstValue) {
  const auto loop = g_.OpenLoop("loop", g_.Arg(0), 50);
  g_.CloseLoop("loop", loop, g_.Add("tick", "Tick", {loop.body}));
  g_.Retval(0, loop.exit);
  g_.Retval(1, g_.Add("inc", "Inc", {g_.Exit("early", loop.merge)}));
  TestRun run({3});
  ASSERT_TRUE(RunOnPool(run).ok());
  EXPECT_EQ(run.value(0), 50);
  EXPECT_EQ(run.value(1), 4);
}

// Each send ends a waiting receive, which makes the next send ready.
TEST_F(StepThreadsTest, ChainsOfSendsDoNotNestWithoutBound) {
  constexpr int kHops = 20'000;
  for (int i = 0; i < kHops; ++i) {
    const OutputRef got = g_.Add(absl::StrCat("take", i), "Take", {},
                                 {{"key", absl::StrCat("k", i)}});
    if (i + 1 == kHops) {
      g_.Retval(0, got);
    } else {
      g_.Add(absl::StrCat("put", i), "Put", {got},
             {{"key", absl::StrCat("k", i + 1)}});
    }
  }
  TestRun run;
  ThreadPool pool("test", 1);
  RunPlan(Build(), run.plan_run(&pool), run.WhenDone());
  ASSERT_TRUE(run.rendezvous()
                  .Send("k0;0:0", {.tensor = Tensor::Scalar<int64_t>(5)})
                  .ok());
  ASSERT_TRUE(run.Wait().ok());
  EXPECT_EQ(run.value(0), 5);
}

TEST_F(StepThreadsTest, ManyStepsOfOnePlanAtOnce) {
  // A few layers of random sums.
  Rng random(7);
  std::vector<OutputRef> layer = {g_.Arg(0), g_.Arg(1)};
  std::vector<std::pair<int64_t, int64_t>> factors = {{1, 0}, {0, 1}};
  for (int depth = 0; depth < 6; ++depth) {
    std::vector<OutputRef> next;
    std::vector<std::pair<int64_t, int64_t>> next_factors;
    for (int i = 0; i < 8; ++i) {
      const size_t a = random.Uniform(layer.size());
      const size_t b = random.Uniform(layer.size());
      next.push_back(g_.Add(absl::StrCat("n", depth, "_", i), "Add",
                            {layer[a], layer[b]}));
      next_factors.push_back({factors[a].first + factors[b].first,
                              factors[a].second + factors[b].second});
    }
    layer = next;
    factors = next_factors;
  }
  for (int i = 0; i < 8; ++i) g_.Retval(i, layer[i]);
  const auto plan = Build();
  ThreadPool pool("test", 4);
  std::vector<Thread> clients;
  for (int c = 0; c < 4; ++c) {
    clients.emplace_back("client", [&, c] {
      for (int64_t i = 0; i < 50; ++i) {
        TestRun run({i, c});
        ASSERT_TRUE(run.Run(plan, &pool).ok());
        for (int k = 0; k < 8; ++k) {
          ASSERT_EQ(run.value(k), factors[k].first * i + factors[k].second * c);
        }
      }
    });
  }
  for (Thread& t : clients) t.Join();
}

TEST_F(StepThreadsTest, ErrorsAndCancelsOfStepsThatShareAPlan) {
  const OutputRef in = g_.Arg(0);
  const OutputRef flag = g_.Add("less", "Less", {in}, {{"limit", int64_t{10}}});
  const auto [high, low] = g_.Switch("switch", in, flag);
  g_.Retval(0, g_.Merge("merge", {g_.Add("bad", "Fail", {high}),
                                  g_.Add("inc", "Inc", {low})}));
  g_.Add("wait", "Wait", {low});
  const auto plan = Build();
  TestKernels::Release();
  ThreadPool pool("test", 4);
  std::vector<Thread> clients;
  for (int c = 0; c < 4; ++c) {
    clients.emplace_back("client", [&, c] {
      for (int64_t i = 0; i < 60; ++i) {
        TestRun run({i % 20});
        RunPlan(plan, run.plan_run(&pool), run.WhenDone());
        if (i % 4 == c) run.cancel().Cancel(Cancelled("a whim"));
        const Status status = run.Wait();
        if (status.ok()) {
          ASSERT_LT(i % 20, 10);
          ASSERT_EQ(run.value(0), i % 20 + 1);
        } else if (status.code() != StatusCode::kCancelled) {
          ASSERT_EQ(status.code(), StatusCode::kInvalidArgument);
          ASSERT_GE(i % 20, 10);
        }
      }
    });
  }
  for (Thread& t : clients) t.Join();
}

}  // namespace
}  // namespace millrace
