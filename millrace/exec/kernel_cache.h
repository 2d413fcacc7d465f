// KernelCache: makes kernels for plans, and keeps those of stateful ops.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "millrace/base/thread.h"
#include "millrace/exec/plan.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

// Kernels of stateful ops live as long as this cache (a worker session), by
// device, node and op: a random op's stream goes on over different fetches.
// Transfers, nodes whose attributes differ from those of the kernel that is
// there, and all other ops get kernels that belong to the plan that asked.
// Thread-safe.
class KernelCache {
 public:
  explicit KernelCache(const KernelTable* table) : table_(table) {}

  const KernelTable& table() const { return *table_; }

  // The functions that kernels made from now on may call. Libraries only grow;
  // old ones are kept, since kernels may look into them.
  void SetLibrary(std::shared_ptr<const FunctionLibrary> library);

  // `library`: the functions that the kernel may call; null: those of the last
  // SetLibrary. Kept as long as this cache.
  StatusOr<SharedKernel> Get(
      std::shared_ptr<const NodeInfo> node, Device& device,
      const std::shared_ptr<const FunctionLibrary>& library = nullptr);

 private:
  StatusOr<SharedKernel> Make(std::shared_ptr<const NodeInfo> node,
                              Device& device,
                              const FunctionLibrary* library) const;

  const KernelTable* const table_;
  Mutex mu_;                                        // guards all below
  std::shared_ptr<const FunctionLibrary> library_;  // of the last SetLibrary
  absl::flat_hash_set<std::shared_ptr<const FunctionLibrary>>
      libraries_;  // kept
  absl::flat_hash_map<std::string, SharedKernel>
      stateful_;  // by device and node
};

}  // namespace millrace
