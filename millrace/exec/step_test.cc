#include "millrace/exec/step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/exec/step_stats_report.h"
#include "millrace/exec/testing/step_suite.h"

namespace millrace {
namespace {

using testing::HasSubstr;

class StepTest : public testing::Test, protected StepFixture {};

TEST_F(StepTest, ArgsToRetvals) {
  const OutputRef sum = g_.Add("sum", "Add", {g_.Arg(0), g_.Arg(1)});
  g_.Retval(0, sum);
  g_.Retval(1, g_.Add("more", "Inc", {sum}));
  TestRun run({20, 21});
  ASSERT_TRUE(run.Run(Build()).ok());
  EXPECT_EQ(run.value(0), 41);
  EXPECT_EQ(run.value(1), 42);
}

TEST_F(StepTest, AnEmptyPlanEndsAtOnce) {
  TestRun run;
  EXPECT_TRUE(run.Run(Build()).ok());
}

TEST_F(StepTest, TooFewArgsAreAnError) {
  g_.Retval(0, g_.Arg(1));
  TestRun run({1});
  EXPECT_EQ(run.Run(Build()).code(), StatusCode::kInternal);
}

TEST_F(StepTest, ControlEdgesOrder) {
  const OutputRef send = g_.Add("put", "Put", {g_.Arg(0)}, {{"key", "k"}});
  const OutputRef noop = g_.Add("then", "NoOp", {}, {}, {send});
  g_.Retval(0, g_.Add("take", "Take", {}, {{"key", "k"}}, {noop}));
  TestRun run({5});
  ASSERT_TRUE(run.Run(Build()).ok());
  EXPECT_EQ(run.value(0), 5);
}

// Dead values.

TEST_F(StepTest, TheBranchThatIsNotTakenIsDead) {
  const auto [no, yes] = g_.Switch("switch", g_.Arg(0), g_.Flag("flag", true));
  g_.Retval(0, g_.Add("when_no", "Tick", {no}));
  g_.Retval(1, g_.Add("when_yes", "Tick", {yes}));
  TestRun run({1});
  ASSERT_TRUE(run.Run(Build()).ok());
  EXPECT_EQ(run.value(0), -1);
  EXPECT_EQ(run.value(1), 2);
  EXPECT_EQ(TestKernels::ticks(), 1);
}

TEST_F(StepTest, MergeTakesTheLiveInput) {
  for (bool flag : {false, true}) {
    TestGraph g;
    const auto [no, yes] = g.Switch("switch", g.Arg(0), g.Flag("flag", flag));
    const OutputRef merged = g.Merge("merge", {g.Add("inc", "Inc", {no}), yes});
    g.Retval(0, merged);
    g.Retval(1, {merged.node, 1}, DataType::kInt32);
    TestRun run({1});
    ASSERT_TRUE(run.Run(*BuildTestPlan(g.graph(), device_)).ok());
    EXPECT_EQ(run.value(0), flag ? 1 : 2);
  }
}

TEST_F(StepTest, MergeOfDeadInputsIsDead) {
  const OutputRef flag = g_.Flag("flag", true);
  const OutputRef no = g_.Switch("a", g_.Arg(0), flag).first;
  const OutputRef neither = g_.Switch("b", g_.Const("c", 1), flag).first;
  g_.Retval(0, g_.Merge("merge", {no, neither}));
  TestRun run({1});
  ASSERT_TRUE(run.Run(Build()).ok());
  EXPECT_EQ(run.value(0), -1);
}

TEST_F(StepTest, MergeWaitsForItsControlInputs) {
  const OutputRef wait = g_.Add("wait", "Wait", {g_.Arg(0)});
  g_.Retval(0, g_.Merge("merge", {g_.Const("c", 3)}, {wait}));
  TestRun run({1});
  InlineQueue queue;
  RunPlan(Build(), run.plan_run(&queue), run.WhenDone());
  queue.RunAll();
  EXPECT_FALSE(run.ended());
  TestKernels::Release();
  queue.RunAll();
  ASSERT_TRUE(run.Wait().ok());
  EXPECT_EQ(run.value(0), 3);
}

TEST_F(StepTest, DeadControlInputsKillExceptForControlTriggers) {
  const OutputRef no =
      g_.Switch("switch", g_.Arg(0), g_.Flag("flag", true)).first;
  const OutputRef dead = g_.Add("dead", "Tick", {no});
  g_.Retval(0, g_.Add("after", "Tick", {g_.Const("c", 1)}, {}, {dead}));
  const OutputRef trigger = g_.Add("trigger", "ControlTrigger", {}, {}, {dead});
  g_.Retval(1, g_.Add("alive", "Tick", {g_.Const("d", 1)}, {}, {trigger}));
  TestRun run({1});
  ASSERT_TRUE(run.Run(Build()).ok());
  EXPECT_EQ(run.value(0), -1);
  EXPECT_EQ(run.value(1), 2);
  EXPECT_EQ(TestKernels::ticks(), 1);
}

// A control edge between devices is the receive of a token: if the sending node
// is dead, so are the nodes that depend on the token.
TEST_F(StepTest, AReceiveOfADeadValueIsDeadForThoseThatWaitForIt) {
  const OutputRef token = g_.Add("token", "_Recv", {}, {{"key", "k"}});
  g_.Retval(0, g_.Add("after", "Tick", {g_.Const("c", 1)}, {}, {token}));
  const auto plan = Build();
  for (const bool is_dead : {true, false}) {
    TestRun run;
    ASSERT_TRUE(
        run.rendezvous()
            .Send("k;0:0",
                  {.tensor = is_dead ? Tensor() : Tensor::Scalar<int64_t>(5),
                   .is_dead = is_dead})
            .ok());
    ASSERT_TRUE(run.Run(plan).ok());
    EXPECT_EQ(run.value(0), is_dead ? -1 : 2);
    EXPECT_EQ(TestKernels::ticks(), is_dead ? 0 : 1);
  }
}

// Errors.

TEST_F(StepTest, AnErrorNamesItsNodeAndCancelsTheRest) {
  const OutputRef in = g_.Arg(0);
  g_.Add("bad", "Fail", {in});
  g_.Retval(0, g_.Add("never", "Wait", {in}));
  TestRun run({1});
  const Status status = run.Run(Build());
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("no good"));
  EXPECT_THAT(status.ToString(), HasSubstr("[[{{node bad}}]]"));
  EXPECT_TRUE(run.cancel().cancelled());
}

TEST_F(StepTest, NothingRunsAfterAnError) {
  g_.Add("after", "Tick", {g_.Add("bad", "Fail", {g_.Arg(0)})});
  TestRun run({1});
  EXPECT_FALSE(run.Run(Build()).ok());
  EXPECT_EQ(TestKernels::ticks(), 0);
}

TEST_F(StepTest, TheFirstErrorThatDoesNotFollowFromAnotherWins) {
  // A receive whose peer failed ends first, with a derived error.
  const OutputRef in = g_.Arg(0);
  g_.Add("take", "Take", {}, {{"key", "k"}});
  g_.Add("bad", "Fail", {g_.Add("wait", "Wait", {in})});
  TestRun run({1});
  InlineQueue queue;
  RunPlan(Build(), run.plan_run(&queue), run.WhenDone());
  queue.RunAll();
  run.rendezvous().StartAbort(MarkDerived(Aborted("elsewhere")));
  TestKernels::Release();
  queue.RunAll();
  EXPECT_EQ(run.Wait().code(), StatusCode::kAborted);
  // The other way round, the underived error is reported.
  TestKernels::Reset();
  TestRun second({1});
  RunPlan(Build(), second.plan_run(&queue), second.WhenDone());
  queue.RunAll();
  TestKernels::Release();
  queue.RunAll();
  EXPECT_EQ(second.Wait().code(), StatusCode::kInvalidArgument);
}

TEST_F(StepTest, EveryCodePassesThrough) {
  for (int64_t code = 1; code <= 16; ++code) {
    TestGraph g;
    g.Add("bad", "Fail", {g.Arg(0)}, {{"code", code}});
    TestRun run({1});
    EXPECT_EQ(run.Run(*BuildTestPlan(g.graph(), device_)).code(),
              static_cast<StatusCode>(code));
  }
}

TEST_F(StepTest, ExceptionsOfLibrariesAreErrors) {
  for (bool memory : {false, true}) {
    TestGraph g;
    g.Add("bad", "Throw", {g.Arg(0)}, {{"memory", memory}});
    TestRun run({1});
    const Status status = run.Run(*BuildTestPlan(g.graph(), device_));
    EXPECT_EQ(status.code(),
              memory ? StatusCode::kResourceExhausted : StatusCode::kInternal);
    EXPECT_THAT(status.ToString(), HasSubstr("op Throw"));
  }
}

TEST_F(StepTest, AMissingOutputIsAnError) {
  g_.Retval(0, g_.Add("forgets", "Forget", {g_.Arg(0)}));
  TestRun run({1});
  const Status status = run.Run(Build());
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_THAT(status.ToString(), HasSubstr("{{node forgets}}"));
}

// Cancellation and deadlines.

TEST_F(StepTest, ACancelEndsKernelsThatWait) {
  g_.Retval(0, g_.Add("wait", "Wait", {g_.Arg(0)}));
  TestRun run({1});
  InlineQueue queue;
  RunPlan(Build(), run.plan_run(&queue), run.WhenDone());
  queue.RunAll();
  EXPECT_FALSE(run.ended());
  run.cancel().Cancel(Cancelled("the user asked"));
  queue.RunAll();
  const Status status = run.Wait();
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_THAT(status.ToString(), HasSubstr("the user asked"));
}

TEST_F(StepTest, ACancelledStepStartsNoKernel) {
  g_.Retval(0, g_.Add("tick", "Tick", {g_.Arg(0)}));
  TestRun run({1});
  run.cancel().Cancel(Cancelled("too late"));
  EXPECT_EQ(run.Run(Build()).code(), StatusCode::kCancelled);
  EXPECT_EQ(TestKernels::ticks(), 0);
}

TEST_F(StepTest, ACancelEndsAnEndlessLoop) {
  g_.Retval(0, g_.Counter("loop", g_.Arg(0), int64_t{1} << 60));
  TestRun run({0});
  ThreadPool pool("test", 2);
  RunPlan(Build(), run.plan_run(&pool), run.WhenDone());
  while (TestKernels::ticks() < 100) Yield();
  run.cancel().Cancel(Cancelled("enough"));
  EXPECT_EQ(run.Wait().code(), StatusCode::kCancelled);
}

TEST_F(StepTest, ACancelEndsAnEndlessLoopOfCheapNodes) {
  const auto loop = g_.OpenLoop("loop", g_.Arg(0), int64_t{1} << 60);
  g_.CloseLoop("loop", loop, loop.body);
  TestRun run({0});
  ThreadPool pool("test", 1);
  RunPlan(Build(), run.plan_run(&pool), run.WhenDone());
  run.cancel().Cancel(Cancelled("enough"));
  EXPECT_EQ(run.Wait().code(), StatusCode::kCancelled);
}

TEST_F(StepTest, ADeadlineEndsTheStep) {
  g_.Retval(0, g_.Add("wait", "Wait", {g_.Arg(0)}));
  Timer timer;
  TestRun run({1});
  run.cancel().CancelAt(Deadline::AfterMillis(5), timer,
                        DeadlineExceeded("the step's time is over"));
  const Status status = RunOnPool(run);
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(status.ToString(), HasSubstr("the step's time is over"));
}

// Variables on reference edges.

TEST_F(StepTest, AReferenceIsReadWhenItsConsumerStarts) {
  const OutputRef var = g_.Add("var", "Var");
  g_.Retval(0, g_.Add("get", "Get", {var}));
  TestRun early;
  const Status status = early.Run(Build());
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.ToString(),
              HasSubstr("Attempting to use uninitialized value v"));
  auto variable = device_.resources().Lookup<Variable>("", "v");
  (*variable)->Assign(Tensor::Scalar<int64_t>(12));
  TestRun run;
  ASSERT_TRUE(run.Run(Build()).ok());
  EXPECT_EQ(run.value(0), 12);
}

