// Finds the GPUs of the machine, and opens those that a task uses.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"
#include "millrace/device/cuda/gpu.h"
#include "millrace/device/gpu_setup.h"

namespace millrace::cuda {

// A GPU for a device GPU:index.
struct FoundGpu {
  int index = 0;
  std::shared_ptr<Gpu> gpu;
  // As stock's: "device: 0, name: NVIDIA H200, pci bus id: 0000:1b:00.0,
  // compute capability: 9.0".
  std::string description;
};

// Returns INVALID_ARGUMENT if a setup can fit no machine: a part of the memory
// outside (0, 1], or one together with logical GPUs, or one of no size.
Status CheckGpuSetup(const GpuSetup& setup);

// Returns the numbers that a list of visible devices has, in its order: all of
// [0, count) if it is empty. INVALID_ARGUMENT for what is no number, for one
// that is not below `count`, and for one that is there twice.
StatusOr<std::vector<int>> ParseVisibleDevices(absl::string_view list,
                                               int count);

// Opens the logical GPUs of at most `most` cards (the driver's, as
// CUDA_VISIBLE_DEVICES chooses and orders them). What is found, and why a card
// is not used, is in the log; without a driver or a compiler there is none. A
// card that cannot be used leaves its number out. INVALID_ARGUMENT if the setup
// does not fit the cards. Requires: CheckGpuSetup(*setup); devices hold it.
StatusOr<std::vector<FoundGpu>> OpenGpus(
    int most, const std::shared_ptr<const GpuSetup>& setup);

// Returns the memory for each logical GPU of a card that has `total` bytes:
// `sizes_mb` if there are any, otherwise one as the setup says. None may hold
// what the driver needs.
std::vector<GpuMemory> MemoryOfGpus(const GpuSetup& setup,
                                    const std::vector<double>& sizes_mb,
                                    size_t total);

}  // namespace millrace::cuda
