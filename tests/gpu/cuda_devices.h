// CudaDevices: devices of the stand-in, with what tests do on them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "millrace/base/log.h"
#include "millrace/device/cuda/launch.h"
#include "millrace/device/devices.h"
#include "millrace/kernel/kernel.h"

namespace millrace::cuda {

// Control of the stand-in (tests/gpu/standin).
struct StandInControl {
  int (*Fail)(const char* failures) = nullptr;
  unsigned long long (*Calls)(const char* symbol) = nullptr;
  void (*Reset)() = nullptr;
  int (*Set)(const char* name, const char* value) = nullptr;
};
const StandInControl& Control();          // of the driver
const StandInControl& CompilerControl();  // of the compiler
const StandInControl& BlasControl();      // of the library of products
const StandInControl& DnnControl();       // of that of convolutions

// The lines that are logged while this is alive.
class LoggedLines {
 public:
  LoggedLines() {
    SetLogSink([this](LogLevel, absl::string_view line) {
      MutexLock lock(mu_);
      lines_.emplace_back(line);
    });
  }
  ~LoggedLines() { SetLogSink(nullptr); }
  // Returns those that have a text.
  std::vector<std::string> With(absl::string_view text) const {
    MutexLock lock(mu_);
    std::vector<std::string> found;
    for (const std::string& line : lines_) {
      if (absl::StrContains(line, text)) found.push_back(line);
    }
    return found;
  }

 private:
  mutable Mutex mu_;
  std::vector<std::string> lines_;
};

// Waits for a Done.
class Awaited {
 public:
  Done done() {
    return [this](Status status) {
      status_ = std::move(status);
      ended_.Notify();
    };
  }
  // Returns the status, or DEADLINE_EXCEEDED after a minute.
  Status Wait() {
    if (!ended_.WaitUntil(Deadline::AfterMillis(60'000))) {
      return DeadlineExceeded("a Done was not called");
    }
    return status_;
  }

 private:
  Notification ended_;
  Status status_;
};

// A node without inputs and outputs on a device, to load and launch for.
class DeviceNode {
 public:
  explicit DeviceNode(Device& device) : device_(device) {
    node_.name = "the_node";
    node_.device = device.name();
  }
  StatusOr<GpuFunction> Load(const GpuSource& source, const char* entry,
                             const std::vector<GpuDefine>& defines = {}) {
    return LoadGpuFunction(KernelInit(node_, device_, nullptr), source, entry,
                           defines);
  }
  KernelContext& ctx() { return ctx_; }

 private:
  Device& device_;
  NodeInfo node_;
  StepEnvironment step_;
  KernelContext ctx_{node_, device_, step_, {}, {}};
};

// Returns the GPUs among the devices of a task.
StatusOr<std::vector<std::unique_ptr<Device>>> MakeGpus(
    const GpuSetup& setup = {}, int most = 4);

StatusOr<Tensor> CopyIn(Device& device, const Tensor& host);
StatusOr<Tensor> CopyOut(Device& device, const Tensor& t);
Status Idle(Device& device);

// A vector of floats in host memory that is not pinned, counting from `first`.
Tensor Counting(int64_t n, float first = 0);

// Adds a constant to floats: entry "AddTo" (float* x, float y, int64_t n).
extern const GpuSource kAddSource;

// Restores the stand-in after each test.
class CudaTest : public ::testing::Test {
 protected:
  void SetUp() override { Control().Set("strict", "1"); }
  void TearDown() override {
    Control().Set("lazy", "0");
    Control().Reset();
    CompilerControl().Reset();
    BlasControl().Reset();
    DnnControl().Reset();
  }
};

}  // namespace millrace::cuda
