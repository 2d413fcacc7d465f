// FakeGpuDevice: a device of type GPU without hardware and without kernels, so
// that placement and partitioning for GPUs are tested anywhere.
#pragma once

#include "millrace/kernel/device.h"
#include "millrace/kernel/resource.h"

namespace millrace {

// Its memory is host memory. Nodes that need no kernel (send and receive) run.
class FakeGpuDevice final : public Device {
 public:
  // `lanes` must outlive the device.
  FakeGpuDevice(DeviceAttributes attributes, DeviceName parsed, Lanes& lanes);

  Allocator* allocator() override { return HostAllocator(); }
  ResourceStore& resources() override { return resources_; }
  void ParallelFor(
      int64_t total, int64_t cost_nanos,
      absl::FunctionRef<void(int64_t begin, int64_t end)> f) override {
    lanes_.intra_op.ParallelFor(total, cost_nanos, f);
  }
  int intra_op_width() const override { return lanes_.intra_op.width(); }
  Lanes& lanes() override { return lanes_; }

 private:
  Lanes& lanes_;
  ResourceStore resources_;
};

}  // namespace millrace
