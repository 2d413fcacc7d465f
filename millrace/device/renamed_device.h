// RenamedDevice: a device of this process under the name that a session gives
// it.
#pragma once

#include "millrace/base/memory/retire.h"
#include "millrace/kernel/device.h"

namespace millrace {

// Has the hardware and the resources of another device, which it keeps alive
// after its owner has retired it.
class RenamedDevice final : public Device {
 public:
  RenamedDevice(DeviceAttributes attributes, DeviceName parsed, Device& device)
      : Device(std::move(attributes), std::move(parsed),
               device.has_own_memory()),
        device_(device),
        use_(&device) {}

  Device& hardware() override { return device_.hardware(); }
  Allocator* allocator() override { return device_.allocator(); }
  Allocator* host_allocator() override { return device_.host_allocator(); }
  void CopyToHost(Tensor from, Tensor* to, Done done) override {
    device_.CopyToHost(std::move(from), to, std::move(done));
  }
  void CopyFromHost(Tensor from, Tensor* to, Done done) override {
    device_.CopyFromHost(std::move(from), to, std::move(done));
  }
  void CopyFromPeer(Tensor from, Tensor* to, Done done) override {
    device_.CopyFromPeer(std::move(from), to, std::move(done));
  }
  void WhenIdle(Done done) override { device_.WhenIdle(std::move(done)); }
  ResourceStore& resources() override { return device_.resources(); }
  void ParallelFor(
      int64_t total, int64_t cost_nanos,
      absl::FunctionRef<void(int64_t begin, int64_t end)> f) override {
    device_.ParallelFor(total, cost_nanos, f);
  }
  int intra_op_width() const override { return device_.intra_op_width(); }
  IntraOpPool* intra_op_pool() override { return device_.intra_op_pool(); }
  Lanes& lanes() override { return device_.lanes(); }
  DeviceMemoryUse memory_use() const override { return device_.memory_use(); }

 private:
  Device& device_;
  const ObjectUse use_;
};

}  // namespace millrace
