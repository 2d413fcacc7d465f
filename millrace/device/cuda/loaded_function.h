// LoadedFunction: what a GpuFunction (launch.h) holds.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "millrace/device/cuda/gpu.h"
#include "millrace/device/cuda/module_cache.h"

namespace millrace::cuda {

// An entry of a module on a GPU. Thread-safe.
class LoadedFunction {
 public:
  static StatusOr<std::shared_ptr<const LoadedFunction>> Make(
      std::shared_ptr<Gpu> gpu, SharedModule module, const std::string& source,
      const std::string& entry);

  Gpu& gpu() const { return *gpu_; }
  Function function() const { return function_; }
  // "Unary of elementwise/unary.gpu.cu".
  const std::string& name() const { return name_; }

  // Has the driver allow so much shared memory besides what the text declares.
  // Requires: the context is current.
  Status AllowShared(int bytes) const;

 private:
  LoadedFunction() = default;

  std::shared_ptr<Gpu> gpu_;
  SharedModule module_;  // goes before the GPU
  Function function_ = nullptr;
  std::string name_;
  mutable std::atomic<int> allowed_bytes_{0};
};

}  // namespace millrace::cuda
