// Tests what local sessions report of a run besides its values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/session/testing/local_session_suite.h"

namespace millrace {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

class RunMetadataTest : public testing::Test {
 protected:
  void Start(GraphDef def, const GraphOptions& graph_options = {}) {
    LocalSessionOptions options;
    options.ops = TablesOfAll().ops.get();
    options.kernels = &TablesOfAll().kernels;
    options.config.graph_options = graph_options;
    options.devices = *MakeDevices({}, "localhost", 0);
    session_ = *LocalSession::Create(std::move(options));
    const Status extended = session_->Extend(def);
    ASSERT_TRUE(extended.ok()) << extended;
  }

  RunMetadata Run(std::vector<std::pair<std::string, Tensor>> feeds,
                  std::string fetch, TraceLevel level = TraceLevel::kFull) {
    LocalSession::RunRequest request;
    request.feeds = std::move(feeds);
    request.fetches = {std::move(fetch)};
    request.options.trace_level = level;
    std::vector<Tensor> outputs;
    RunMetadata metadata;
    const Status status = session_->Run(request, &outputs, &metadata);
    EXPECT_TRUE(status.ok()) << status;
    return metadata;
  }

  static std::vector<std::string> Labels(const RunMetadata& metadata) {
    std::vector<std::string> labels;
    for (const DeviceStepStats& device : metadata.step_stats.dev_stats) {
      EXPECT_EQ(device.device, "/job:localhost/replica:0/task:0/device:CPU:0");
      for (const NodeExecStats& node : device.node_stats) {
        labels.push_back(node.timeline_label);
      }
    }
    return labels;
  }

  std::unique_ptr<LocalSession> session_;
};

GraphDef ConstantAndFeed() {
  GraphDefBuilder b;
  b.Const("a", Tensor::Vector<float>({1, 2}));
  b.Add("twice", "AddV2", {"a", "a"}, kFloatT);
  b.Add("x", "Placeholder", {}, {{"dtype", DataType::kFloat}});
  b.Add("y", "Sub", {"x", "twice"}, kFloatT);
  return b.Take();
}

TEST_F(RunMetadataTest, HasTheConstantThatIsLeft) {
  GraphOptions options;
  options.rewrite_options.min_graph_nodes = -1;
  Start(ConstantAndFeed(), options);
  EXPECT_THAT(Labels(Run({}, "twice:0")),
              ElementsAre("_SOURCE = NoOp()", "twice = Const()",
                          "_retval_twice_0_0 = _Retval(twice)"));
}

TEST_F(RunMetadataTest, HasFeedsFetchesAndMemory) {
  Start(ConstantAndFeed());
  const RunMetadata metadata =
      Run({{"x:0", Tensor::Vector<float>({5, 6})}}, "y:0");
  const std::vector<std::string> labels = Labels(metadata);
  EXPECT_EQ(labels.size(), 5u);
  EXPECT_THAT(labels, Contains("_SOURCE = NoOp()"));
  EXPECT_THAT(labels, Contains("twice = Const()"));
  EXPECT_THAT(labels, Contains("_arg_x_0_0 = _Arg()"));
  EXPECT_THAT(labels, Contains("y = Sub(_arg_x_0_0, twice)"));
  EXPECT_THAT(labels, Contains("_retval_y_0_0 = _Retval(y)"));
  for (const NodeExecStats& node :
       metadata.step_stats.dev_stats[0].node_stats) {
    EXPECT_EQ(node.memory_stats.has_value(), node.node_name != "_SOURCE");
    if (node.node_name == "twice") {
      EXPECT_EQ(node.memory_stats->persistent_memory_size, 8);
      EXPECT_TRUE(node.memory.empty());
    }
    if (node.node_name == "y") {
      ASSERT_EQ(node.memory.size(), 1u);
      EXPECT_EQ(node.memory[0].total_bytes, 8);
      EXPECT_EQ(node.memory[0].live_bytes, 8);
      EXPECT_EQ(node.memory[0].allocation_records.size(), 1u);
    }
  }
  EXPECT_TRUE(metadata.cost_graph.nodes.empty());
}

TEST_F(RunMetadataTest, HasCostsEverySoManySteps) {
  GraphOptions options;
  options.build_cost_model = 2;
  options.build_cost_model_after = 2;
  Start(ConstantAndFeed(), options);
  std::vector<bool> measured;
  for (int i = 0; i < 8; ++i) {
    const RunMetadata metadata =
        Run({{"x:0", Tensor::Vector<float>({5, 6})}}, "y:0", TraceLevel::kNone);
    measured.push_back(!metadata.cost_graph.nodes.empty());
    // As TensorFlow's sessions, with the nodes that were measured.
    EXPECT_EQ(measured.back(), !metadata.step_stats.dev_stats.empty());
  }
  EXPECT_THAT(measured,
              ElementsAre(false, false, false, true, false, true, false, true));
}

}  // namespace
}  // namespace millrace
