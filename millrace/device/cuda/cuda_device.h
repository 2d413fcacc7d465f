// CudaDevice: a GPU as a device of a task.
#pragma once

#include <memory>

#include "millrace/device/cuda/gpu.h"
#include "millrace/device/gpu_setup.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/resource.h"

namespace millrace::cuda {

// Its kernels enqueue; those that work in host memory run on the threads of
// `lanes`.
class CudaDevice final : public Device {
 public:
  // `lanes` and `intra_op` must outlive the device. `setup` is what the GPUs of
  // the process have in common (ShareGpuSetup).
  CudaDevice(DeviceAttributes attributes, DeviceName parsed, Lanes& lanes,
             IntraOpPool& intra_op, std::shared_ptr<Gpu> gpu,
             std::shared_ptr<const GpuSetup> setup);

  Gpu& gpu() const { return *gpu_; }
  const std::shared_ptr<Gpu>& shared_gpu() const { return gpu_; }
  const std::shared_ptr<const GpuSetup>& setup() const { return setup_; }
  IntraOpPool& intra_op() { return intra_op_; }

  Allocator* allocator() override { return gpu_.get(); }
  Allocator* host_allocator() override { return &gpu_->pinned(); }
  void CopyToHost(Tensor from, Tensor* to, Done done) override {
    gpu_->CopyToHost(std::move(from), to, std::move(done));
  }
  void CopyFromHost(Tensor from, Tensor* to, Done done) override {
    gpu_->CopyFromHost(std::move(from), to, std::move(done));
  }
  void CopyFromPeer(Tensor from, Tensor* to, Done done) override {
    gpu_->CopyFromPeer(std::move(from), to, std::move(done));
  }
  void WhenIdle(Done done) override { gpu_->WhenIdle(std::move(done)); }
  ResourceStore& resources() override { return resources_; }
  void ParallelFor(
      int64_t total, int64_t cost_nanos,
      absl::FunctionRef<void(int64_t begin, int64_t end)> f) override {
    intra_op_.ParallelFor(total, cost_nanos, f);
  }
  int intra_op_width() const override { return intra_op_.width(); }
  IntraOpPool* intra_op_pool() override { return &intra_op_; }
  Lanes& lanes() override { return lanes_; }
  DeviceMemoryUse memory_use() const override;

 private:
  Lanes& lanes_;
  IntraOpPool& intra_op_;
  const std::shared_ptr<const GpuSetup> setup_;
  const std::shared_ptr<Gpu> gpu_;
  ResourceStore resources_;
};

}  // namespace millrace::cuda
