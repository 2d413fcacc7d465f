// Tests of local sessions build a graph in few words and run it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/device/devices.h"
#include "millrace/session/local_session.h"
#include "millrace/session/testing/all_tables.h"

namespace millrace {

// Builds GraphDefs in few words.
class GraphDefBuilder {
 public:
  GraphDefBuilder& Add(std::string name, std::string op,
                       std::vector<std::string> inputs = {}, AttrMap attrs = {},
                       std::string device = "") {
    def_.nodes.push_back({std::move(name), std::move(op), std::move(inputs),
                          std::move(device), std::move(attrs)});
    return *this;
  }
  GraphDefBuilder& Const(std::string name, Tensor value,
                         std::vector<std::string> controls = {},
                         std::string device = "") {
    const DataType dtype = value.dtype();
    return Add(std::move(name), "Const", std::move(controls),
               {{"dtype", dtype}, {"value", std::move(value)}},
               std::move(device));
  }
  GraphDef Take() { return std::move(def_); }
  GraphDef& def() { return def_; }

 private:
  GraphDef def_;
};

inline const AttrMap kFloatT = {{"T", DataType::kFloat}};
inline const AttrMap kIntT = {{"T", DataType::kInt32}};

// Runs a graph in a local session with as many CPU devices as a test needs.
class LocalSessionTest : public testing::Test {
 protected:
  void Start(GraphDef def, int cpus = 1) {
    LocalSessionOptions options;
    options.ops = TablesOfAll().ops.get();
    options.kernels = &TablesOfAll().kernels;
    options.config = config_;
    DeviceOptions devices;
    devices.device_count["CPU"] = cpus;
    auto made = MakeDevices(devices, "localhost", 0);
    ASSERT_TRUE(made.ok()) << made.status();
    options.devices = *std::move(made);
    auto session = LocalSession::Create(std::move(options));
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
    const Status extended = session_->Extend(def);
    ASSERT_TRUE(extended.ok()) << extended;
  }

  StatusOr<std::vector<Tensor>> Run(
      std::vector<std::pair<std::string, Tensor>> feeds,
      std::vector<std::string> fetches, std::vector<std::string> targets = {},
      RunOptions options = {}) {
    LocalSession::RunRequest request;
    request.feeds = std::move(feeds);
    request.fetches = std::move(fetches);
    request.targets = std::move(targets);
    request.options = options;
    std::vector<Tensor> outputs;
    MR_RETURN_IF_ERROR(session_->Run(request, &outputs, nullptr));
    return outputs;
  }

  float RunScalar(std::vector<std::pair<std::string, Tensor>> feeds,
                  std::string fetch) {
    auto result = Run(std::move(feeds), {std::move(fetch)});
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? (*result)[0].scalar<float>() : -1;
  }

  ConfigOptions config_;  // of Start
  std::unique_ptr<LocalSession> session_;
};

}  // namespace millrace
