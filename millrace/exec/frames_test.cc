// Tests the while loops of a step: iterations, nesting, dead loops, limits.
#include "millrace/exec/frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/base/sim/sim.h"
#include "millrace/exec/propagation.h"
#include "millrace/exec/testing/graphs.h"

namespace millrace {
namespace {

class FramesTest : public testing::Test {
 protected:
  FramesTest() { TestKernels::Reset(); }
  std::shared_ptr<const Plan> Build() {
    auto plan = BuildTestPlan(g_.graph(), device_);
    MR_CHECK(plan.ok(), plan.status().ToString());
    return *plan;
  }

  TestDevice device_;
  TestGraph g_;
};

TEST_F(FramesTest, CountsForEveryLimitOfParallelIterations) {
  for (int parallel : {1, 2, 3, 32}) {
    TestKernels::Reset();
    TestGraph g;
    g.Retval(0, g.Counter("loop", g.Arg(0), 50, parallel));
    TestRun run({7});
    ASSERT_TRUE(run.Run(*BuildTestPlan(g.graph(), device_)).ok());
    EXPECT_EQ(run.value(0), 50);
    EXPECT_EQ(TestKernels::ticks(), 43);
  }
}

TEST_F(FramesTest, ALoopWithoutAnIterationPassesItsStartOn) {
  g_.Retval(0, g_.Counter("loop", g_.Arg(0), 5));
  TestRun run({9});
  ASSERT_TRUE(run.Run(Build()).ok());
  EXPECT_EQ(run.value(0), 9);
  EXPECT_EQ(TestKernels::ticks(), 0);
}

TEST_F(FramesTest, NestedLoopsBeginAnewInEachIteration) {
  // Three rounds; in each the inner loop counts from 0 to 4.
  const auto outer = g_.OpenLoop("outer", g_.Arg(0), 3);
  const OutputRef zero =
      g_.Enter("zero_in", "outer", g_.Const("zero", 0), {.is_constant = true});
  const OutputRef inner = g_.Counter("inner", zero, 4);
  const OutputRef next = g_.Add("plus", "Inc", {outer.body}, {}, {inner});
  g_.CloseLoop("outer", outer, next);
  g_.Retval(0, outer.exit);
  TestRun run({0});
  ASSERT_TRUE(run.Run(Build()).ok());
  EXPECT_EQ(run.value(0), 3);
  // The inner loop also begins in the iteration that ends the outer one, since
  // it does not depend on the outer condition.
  EXPECT_EQ(TestKernels::ticks(), 4 * 4);
}

TEST_F(FramesTest, ADeepNest) {
  OutputRef value = g_.Arg(0);
  std::vector<TestGraph::Loop> loops;
  for (int depth = 0; depth < 12; ++depth) {
    loops.push_back(g_.OpenLoop(absl::StrCat("loop", depth), value, 2 + depth));
    value = loops.back().body;
  }
  value = g_.Add("tick", "Tick", {value});
  for (int depth = 11; depth >= 0; --depth) {
    g_.CloseLoop(absl::StrCat("loop", depth), loops[depth], value);
    value = loops[depth].exit;
  }
  g_.Retval(0, value);
  TestRun run({0});
  ASSERT_TRUE(run.Run(Build()).ok());
  EXPECT_EQ(run.value(0), 13);
}

TEST_F(FramesTest, InvariantsReachEveryIteration) {
  const auto loop = g_.OpenLoop("loop", g_.Arg(0), 100);
  const OutputRef step =
      g_.Enter("step_in", "loop", g_.Arg(1), {.is_constant = true});
  g_.CloseLoop("loop", loop, g_.Add("sum", "Add", {loop.body, step}));
  g_.Retval(0, loop.exit);
  TestRun run({0, 7});
  ASSERT_TRUE(run.Run(Build()).ok());
  EXPECT_EQ(run.value(0), 105);
}

TEST_F(FramesTest, ADeadLoopGivesADeadValue) {
  const OutputRef dead =
      g_.Switch("switch", g_.Arg(0), g_.Flag("flag", true)).first;
  const OutputRef out = g_.Counter("loop", dead, 5);
  g_.Retval(0, out);
  g_.Retval(1, g_.Merge("merge", {out, g_.Const("instead", 77)}));
  TestRun run({0});
  ASSERT_TRUE(run.Run(Build()).ok());
  EXPECT_EQ(run.value(0), -1);
  EXPECT_EQ(run.value(1), 77);
  EXPECT_EQ(TestKernels::ticks(), 0);
}

TEST_F(FramesTest, ADeadLoopInsideOfALoop) {
  // The inner loop runs only in rounds below 2.
  const auto outer = g_.OpenLoop("outer", g_.Arg(0), 4);
  const OutputRef small =
      g_.Add("small", "Less", {outer.body}, {{"limit", int64_t{2}}});
  const auto [skip, go] = g_.Switch("pick", outer.body, small);
  const OutputRef inner = g_.Counter("inner", go, 2);
  const OutputRef joined =
      g_.Merge("join", {g_.Add("skipped", "Inc", {skip}), inner});
  g_.CloseLoop("outer", outer, joined);
  g_.Retval(0, outer.exit);
  TestRun run({0});
  ASSERT_TRUE(run.Run(Build()).ok());
  // 0 -> 2 (inner), 2 -> 3, 3 -> 4.
  EXPECT_EQ(run.value(0), 4);
  EXPECT_EQ(TestKernels::ticks(), 2);
}

TEST_F(FramesTest, WaitsInsideOfLoopsOverlap) {
  const auto loop = g_.OpenLoop("loop", g_.Arg(0), 6, 4);
  const OutputRef next = g_.Add("inc", "Inc", {loop.body});
  g_.Add("wait", "Wait", {loop.body});
  g_.CloseLoop("loop", loop, next);
  g_.Retval(0, loop.exit);
  TestRun run({0});
  InlineQueue queue;
  RunPlan(Build(), run.plan_run(&queue), run.WhenDone());
  queue.RunAll();
  // At most the allowed number of iterations is alive, and each of them waits.
  TestKernels::AwaitWaiting(4);
  EXPECT_FALSE(run.ended());
  TestKernels::Release();
  queue.RunAll();
  ASSERT_TRUE(run.Wait().ok());
  EXPECT_EQ(run.value(0), 6);
}

TEST_F(FramesTest, KeysOfTransfersTellIterationsApart) {
  const auto loop = g_.OpenLoop("loop", g_.Arg(0), 5);
  const OutputRef put = g_.Add("put", "Put", {loop.body}, {{"key", "k"}});
  const OutputRef take = g_.Add("take", "Take", {}, {{"key", "k"}}, {put});
  g_.CloseLoop("loop", loop, g_.Add("inc", "Inc", {take}));
  g_.Retval(0, loop.exit);
  TestRun run({0});
  ASSERT_TRUE(run.Run(Build()).ok());
  EXPECT_EQ(run.value(0), 5);
  EXPECT_EQ(run.rendezvous().counts().values, 0);
}

TEST_F(FramesTest, AnErrorInsideOfALoopEndsTheStep) {
  const auto loop = g_.OpenLoop("loop", g_.Arg(0), 5);
  const OutputRef small =
      g_.Add("small", "Less", {loop.body}, {{"limit", int64_t{3}}});
  const auto [large, below] = g_.Switch("pick", loop.body, small);
  g_.CloseLoop("loop", loop,
               g_.Merge("join", {g_.Add("bad", "Fail", {large}),
                                 g_.Add("inc", "Inc", {below})}));
  g_.Retval(0, loop.exit);
  TestRun run({0});
  EXPECT_EQ(run.Run(Build()).code(), StatusCode::kInvalidArgument);
}

TEST_F(FramesTest, TheSamePlanRunsLoopsAgainAndAgain) {
  g_.Retval(0, g_.Counter("loop", g_.Arg(0), 20, 3));
  const auto plan = Build();
  ThreadPool pool("test", 4);
  std::vector<Thread> clients;
  for (int c = 0; c < 3; ++c) {
    clients.emplace_back("client", [&, c] {
      for (int i = 0; i < 20; ++i) {
        TestRun run({c});
        ASSERT_TRUE(run.Run(plan, &pool).ok());
        ASSERT_EQ(run.value(0), 20);
      }
    });
  }
  for (Thread& t : clients) t.Join();
}

// Graphs from outside may let a value come after a dead Enter, and a Merge that
// fired again would end its frame too early.
TEST_F(FramesTest, AMergeFiresOnce) {
  const OutputRef c = g_.Const("c", 1);
  const OutputRef dead = g_.Enter("dead", "loop", c);
  const OutputRef live = g_.Enter("live", "loop", c);
  g_.Exit("exit", g_.Merge("merge", {dead, live}));
  const auto plan = Build();
  const auto named = [&](absl::string_view name) {
    for (const PlanNode& n : plan->nodes()) {
      if (n.info->name == name) return &n;
    }
    return static_cast<const PlanNode*>(nullptr);
  };
  for (const bool dead_first : {true, false}) {
    Propagation propagation(*plan);
    int fired = 0;
    for (const bool is_dead : {dead_first, !dead_first}) {
      EdgeValue value;
      value.tensor = Tensor::Scalar<int64_t>(1);
      ReadyList ready;
      propagation.Propagate(ReadyNode(named(is_dead ? "dead" : "live"),
                                      propagation.root(), is_dead),
                            absl::MakeSpan(&value, 1), is_dead, &ready);
      fired += static_cast<int>(ready.size());
    }
    EXPECT_EQ(fired, 1);
  }
}

// The seed decides which thread continues at each lock.
TEST(FramesSimulationTest, EveryInterleavingGivesTheSameResult) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const SimResult result =
        SimWorld({.seed = seed, .lock_switch_probability = 0.5}).Run([] {
          TestDevice device;
          TestGraph g;
          const auto outer = g.OpenLoop("outer", g.Arg(0), 6, 2);
          const OutputRef inner = g.Counter("inner", outer.body, 4, 2, "Inc");
          const OutputRef sum = g.Add("sum", "Inc", {inner});
          g.CloseLoop("outer", outer, sum);
          g.Retval(0, outer.exit);
          const auto plan = *BuildTestPlan(g.graph(), device);
          ThreadPool pool("pool", 3);
          TestRun first({0}), second({5});
          RunPlan(plan, first.plan_run(&pool), first.WhenDone());
          RunPlan(plan, second.plan_run(&pool), second.WhenDone());
          MR_CHECK(first.Wait().ok() && second.Wait().ok());
          MR_CHECK(first.value(0) == 6 && second.value(0) == 6);
        });
    ASSERT_TRUE(result.status.ok()) << result.Report();
  }
}

}  // namespace
}  // namespace millrace
