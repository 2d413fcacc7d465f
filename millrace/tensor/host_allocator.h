// What stands behind HostAllocator().
#pragma once

#include "millrace/tensor/buffer.h"

namespace millrace {

// From now on HostAllocator() is `allocator`, which is never destroyed. For the
// owner of a better one than the C library's; outside simulations, once.
// Thread-safe: buffers know where they came from.
void SetHostAllocator(Allocator* allocator);

// Memory of the C library that is counted, but above the budget's limit, too.
Allocator* UnlimitedHostAllocator();

}  // namespace millrace
