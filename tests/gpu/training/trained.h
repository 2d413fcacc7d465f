// For tests of training on GPUs: runs a graph's training, and says where its
// nodes ran. Each test trains on the CPU too, and compares the values.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/train/testing/cpus_suite.h"
#include "tests/gpu/use_standin.h"

namespace millrace::gpu_tests {

// The values that a training leaves, and how it went.
struct Trained {
  std::vector<Tensor> values;  // of the variables, in their order
  std::vector<float> losses;   // of each step
  // By node, of one step: the end of the device's name, "GPU:0".
  std::map<std::string, std::string> places;

  // Returns where nodes ran whose name contains `part`, each place once.
  std::vector<std::string> PlacesOf(const std::string& part) const {
    std::map<std::string, int> found;
    for (const auto& [node, place] : places) {
      if (node.find(part) != std::string::npos) ++found[place];
    }
    std::vector<std::string> names;
    for (const auto& [place, count] : found) names.push_back(place);
    return names;
  }
};

// A graph that trains.
struct Program {
  Scope scope;
  Operation train;
  Output loss;
};

inline void KeepPlaces(const RunMetadata& metadata, Trained* trained) {
  for (const DeviceStepStats& device : metadata.step_stats.dev_stats) {
    const size_t at = device.device.rfind("device:");
    if (at == std::string::npos) continue;
    for (const NodeExecStats& node : device.node_stats) {
      trained->places[node.node_name] = device.device.substr(at + 7);
    }
  }
}

// Trains for `steps` steps. An error is a failure of the test.
inline Trained Train(const Program& program, SessionOptions options,
                     int steps) {
  Trained trained;
  EXPECT_TRUE(program.scope.ok()) << program.scope.status();
  if (!program.scope.ok()) return trained;
  // Small ops that no GPU has stay possible; the tests look at the places.
  options.config.allow_soft_placement = true;
  Session session(program.scope, options);
  const Status started =
      session.RunTargets({ops::GlobalVariablesInitializer(program.scope)});
  EXPECT_TRUE(started.ok()) << started;
  for (int i = 0; i < steps && started.ok(); ++i) {
    RunMetadata metadata;
    RunContext context{.options = {}, .metadata = &metadata, .cancel = nullptr};
    if (i == 0) context.options.trace_level = TraceLevel::kFull;
    const auto loss = session.Run({}, {program.loss}, {program.train}, context);
    EXPECT_TRUE(loss.ok()) << loss.status();
    if (!loss.ok()) return trained;
    trained.losses.push_back((*loss)[0].scalar<float>());
    if (i == 0) KeepPlaces(metadata, &trained);
  }
  std::vector<Output> variables;
  for (const ops::Variable& v : ops::GlobalVariables(program.scope)) {
    variables.push_back(v.value());
  }
  auto values = session.Run(variables);
  EXPECT_TRUE(values.ok()) << values.status();
  if (values.ok()) trained.values = *std::move(values);
  return trained;
}

// Says how far two trainings of the same graph are apart: all variables and
// losses, relative to the largest value of each.
inline void ExpectSame(const Trained& a, const Trained& b, double tolerance) {
  ASSERT_EQ(a.values.size(), b.values.size());
  ASSERT_EQ(a.losses.size(), b.losses.size());
  for (size_t i = 0; i < a.values.size(); ++i) {
    if (a.values[i].dtype() != DataType::kFloat) continue;
    EXPECT_LE(train::Difference(a.values[i], b.values[i]), tolerance)
        << "variable " << i;
  }
  for (size_t i = 0; i < a.losses.size(); ++i) {
    EXPECT_NEAR(a.losses[i], b.losses[i], tolerance) << "step " << i;
  }
}

inline SessionOptions WithCards(int count) {
  cuda::UseStandIn();
  SessionOptions options;
  options.config.device_count = {{"CPU", 1}, {"GPU", count}};
  return options;
}

}  // namespace millrace::gpu_tests
