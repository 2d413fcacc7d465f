#include "millrace/train/pipeline/pipeline_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace millrace::train {
namespace {

using testing::HasSubstr;

NodeExecStats NodeAt(const std::string& name, int64_t start, int64_t end,
                     const std::string& op = "MatMul") {
  NodeExecStats node;
  node.node_name = name;
  node.timeline_label = absl::StrCat(name, " = ", op, "(x)");
  node.all_start_nanos = start;
  node.all_end_rel_nanos = end - start;
  return node;
}

// Two stages of 10 ns a micro-batch, three micro-batches.
TEST(PipelineTraces, ToldFromTheTimesOfNodes) {
  StepStats stats;
  stats.dev_stats.resize(2);
  stats.dev_stats[0].device = "/job:worker/task:0";
  stats.dev_stats[0].node_stats = {
      NodeAt("p/forward_2/stage_0/start", 120, 120, "Identity"),
      NodeAt("p/forward_2/stage_0/MatMul", 120, 130),
      NodeAt("p/forward_0/stage_0/MatMul", 100, 106),
      NodeAt("p/forward_0/stage_0/Relu", 104, 110),
      NodeAt("p/forward_1/stage_0/MatMul", 110, 120),
      NodeAt("p/forward_1/stage_0/b", 50, 50, "Const"),
      NodeAt("p/forward_1/dense/MatMul", 0, 500),
      NodeAt("other/forward_1/stage_0/MatMul", 0, 500),
      NodeAt("p/micro_batches", 80, 100)};
  stats.dev_stats[1].node_stats = {
      NodeAt("p/forward_0/stage_1/start", 110, 110, "Identity"),
      // Needs no input, and runs before the micro-batch begins.
      NodeAt("p/forward_0/stage_1/random", 102, 104, "RandomUniform"),
      NodeAt("p/forward_0/stage_1/MatMul", 112, 120),
      NodeAt("p/forward_1/stage_1/MatMul", 120, 130),
      NodeAt("p/forward_2/stage_1/MatMul", 130, 140),
      NodeAt("RecvTensor", 100, 110)};
  const auto trace = TracePipeline(stats, "p/");
  ASSERT_TRUE(trace.ok()) << trace.status();
  ASSERT_EQ(trace->stages.size(), 2u);
  EXPECT_EQ(trace->nanos, 40);
  EXPECT_EQ(trace->stages[0].busy_nanos, 30);
  EXPECT_EQ(trace->stages[1].busy_nanos, 30);
  EXPECT_DOUBLE_EQ(trace->idle_share, IdleShareOf(2, 3));
  ASSERT_EQ(trace->stages[0].runs.size(), 3u);
  for (int64_t i = 0; i < 3; ++i) {
    const auto& run = trace->stages[0].runs[static_cast<size_t>(i)];
    EXPECT_EQ(run.task, (PipelineTask{PipelinePass::kForward, i}));
    EXPECT_EQ(run.start_nanos, 100 + 10 * i);
    EXPECT_EQ(run.end_nanos, 110 + 10 * i);
  }
  EXPECT_EQ(trace->stages[1].runs[0].start_nanos, 110);
}

TEST(PipelineTraces, WithoutATrace) {
  const auto trace = TracePipeline({}, "pipeline/");
  EXPECT_EQ(trace.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(trace.status().message(), HasSubstr("no node of the pipeline"));
}

TEST(PipelineTraces, TheShareOfTheFormula) {
  EXPECT_DOUBLE_EQ(IdleShareOf(2, 2), 1.0 / 3);
  EXPECT_DOUBLE_EQ(IdleShareOf(2, 8), 1.0 / 9);
  EXPECT_DOUBLE_EQ(IdleShareOf(1, 4), 0);
}

}  // namespace
}  // namespace millrace::train
