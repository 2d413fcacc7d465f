// The functions that the stand-in for the driver exports, with the types that
// the list of calls gives them.
#pragma once

#include "millrace/device/cuda/driver_api.h"

#pragma GCC visibility push(default)
namespace millrace::cuda {
#define MR_STANDIN_DECLARE(Name, symbol, parameters) \
  extern "C" Result symbol parameters;
MILLRACE_CUDA_DRIVER_CALLS(MR_STANDIN_DECLARE)
#undef MR_STANDIN_DECLARE
}  // namespace millrace::cuda
#pragma GCC visibility pop
