// OneThreadDevice: a device for tests of kernels.
#pragma once

#include <cstdint>

#include "millrace/kernel/device.h"
#include "millrace/kernel/resource.h"
#include "millrace/tensor/buffer.h"

namespace millrace {

// Allocates at most 4096 bytes at a time.
class SmallAllocator final : public Allocator {
 public:
  absl::string_view name() const override { return "small"; }
  StatusOr<Ref<Buffer>> Allocate(size_t size_bytes) override {
    if (size_bytes > 4096) return ResourceExhausted("only 4096 bytes");
    return HostAllocator()->Allocate(size_bytes);
  }
};

// Runs everything on the calling thread, with memory of a SmallAllocator.
class OneThreadDevice final : public Device {
 public:
  OneThreadDevice()
      : Device({"/job:a/replica:0/task:0/device:CPU:0", "CPU", 0, 1, ""}, {}),
        resources_("a") {}
  Allocator* allocator() override { return &allocator_; }
  ResourceStore& resources() override { return resources_; }
  void ParallelFor(int64_t total, int64_t,
                   absl::FunctionRef<void(int64_t, int64_t)> f) override {
    for (int64_t i = 0; i < total; ++i) f(i, i + 1);
  }
  int intra_op_width() const override { return 1; }
  Lanes& lanes() override { return Lanes::Process(); }

 private:
  SmallAllocator allocator_;
  ResourceStore resources_;
};

}  // namespace millrace
