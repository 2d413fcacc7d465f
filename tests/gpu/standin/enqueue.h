// What the stand-in's driver offers to its other libraries and to tests, beside
// the driver's calls.
#pragma once

#include "millrace/device/cuda/driver_api.h"

#pragma GCC visibility push(default)
extern "C" {

// Runs a function in the order of a stream of the current context, while memory
// of its device can be accessed. After an error of the context it does not run.
// Returns the driver's error, 0 if there is none. `data` lives until it has
// run.
int millraceStandInEnqueue(millrace::cuda::Stream stream,
                           void (*run)(void* data), void* data);

// Says, in the order of a stream, that bytes within a block of memory are in
// use from then on, or are not. Their content is lost: it becomes NaN, or -1.
// With the address sanitizer, accesses to what is not in use are errors. For
// allocators that divide blocks.
int millraceStandInMark(millrace::cuda::Stream stream,
                        millrace::cuda::DevicePointer address, size_t bytes,
                        int in_use);
}
#pragma GCC visibility pop
