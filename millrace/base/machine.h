// The resources that the machine, or the container, grants to this process.
#pragma once

#include <cstdint>
#include <string>

namespace millrace {

// Returns the CPUs that this process may use: the affinity mask, limited by the
// cgroup quota (rounded up). At least 1.
int UsableCores();

// Returns the smallest of the cgroup limits and the machine's memory, in bytes.
int64_t UsableMemoryBytes();

// Returns an id that is the same for all processes since the machine was
// booted, which share one monotonic clock (clock.h); "" if unknown.
std::string MachineId();

}  // namespace millrace