TEST_F(StepTest, AReferenceInputMustBeInitialized) {
  g_.Add("set", "SetVar", {g_.Add("var", "Var")});
  TestRun run;
  EXPECT_EQ(run.Run(Build()).code(), StatusCode::kFailedPrecondition);
}

// Fetches `v` (1 before) from a step in which two updates add 10 at once and
// two others add 100 when a value has come.
class FetchedViewTest : public testing::Test {
 protected:
  int64_t Fetch(ResultViews result_views) {
    TestDevice device;
    TestGraph g;
    const OutputRef var = g.Add("var", "Var");
    g.Retval(0, var);
    const OutputRef ten = g.Arg(0);
    g.Add("now", "AddVar", {var, ten});
    g.Add("too", "AddVar", {var, ten});
    const OutputRef late = g.Add("take", "Take", {}, {{"key", "k"}});
    g.Add("then", "AddVar", {var, late});
    g.Add("last", "AddVar", {var, late});
    auto variable = MakeRef<Variable>(DataType::kInt64, "v");
    variable->Assign(Tensor::Scalar<int64_t>(1));
    EXPECT_TRUE(device.resources().Create("", "v", variable).ok());
    TestRun run({10});
    run.result_views = result_views;
    InlineQueue pool;
    RunPlan(*BuildTestPlan(g.graph(), device), run.plan_run(&pool),
            run.WhenDone());
    pool.RunAll();
    EXPECT_FALSE(run.ended());
    const RendezvousValue value{.tensor = Tensor::Scalar<int64_t>(100)};
    EXPECT_TRUE(run.rendezvous().Send("k;0:0", value).ok());
    pool.RunAll();
    EXPECT_TRUE(run.Wait().ok());
    return run.value(0);
  }
};

