#include "millrace/exec/cost_graph.h"

#include <gtest/gtest.h>

#include <map>

#include "millrace/exec/testing/step_suite.h"

namespace millrace {
namespace {

class CostGraphTest : public testing::Test, protected StepFixture {
 protected:
  // Runs the graph with the argument 1.
  CostGraph RunAndMeasure() {
    const std::shared_ptr<const Plan> plan = Build();
    StepStatsCollector stats;
    stats.KeepAll();
    TestRun run({1});
    run.stats = &stats;
    EXPECT_TRUE(run.Run(plan).ok());
    return ToCostGraph(stats.Events(), **PlanSet::FromPlans({plan}));
  }
};

std::map<std::string, CostGraph::Node> ByName(const CostGraph& graph) {
  std::map<std::string, CostGraph::Node> nodes;
  for (const CostGraph::Node& node : graph.nodes) nodes[node.name] = node;
  return nodes;
}

TEST_F(CostGraphTest, HasTheNodesWithTheirEdges) {
  const OutputRef sum = g_.Add("sum", "Add", {g_.Arg(0), g_.Const("c", 2)});
  g_.Add("end", "NoOp", {}, {}, {sum});
  g_.Retval(0, sum);
  const CostGraph graph = RunAndMeasure();
  ASSERT_EQ(graph.nodes.size(), 7u);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    EXPECT_EQ(graph.nodes[i].id, static_cast<int32_t>(i));
  }
  EXPECT_EQ(graph.nodes[0].name, "_SOURCE");
  EXPECT_EQ(graph.nodes[1].name, "_SINK");
  auto nodes = ByName(graph);
  const CostGraph::Node& source = nodes["_SOURCE"];
  EXPECT_EQ(source.device, "");
  // What nobody reads ends the step.
  EXPECT_EQ(nodes["_SINK"].control_input.size(), 3u);
  const CostGraph::Node& node = nodes["sum"];
  EXPECT_EQ(node.device, device_.name());
  ASSERT_EQ(node.input_info.size(), 2u);
  EXPECT_EQ(node.input_info[0].preceding_node, nodes["arg0"].id);
  EXPECT_EQ(node.input_info[1].preceding_node, nodes["c"].id);
  EXPECT_TRUE(node.control_input.empty());
  ASSERT_EQ(node.output_info.size(), 1u);
  EXPECT_EQ(node.output_info[0].dtype, DataType::kInt64);
  EXPECT_EQ(node.output_info[0].size_bytes, 8);
  EXPECT_EQ(node.output_info[0].alias_input_port, -1);
  EXPECT_TRUE(node.output_info[0].shape.IsFullyDefined());
  EXPECT_FALSE(node.is_final);
  EXPECT_EQ(nodes["end"].control_input, std::vector<int32_t>{node.id});
  // Is there before the step.
  EXPECT_EQ(nodes["c"].output_info.at(0).size_bytes, 0);
  EXPECT_EQ(nodes["c"].persistent_memory_size, 8);
  EXPECT_EQ(nodes["c"].control_input, std::vector<int32_t>{source.id});
}

TEST_F(CostGraphTest, WhatDidNotRunIsUnknown) {
  const auto [no, yes] = g_.Switch("switch", g_.Arg(0), g_.Flag("flag", true));
  g_.Retval(0, g_.Add("when_no", "Inc", {no}));
  g_.Retval(1, g_.Add("when_yes", "Inc", {yes}));
  auto nodes = ByName(RunAndMeasure());
  EXPECT_EQ(nodes["when_yes"].output_info.at(0).size_bytes, 8);
  EXPECT_EQ(nodes["when_no"].output_info.at(0).size_bytes, -1);
  EXPECT_FALSE(nodes["when_no"].output_info.at(0).shape.known_rank());
}

}  // namespace
}  // namespace millrace
