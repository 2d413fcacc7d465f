// The kernel of Reshape, which other ops share.
#pragma once

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// Sets output 0 to input 0 with the shape that input 1 holds; they share the
// buffer. Returns INVALID_ARGUMENT if the numbers of elements differ.
Status RunReshape(KernelContext& ctx);

}  // namespace millrace::ops
