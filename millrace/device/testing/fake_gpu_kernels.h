// FakeGpuKernels: kernels of CPUs that a FakeGpuDevice runs, for tests of
// graphs over CPUs and GPUs.
#pragma once

#include <algorithm>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "millrace/base/check.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

// Returns the declarations of `ops` among those for CPUs, as declarations for
// GPUs: tests take what is not theirs from here, such as _Send and _Recv, and
// declare their own by MR_KERNELS(X, Gpu). A KernelTable refers to them. Ends
// the program if there are none of an op.
inline std::vector<KernelDecl> FakeGpuKernels(
    absl::Span<const KernelDecl* const> of_cpus,
    absl::Span<const absl::string_view> ops) {
  std::vector<KernelDecl> fakes;
  for (absl::string_view op : ops) {
    const auto it =
        std::find_if(of_cpus.begin(), of_cpus.end(),
                     [&](const KernelDecl* decl) { return op == decl->op; });
    MR_CHECK(it != of_cpus.end(), "no kernels for CPUs of op ", op);
    fakes.push_back({(*it)->op, internal::kKernelDeviceGpu, (*it)->list});
  }
  return fakes;
}

}  // namespace millrace
