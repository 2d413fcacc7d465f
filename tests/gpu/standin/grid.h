// Runs whole kernels, and turns what goes wrong in them into the driver's
// errors.
#pragma once

#include "tests/gpu/standin/block_runner.h"

namespace millrace::cuda::standin {

// Runs all blocks of a kernel, over a few threads of the machine if there are
// many. Returns 0 or the first error that ended a block.
int RunGrid(const Launch& launch);

// Makes signals that code of a kernel causes its error, once. Others go to who
// handled them before.
void HandleFaults();

}  // namespace millrace::cuda::standin
