#include "millrace/exec/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "millrace/exec/frame_id.h"
#include "millrace/exec/testing/graphs.h"

namespace millrace {
namespace {

using testing::HasSubstr;

class PlanTest : public testing::Test {
 protected:
  StatusOr<std::shared_ptr<const Plan>> Build() {
    return BuildTestPlan(g_.graph(), device_);
  }
  static const PlanNode& Named(const Plan& plan, absl::string_view name) {
    const auto& nodes = plan.nodes();
    const auto node =
        std::find_if(nodes.begin(), nodes.end(),
                     [&](const PlanNode& n) { return n.info->name == name; });
    MR_CHECK(node != nodes.end(), "no node ", name);
    return *node;
  }

  TestDevice device_;
  TestGraph g_;
};

TEST_F(PlanTest, DenseNodesWithTheirEdges) {
  const OutputRef a = g_.Arg(0);
  const OutputRef b = g_.Add("b", "Inc", {a});
  const OutputRef c = g_.Add("c", "Add", {a, b}, {}, {b});
  g_.Retval(0, c);
  const auto plan = *Build();
  EXPECT_EQ(plan->nodes().size(), 4u);
  EXPECT_EQ(plan->num_args(), 1);
  EXPECT_EQ(plan->num_retvals(), 1);
  EXPECT_FALSE(plan->has_loops());
  ASSERT_EQ(plan->roots().size(), 1u);
  EXPECT_EQ(plan->node(plan->roots()[0]).info->name, "arg0");

  const PlanNode& add = Named(*plan, "c");
  // Two inputs, one control input.
  EXPECT_EQ(plan->frame(0).initial_pending[add.index_in_frame], 3u);
  EXPECT_FALSE(add.single_dependency);
  EXPECT_TRUE(Named(*plan, "b").single_dependency);
  EXPECT_EQ(plan->edges(Named(*plan, "b")).size(), 2u);
}

TEST_F(PlanTest, TheLastConsumerTakesTheValue) {
  const OutputRef a = g_.Arg(0);
  g_.Retval(0, g_.Add("b", "Inc", {a}));
  g_.Retval(1, g_.Add("c", "Inc", {a}));
  const auto plan = *Build();
  int last = 0;
  for (const PlanEdge& e : plan->edges(Named(*plan, "arg0"))) last += e.last;
  EXPECT_EQ(last, 1);
}

TEST_F(PlanTest, NodesKnowWhichInputsAreConstants) {
  const OutputRef a = g_.Arg(0);
  g_.Retval(0, g_.Add("sum", "Add", {a, g_.Const("c", 7)}));
  g_.Retval(1, g_.Add("next", "Inc", {a}));
  const auto plan = *Build();
  const NodeInfo& sum = *Named(*plan, "sum").info;
  EXPECT_FALSE(sum.HasConstantInput(0));
  EXPECT_TRUE(sum.HasConstantInput(1));
  EXPECT_FALSE(sum.HasConstantInput(2));
  EXPECT_TRUE(Named(*plan, "next").info->constant_inputs.empty());
}

TEST_F(PlanTest, ReservesSlotsForGapsInArgs) {
  g_.Retval(4, g_.Arg(2));
  const auto plan = *Build();
  EXPECT_EQ(plan->num_args(), 3);
  EXPECT_EQ(plan->num_retvals(), 5);
}

TEST_F(PlanTest, RefusesSlotsWithoutBound) {
  g_.Retval(std::numeric_limits<int32_t>::max(), g_.Const("c", 7));
  EXPECT_EQ(Build().status().code(), StatusCode::kInvalidArgument);
}

TEST_F(PlanTest, RefusesNextIterationsOutsideOfLoops) {
  g_.Retval(0, g_.Add("next", "NextIteration", {g_.Const("c", 7)},
                      {{"T", DataType::kInt64}}));
  const Status status = Build().status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(),
              HasSubstr("NextIteration outside of any while loop"));
}

TEST_F(PlanTest, CheapOnlyIfAllKernelsAre) {
  g_.Retval(0, g_.Const("c", 7));
  EXPECT_TRUE((*Build())->all_cheap());
  g_.Add("inc", "Inc", {g_.Const("d", 7)});
  const auto plan = *Build();
  EXPECT_FALSE(plan->all_cheap());
  // A kernel counts as expensive until it is measured.
  EXPECT_GT(plan->cost_nanos(Named(*plan, "inc")), 10'000);
  EXPECT_EQ(plan->cost_nanos(Named(*plan, "c")), 0);
  for (int i = 0; i < 100; ++i) plan->RecordCost(Named(*plan, "inc"), 80);
  EXPECT_LT(plan->cost_nanos(Named(*plan, "inc")), 1000);
}

TEST_F(PlanTest, ALoopIsAFrame) {
  const OutputRef outer = g_.Counter("outer", g_.Const("zero", 0), 3);
  g_.Retval(0, outer);
  const auto plan = *Build();
  EXPECT_TRUE(plan->has_loops());
  const PlanNode& enter = Named(*plan, "outer/enter");
  EXPECT_EQ(enter.frame, 0);
  const PlanFrame& frame = plan->frame(enter.child_frame);
  EXPECT_EQ(frame.name, "outer");
  EXPECT_EQ(frame.parent, 0);
  EXPECT_EQ(frame.num_enters, 1);
  EXPECT_EQ(frame.num_merges, 1);
  EXPECT_EQ(Named(*plan, "outer/body").frame, enter.child_frame);
  EXPECT_EQ(Named(*plan, "outer/exit").frame, enter.child_frame);
  EXPECT_EQ(Named(*plan, "retval0").frame, 0);
}

TEST_F(PlanTest, NestedFramesKnowTheirParents) {
  const auto outer = g_.OpenLoop("outer", g_.Const("zero", 0), 3);
  g_.CloseLoop("outer", outer, g_.Counter("inner", outer.body, 9));
  g_.Retval(0, outer.exit);
  const auto plan = *Build();
  const int32_t inner = Named(*plan, "inner/enter").child_frame;
  EXPECT_EQ(plan->frame(inner).parent, Named(*plan, "outer/enter").child_frame);
  EXPECT_EQ(Named(*plan, "outer/next").frame, plan->frame(inner).parent);
}

TEST_F(PlanTest, ParallelIterationsAreAtLeastOne) {
  g_.Retval(0, g_.Counter("loop", g_.Const("zero", 0), 3, -5));
  const auto plan = *Build();
  EXPECT_EQ(plan->frame(1).parallel_iterations, 1);
}

TEST_F(PlanTest, RefusesInputsFromTwoFrames) {
  const auto loop = g_.OpenLoop("loop", g_.Const("zero", 0), 3);
  const OutputRef both =
      g_.Add("both", "Add", {loop.body, g_.Const("outside", 1)});
  g_.CloseLoop("loop", loop, both);
  const Status status = Build().status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("{{node both}}"));
  EXPECT_THAT(status.ToString(), HasSubstr("different frames"));
}

// Its memory would be that of an iteration of the other frame.
TEST_F(PlanTest, RefusesABackEdgeIntoAnotherFrame) {
  const OutputRef start = g_.Const("start", 1);
  const OutputRef next =
      g_.Add("next", "NextIteration", {g_.Enter("in", "loop", start)},
             {{"T", DataType::kInt64}});
  g_.Retval(0, g_.Merge("merge", {start, next}));
  const Status status = Build().status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(),
              HasSubstr("{{node merge}} has inputs from different frames: ''"
                        " and, by {{node next}}, 'loop'"));
}

