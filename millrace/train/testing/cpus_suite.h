// For tests of what is split over devices: sessions with several CPU devices of
// this process, and how far their values are apart.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"

namespace millrace::train {

inline std::vector<std::string> Cpus(int count) {
  std::vector<std::string> devices;
  for (int i = 0; i < count; ++i) {
    devices.push_back(absl::StrCat("/device:CPU:", i));
  }
  return devices;
}

inline SessionOptions OnCpus(int count, FileSystem* files = nullptr) {
  SessionOptions options;
  options.config.device_count = {{"CPU", count}};
  options.files = files;
  return options;
}

// The values of a graph whose variables have been initialized.
class ValuesOnCpus {
 public:
  ValuesOnCpus(const Scope& scope, int count, FileSystem* files = nullptr)
      : session_(scope, OnCpus(count, files)) {
    EXPECT_TRUE(scope.ok()) << scope.status();
    const Status status =
        session_.RunTargets({ops::GlobalVariablesInitializer(scope)});
    EXPECT_TRUE(status.ok()) << status;
  }
  // A scalar -1 for each after an error, which is a failure of the test.
  std::vector<Tensor> Of(const std::vector<Output>& outputs,
                         RunMetadata* metadata = nullptr) {
    RunContext context{.options = {}, .metadata = metadata, .cancel = nullptr};
    if (metadata) context.options.trace_level = TraceLevel::kFull;
    auto values = session_.Run({}, outputs, {}, context);
    EXPECT_TRUE(values.ok()) << values.status();
    if (values.ok()) return *std::move(values);
    return std::vector<Tensor>(outputs.size(), Tensor::Scalar(-1.0f));
  }
  void Do(const ControlInput& target) {
    const Status status = session_.RunTargets({target});
    EXPECT_TRUE(status.ok()) << status;
  }
  Session& session() { return session_; }

 private:
  Session session_;
};

// The greatest difference of two tensors of floats; infinite if their shapes
// differ, or if all elements of the first one are zero, which proves nothing.
inline double Difference(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape())) return INFINITY;
  double difference = 0;
  double largest = 0;
  for (size_t i = 0; i < a.flat<float>().size(); ++i) {
    const double x = a.flat<float>()[i];
    const double y = b.flat<float>()[i];
    if (!(std::abs(x - y) < INFINITY)) return INFINITY;
    difference = std::max(difference, std::abs(x - y));
    largest = std::max(largest, std::abs(x));
  }
  return largest > 0 ? difference : INFINITY;
}

// The numbers sin(1), sin(2), ..., which are all different.
inline Output Waves(const Scope& scope, const std::vector<int64_t>& shape) {
  int64_t n = 1;
  for (const int64_t size : shape) n *= size;
  std::vector<float> values;
  for (int64_t i = 1; i <= n; ++i) {
    values.push_back(std::sin(static_cast<float>(i)));
  }
  return ops::Reshape(scope, ops::Const(scope, values), shape);
}

// A number on which every element of y has another influence.
inline Output UnevenSum(const Scope& scope, const Output& y) {
  const PartialShape shape = y.shape();
  const Output weights =
      Waves(scope, {shape.dims().begin(), shape.dims().end()});
  return ops::Sum(
      scope,
      ops::Reshape(scope, ops::Mul(scope, ops::Mul(scope, y, y), weights),
                   {-1}),
      {0});
}

// How many nodes of a trace ran an op ("MatMul", also as a part of a fused one)
// on the CPU of that number.
inline int RunsOf(const RunMetadata& metadata, const std::string& op, int cpu) {
  int runs = 0;
  for (const DeviceStepStats& device : metadata.step_stats.dev_stats) {
    if (!device.device.ends_with(absl::StrCat("/device:CPU:", cpu))) continue;
    for (const NodeExecStats& node : device.node_stats) {
      const std::string& label = node.timeline_label;
      const size_t begin = label.find(" = ");
      if (begin == std::string::npos) continue;
      const std::string name =
          label.substr(begin + 3, label.find('(', begin) - begin - 3);
      runs += name.find(op) != std::string::npos ? 1 : 0;
    }
  }
  return runs;
}

}  // namespace millrace::train