TEST_F(FetchedViewTest, IsBoundWhenTheStepFirstWaits) {
  EXPECT_EQ(Fetch(ResultViews::kBindAtTheFirstWait), 21);
}

TEST_F(FetchedViewTest, IsBoundAtTheEnd) {
  EXPECT_EQ(Fetch(ResultViews::kBindAtEnd), 221);
}

TEST_F(StepTest, StatsNameTheNodes) {
  g_.Retval(0, g_.Add("inc", "Inc", {g_.Arg(0)}));
  StepStatsCollector stats;
  TestRun run({1});
  run.stats = &stats;
  ASSERT_TRUE(run.Run(Build()).ok());
  const StepEvents events = stats.Events();
  ASSERT_EQ(events.plans.size(), 1u);
  EXPECT_EQ(events.plans[0]->device, device_.name());
  ASSERT_EQ(events.nodes.size(), 1u);
  const NodeStats& node = events.nodes[0];
  const PlanLabels::Node& label =
      events.plans[0]->nodes.at(static_cast<size_t>(node.node));
  EXPECT_EQ(label.name, "inc");
  EXPECT_EQ(label.op, "Inc");
  EXPECT_LE(node.start_nanos, node.end_nanos);
  EXPECT_TRUE(events.threads.contains(node.thread_id));
  ASSERT_EQ(node.outputs.size(), 1u);
  EXPECT_EQ(node.outputs[0].bytes, 8);
}

