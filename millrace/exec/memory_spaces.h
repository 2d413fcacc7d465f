// Memory spaces: where the values of a partition lie, on a device with memory
// of its own.
//
// Kernel tables say which arguments of a node lie in host memory
// (KernelEntry::host). Constants, and what a step is given and gives, lie
// there, too. Where a node wants a value in the other memory, a copy is put
// between: _CopyToHost, which ends when the device has written the value, or
// _CopyToDevice, which keeps the copy of a constant. A process does this for
// its own devices, so masters need not know its kernels.
// docs/design/0021-memory-spaces.md has the reasons.
#pragma once

#include "millrace/graph/graph.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

// Says where arguments and results of a plan lie.
enum class SlotMemory : uint8_t {
  kHost,      // in host memory: those of a step
  kByType,    // where their type lies: those of a call on the caller's device
  kTestable,  // arguments as kByType, results in host memory: a condition's
};

// Returns whether arguments and results of calls lie in host memory: all that
// are not plain, and int32, with which shapes and loops are computed.
constexpr bool LiesOnHost(DataType type) {
  return !IsPlain(type) || RemoveRef(type) == DataType::kInt32;
}

// Returns `graph`, the partition of `device`, with the copies that it needs.
// Transfers from and to other tasks and other kinds of devices become
// _HostSend and _HostRecv; between such devices of one task values stay in
// their memory. Returns NOT_FOUND for a node without a kernel.
StatusOr<Graph> WithMemorySpaces(const Graph& graph, const Device& device,
                                 const KernelTable& kernels, SlotMemory slots);

}  // namespace millrace
