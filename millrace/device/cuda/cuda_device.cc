#include "millrace/device/cuda/cuda_device.h"

namespace millrace::cuda {

CudaDevice::CudaDevice(DeviceAttributes attributes, DeviceName parsed,
                       Lanes& lanes, IntraOpPool& intra_op,
                       std::shared_ptr<Gpu> gpu,
                       std::shared_ptr<const GpuSetup> setup)
    : Device(std::move(attributes), std::move(parsed),
             /*has_own_memory=*/true),
      lanes_(lanes),
      intra_op_(intra_op),
      setup_(std::move(setup)),
      gpu_(std::move(gpu)),
      resources_(parsed_name().job.value_or("localhost")) {}

DeviceMemoryUse CudaDevice::memory_use() const {
  const MemoryPool::Stats stats = gpu_->pool().stats();
  return {stats.in_use_bytes, stats.peak_bytes,
          static_cast<int64_t>(gpu_->pool().limit_bytes())};
}

}  // namespace millrace::cuda