TEST_F(StepTest, StatsOfAllNodesAsTensorFlowReportsThem) {
  g_.Retval(0, g_.Add("inc", "Inc", {g_.Arg(0)}));
  StepStatsCollector stats;
  stats.KeepAll();
  TestRun run({1});
  run.stats = &stats;
  ASSERT_TRUE(run.Run(Build()).ok());
  const StepStats report = ToStepStats(stats.Events());
  ASSERT_EQ(report.dev_stats.size(), 1u);
  EXPECT_EQ(report.dev_stats[0].device, device_.name());
  const std::vector<NodeExecStats>& nodes = report.dev_stats[0].node_stats;
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(nodes[0].timeline_label, "_SOURCE = NoOp()");
  EXPECT_FALSE(nodes[0].memory_stats.has_value());
  EXPECT_EQ(nodes[1].timeline_label, "arg0 = _Arg()");
  EXPECT_EQ(nodes[2].timeline_label, "inc = Inc(arg0)");
  ASSERT_EQ(nodes[2].output.size(), 1u);
  const AllocationDescription& allocation =
      nodes[2].output[0].tensor_description.allocation_description;
  EXPECT_EQ(allocation.requested_bytes, 8);
  EXPECT_EQ(allocation.allocator_name, device_.allocator()->name());
  EXPECT_TRUE(nodes[2].memory_stats.has_value());
  EXPECT_EQ(nodes[3].timeline_label, "retval0 = _Retval(inc)");
}

TEST_F(StepTest, StatsWithoutRoomAreCounted) {
  g_.Retval(0, g_.Add("b", "Inc", {g_.Add("a", "Inc", {g_.Arg(0)})}));
  const auto budget = std::make_shared<EventBudget>(1);
  StepStatsCollector stats(budget);
  TestRun run({1});
  run.stats = &stats;
  ASSERT_TRUE(run.Run(Build()).ok());
  EXPECT_EQ(run.value(0), 3);
  EXPECT_EQ(stats.Events().nodes.size(), 1u);
  EXPECT_EQ(budget->dropped(), 1);
}

}  // namespace
}  // namespace millrace
