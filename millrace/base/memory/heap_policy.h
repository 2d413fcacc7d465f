// How the C library's malloc keeps memory, for programs that are servers.
#pragma once

namespace millrace {

// Messages of some megabytes come and go: by default each would be mapped and
// unmapped again, or the end of the heap given back and taken again, and every
// page of it be cleared by the system each time. Up to 4 MB are blocks of the
// heap from here on, and 16 MB of a heap's end stay (HeapTrim gives them back).
// Measured: feeds of 1 MB over gRPC 0.5 or 1.3 GB/s, by chance, and 1.6 to 2.3
// with it. Called once, before threads start; what the environment says
// (MALLOC_..., GLIBC_TUNABLES) is left as it is.
void KeepMessageMemory();

}  // namespace millrace
