// What the machine, or the container, grants to this process.
#pragma once

#include <cstdint>
#include <string>

namespace millrace {

// CPUs that this process may use: affinity mask and cgroup quota (rounded up).
// At least 1.
int UsableCores();

// The least of the cgroup limits and the machine's memory, in bytes.
int64_t UsableMemoryBytes();

// The same for all processes of one start of one machine, whose monotonic clock
// (clock.h) is one; "" if there is no telling.
std::string MachineId();

}  // namespace millrace
