// The driver library, loaded.
#pragma once

#include <string>

#include "millrace/base/status.h"
#include "millrace/device/cuda/driver_api.h"
#include "millrace/device/cuda/libraries.h"

namespace millrace::cuda {

// Its calls by name: driver.MemAlloc(&address, bytes).
struct Driver {
#define MR_CUDA_CALL(Name, symbol, parameters) \
  Result(*Name) parameters = nullptr;
  MILLRACE_CUDA_DRIVER_CALLS(MR_CUDA_CALL)
#undef MR_CUDA_CALL
  // 1000 * major + 10 * minor of the newest CUDA that it knows.
  int version = 0;
  // The stand-in of the tests has this call, and NVIDIA's driver has not (then
  // it is null): in the stream's order, memory is now in use, or is not, so
  // that reads of what nobody wrote or of what was freed are found.
  int (*Mark)(Stream stream, DevicePointer address, size_t bytes,
              int in_use) = nullptr;
};

inline constexpr int kOldestDriver = 11040;

// Returns the driver of this process, loaded and initialized by the first call.
// Returns NOT_FOUND without the library, FAILED_PRECONDITION that names both
// versions if it is too old, and UNAVAILABLE with the driver's error if it does
// not work or has no device. The answer is the same for all calls.
StatusOr<const Driver*> ProcessDriver();

// Does the same anew with a library, for ProcessDriver and tests.
StatusOr<Driver> InitializeDriver(const Library& library);

// Returns "12.4" of a version of CUDA as the driver writes it, 12040.
std::string VersionText(int version);

// Returns "CUDA_ERROR_OUT_OF_MEMORY: out of memory".
std::string ErrorText(const Driver& driver, Result error);

// Whether all later calls for the context will fail, too, or nobody knows what
// it still does.
bool IsSticky(Result error);

}  // namespace millrace::cuda
