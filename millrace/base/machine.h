// What the machine, or the container, grants to this process.
#pragma once

#include <cstdint>

namespace millrace {

// CPUs that this process may use: affinity mask and cgroup quota (rounded up).
// At least 1.
int UsableCores();

// The least of the cgroup limits and the machine's memory, in bytes.
int64_t UsableMemoryBytes();

}  // namespace millrace
