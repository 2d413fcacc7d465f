// FakeGpuDevice: a device of type GPU without hardware, so that placement,
// partitioning and steps over CPUs and GPUs are tested anywhere.
#pragma once

#include "millrace/kernel/device.h"
#include "millrace/kernel/resource.h"

namespace millrace {

// Its memory is host memory and its threads are the CPU's, so it runs kernels
// that are declared for GPUs and are code of a CPU; tests bring those
// (device/testing/fake_gpu_kernels.h). It cannot run kernels that launch CUDA
// code.
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
  IntraOpPool* intra_op_pool() override { return &lanes_.intra_op; }
  Lanes& lanes() override { return lanes_; }

 private:
  Lanes& lanes_;
  ResourceStore resources_;
};

}  // namespace millrace
