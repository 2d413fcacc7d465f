// KernelCache: makes kernels for plans, and keeps those of stateful ops.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/thread.h"
#include "millrace/exec/plan.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

// Kernels of stateful ops live as long as this cache (a worker session), by
// node name: a random op's stream goes on over different fetches. All others
// belong to the plan that asked. Thread-safe.
class KernelCache {
 public:
  explicit KernelCache(const KernelTable* table) : table_(table) {}

  // The functions that kernels made from now on may call. Libraries only grow;
  // old ones are kept, since kernels may look into them.
  void SetLibrary(std::shared_ptr<const FunctionLibrary> library);

  StatusOr<SharedKernel> Get(std::shared_ptr<const NodeInfo> node, Device& device);

 private:
  StatusOr<SharedKernel> Make(std::shared_ptr<const NodeInfo> node, Device& device,
                              const FunctionLibrary* library) const;

  const KernelTable* const table_;
  Mutex mu_;  // guards all below
  std::vector<std::shared_ptr<const FunctionLibrary>> libraries_;  // the last one counts
  absl::flat_hash_map<std::string, SharedKernel> stateful_;  // by device and node
};

}  // namespace millrace
