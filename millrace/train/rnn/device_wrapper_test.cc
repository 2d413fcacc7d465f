#include "millrace/train/rnn/device_wrapper.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "millrace/client/gradients.h"
#include "millrace/train/rnn/basic_lstm_cell.h"
#include "millrace/train/rnn/multi_rnn_cell.h"
#include "millrace/train/rnn/static_rnn.h"
#include "millrace/train/testing/cpus_suite.h"

namespace millrace::train {
namespace {

constexpr int kLayers = 3;
constexpr int kTimes = 4;
constexpr double kRnnRounding = 1e-5;

enum class Placement { kOneDevice, kDeviceOfEachLayer };

StaticRnnResult DeepNetwork(const Scope& s, Placement placement,
                            const Output& lengths) {
  std::vector<std::unique_ptr<RnnCell>> layers;
  for (int i = 0; i < kLayers; ++i) {
    layers.push_back(std::make_unique<BasicLstmCell>(3));
    if (placement == Placement::kDeviceOfEachLayer) {
      layers.back() = std::make_unique<DeviceWrapper>(std::move(layers.back()),
                                                      Cpus(kLayers)[i]);
    }
  }
  MultiRnnCell cell(std::move(layers));
  std::vector<Output> inputs;
  for (int t = 0; t < kTimes; ++t) {
    inputs.push_back(ops::Mul(s, Waves(s, {2, 5}), t + 1));
  }
  return StaticRnn(VariableScope(s).WithInitializer(
                       RandomNormal({.stddev = 0.5, .seed = 3})),
                   cell, inputs, {.sequence_length = lengths});
}

// The nodes of a layer at a time: a span of the trace, and their device.
struct Cell {
  int64_t start = std::numeric_limits<int64_t>::max();
  int64_t end = 0;
};
using Cells = std::map<std::pair<int, int>, Cell>;  // by layer and time

// Reads "rnn/multi_rnn_cell_2/cell_1/..." as layer 1 at time 2.
Cells CellsOf(const RunMetadata& metadata) {
  Cells cells;
  for (const DeviceStepStats& device : metadata.step_stats.dev_stats) {
    for (const NodeExecStats& node : device.node_stats) {
      for (int t = 0; t < kTimes; ++t) {
        for (int layer = 0; layer < kLayers; ++layer) {
          const std::string block = absl::StrCat(
              "rnn/multi_rnn_cell", t == 0 ? "" : absl::StrCat("_", t),
              "/cell_", layer, "/");
          if (!node.node_name.starts_with(block) ||
              node.timeline_label.find(" = Const(") != std::string::npos) {
            continue;
          }
          EXPECT_TRUE(device.device.ends_with(Cpus(kLayers)[layer]))
              << node.node_name << " on " << device.device;
          Cell& cell = cells[{layer, t}];
          cell.start = std::min(cell.start, node.all_start_nanos);
          cell.end =
              std::max(cell.end, node.all_start_nanos + node.all_end_rel_nanos);
        }
      }
    }
  }
  return cells;
}

TEST(DeviceWrapper, LayersOfADeepNetworkWorkOnTheirDevices) {
  for (const bool has_lengths : {false, true}) {
    std::vector<std::vector<Tensor>> values;
    for (const Placement placement :
         {Placement::kOneDevice, Placement::kDeviceOfEachLayer}) {
      const Scope s = Scope::NewRoot();
      const Output lengths = has_lengths ? ops::Const(s, {2, 4}) : Output();
      const StaticRnnResult y = DeepNetwork(s, placement, lengths);
      ASSERT_EQ(y.outputs.size(), static_cast<size_t>(kTimes)) << s.status();
      std::vector<Output> all = y.outputs;
      all.insert(all.end(), y.state.begin(), y.state.end());
      std::vector<Output> handles;
      for (const ops::Variable& variable : ops::TrainableVariables(s)) {
        handles.push_back(variable.handle());
      }
      for (const Gradient& gradient :
           ops::Gradients(s, {UnevenSum(s, y.outputs.back())}, handles,
                          {.colocate_with_ops = true})) {
        all.push_back(gradient.tensor);
      }
      ASSERT_TRUE(s.ok()) << s.status();
      RunMetadata metadata;
      values.push_back(ValuesOnCpus(s, kLayers).Of(all, &metadata));
      if (placement == Placement::kOneDevice) continue;
      Cells cells = CellsOf(metadata);
      EXPECT_EQ(cells.size(), static_cast<size_t>(kLayers * kTimes));
      // Layer l at time t begins with what layer l - 1 gave for t and with its
      // own state of t - 1.
      for (int t = 0; t < kTimes; ++t) {
        for (int layer = 0; layer < kLayers; ++layer) {
          if (layer > 0) {
            EXPECT_GE((cells[{layer, t}].end), (cells[{layer - 1, t}].end));
          }
          if (t > 0) {
            EXPECT_GE((cells[{layer, t}].end), (cells[{layer, t - 1}].end));
          }
        }
      }
    }
    for (size_t i = 0; i < values[0].size(); ++i) {
      EXPECT_LT(Difference(values[0][i], values[1][i]), kRnnRounding)
          << "value " << i;
    }
  }
}

// The states of layers stay on their devices, also where examples end early.
TEST(DeviceWrapper, ChoosesEndedExamplesOnTheDeviceOfTheLayer) {
  const Scope s = Scope::NewRoot();
  const StaticRnnResult y =
      DeepNetwork(s, Placement::kDeviceOfEachLayer, ops::Const(s, {2, 4}));
  ASSERT_FALSE(y.state.empty()) << s.status();
  for (size_t i = 0; i < y.state.size(); ++i) {
    EXPECT_EQ(y.state[i].op().type(), "Select");
    EXPECT_EQ(y.state[i].op().device(), Cpus(kLayers)[i / 2]);
  }
}

}  // namespace
}  // namespace millrace::train
