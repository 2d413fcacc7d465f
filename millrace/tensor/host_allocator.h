// Sets the allocator that HostAllocator() returns.
#pragma once

#include "millrace/tensor/buffer.h"

namespace millrace {

// Makes HostAllocator() return `allocator`, which must never be destroyed,
// instead of the C library's. May be called once, outside simulations.
// Thread-safe: buffers know their allocator.
void SetHostAllocator(Allocator* allocator);

// Returns an allocator of the C library's memory that counts its bytes, but
// does not fail above the budget's limit.
Allocator* UnlimitedHostAllocator();

}  // namespace millrace