TEST_F(PlanTest, RefusesResultsOfEachIteration) {
  const auto loop = g_.OpenLoop("loop", g_.Const("zero", 0), 3);
  g_.CloseLoop("loop", loop, loop.body);
  g_.Retval(0, loop.body);
  const Status status = Build().status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("inside of the while loop 'loop'"));
}

TEST_F(PlanTest, RefusesTwoResultsOfOneIndex) {
  g_.Retval(0, g_.Const("c", 1));
  g_.Add("again", "_Retval", {g_.Const("d", 2)},
         {{"T", DataType::kInt64}, {"index", int64_t{0}}});
  EXPECT_THAT(Build().status().ToString(),
              HasSubstr("is another one with the index 0"));
}

TEST_F(PlanTest, RefusesLoopsThatAreNestedWithoutEnd) {
  OutputRef value = g_.Const("c", 1);
  for (int i = 0; i < 2000; ++i) {
    value = g_.Enter(absl::StrCat("e", i), absl::StrCat("f", i), value);
  }
  EXPECT_THAT(Build().status().ToString(),
              HasSubstr("within more than 1000 others"));
}

TEST_F(PlanTest, RefusesAnExitOutsideOfLoops) {
  g_.Exit("leave", g_.Const("c", 1));
  const Status status = Build().status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("{{node leave}} is of op Exit"));
}

TEST_F(PlanTest, RefusesAFrameEnteredFromTwoFrames) {
  const auto loop = g_.OpenLoop("loop", g_.Const("zero", 0), 3);
  g_.Exit("x", g_.Enter("in1", "other", loop.body));
  g_.CloseLoop("loop", loop, loop.body);
  g_.Exit("y", g_.Enter("in2", "other", g_.Const("c", 1)));
  const Status status = Build().status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("enters frame 'other'"));
}

TEST_F(PlanTest, NamesTheNodeWithoutAKernel) {
  g_.Add("g", "OnlyGpu");
  const Status status = Build().status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(status.ToString(), HasSubstr("OnlyGpu"));
  EXPECT_THAT(status.ToString(), HasSubstr("[[{{node g}}]]"));
}

TEST_F(PlanTest, NamesTheNodeWhoseAttributesTheKernelRefuses) {
  g_.Add("f", "Fail", {g_.Const("c", 1)}, {{"code", int64_t{0}}});
  const Status status = Build().status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("cannot end with OK"));
  EXPECT_THAT(status.ToString(), HasSubstr("[[{{node f}}]]"));
}

TEST_F(PlanTest, NamesANodeOfACycle) {
  auto first = g_.graph().AddNodeUnconnected("first", "Inc", {});
  const OutputRef second = g_.Add("second", "Inc", {{(*first)->id, 0}});
  ASSERT_TRUE(g_.graph().SetInput(*first, 0, second).ok());
  EXPECT_EQ(Build().status().code(), StatusCode::kInvalidArgument);
}

// Both ends of a transfer compute it, also in another implementation: the
// numbers follow the rule of TensorFlow 2.x.
TEST(FrameIdTest, DependsOnEveryPart) {
  const uint64_t id = ChildFrameId(0, 0, "while/while_context");
  EXPECT_EQ(id, ChildFrameId(0, 0, "while/while_context"));
  EXPECT_NE(id, ChildFrameId(0, 1, "while/while_context"));
  EXPECT_NE(id, ChildFrameId(1, 0, "while/while_context"));
  EXPECT_NE(id, ChildFrameId(0, 0, "while/while_contexu"));
  EXPECT_NE(FrameNameHash(""), FrameNameHash(absl::string_view("\0", 1)));
}

}  // namespace
}  // namespace millrace
