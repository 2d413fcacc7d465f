// Returns the tables of all kernel declarations, which the build writes: one
// for each device that MR_KERNELS names.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

// Returns the declarations of the files *.cpu.cc.
absl::Span<const KernelDecl* const> AllCpuKernels();
// Returns those of the files *.gpu.cc. There are none yet.
absl::Span<const KernelDecl* const> AllGpuKernels();

// Returns the declarations for all devices, from which servers and sessions
// build their KernelTable.
inline std::vector<const KernelDecl*> AllKernels() {
  std::vector<const KernelDecl*> all;
  for (const auto& table : {AllCpuKernels(), AllGpuKernels()}) {
    all.insert(all.end(), table.begin(), table.end());
  }
  return all;
}

}  // namespace millrace
