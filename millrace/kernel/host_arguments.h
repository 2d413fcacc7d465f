// HostArguments: which inputs and outputs of a node lie in host memory, on a
// device with memory of its own.
#pragma once

#include <vector>

#include "millrace/kernel/kernel_decl.h"

namespace millrace {

struct HostArguments {
  // By position; references like what they refer to.
  std::vector<bool> inputs;
  std::vector<bool> outputs;
  // Whether its kernel is the CPU's (OnHost) and all of them do, so that
  // temporary tensors do, too.
  bool all = false;
  // Whether its kernel is the CPU's and those of int32 do, so that temporary
  // tensors of int32 do, too.
  bool all_int32 = false;
  // Whether its kernel is the CPU's and works with the tensors inside of
  // variants, which then lie in host memory, too, and not where they were
  // computed.
  bool in_variants = false;
};

// The kernel of a node on a device with memory of its own.
struct PlacedKernel {
  const KernelEntry* entry = nullptr;  // the CPU's if it runs on the host
  HostArguments host;
};

// Finds the kernel of a node. A node of a function's body for which the device
// has none runs on the host, by the CPU's kernel, unless it uses a variable or
// another resource of the device: bodies run on one device as a whole, and may
// print or check something. Returns NOT_FOUND as KernelTable::Find;
// INVALID_ARGUMENT if the attributes do not fit the schema.
StatusOr<PlacedKernel> FindPlacedKernel(const KernelTable& table,
                                        absl::string_view device_type,
                                        const OpDef& op, const AttrMap& attrs,
                                        const DataTypeVector& input_types,
                                        const DataTypeVector& output_types);

}  // namespace millrace
