// CpuDevice: runs kernels on the thread pools of the process.
#pragma once

#include <string>

#include "millrace/device/cpu/cpu_allocator.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/resource.h"

namespace millrace {

class CpuDevice final : public Device {
 public:
  // A null `intra_op` means the pool of `lanes`. Both must outlive the device.
  CpuDevice(DeviceAttributes attributes, DeviceName parsed, Lanes& lanes,
            IntraOpPool* intra_op, Ref<CpuAllocator> allocator);

  Allocator* allocator() override { return allocator_.get(); }
  ResourceStore& resources() override { return resources_; }
  void ParallelFor(
      int64_t total, int64_t cost_nanos,
      absl::FunctionRef<void(int64_t begin, int64_t end)> f) override {
    intra_op_.ParallelFor(total, cost_nanos, f);
  }
  int intra_op_width() const override { return intra_op_.width(); }
  IntraOpPool* intra_op_pool() override { return &intra_op_; }
  Lanes& lanes() override { return lanes_; }

  IntraOpPool& intra_op() { return intra_op_; }
  CpuAllocator& cpu_allocator() { return *allocator_; }

 private:
  Lanes& lanes_;
  IntraOpPool& intra_op_;
  Ref<CpuAllocator> allocator_;
  ResourceStore resources_;
};

}  // namespace millrace
