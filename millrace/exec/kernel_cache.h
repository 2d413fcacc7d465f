// KernelCache: makes kernels for plans, and keeps those of stateful ops.
#pragma once

#include <memory>
#include <string>

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
  KernelCache(const KernelTable* table, const FunctionLibrary* functions)
      : table_(table), functions_(functions) {}

  StatusOr<SharedKernel> Get(std::shared_ptr<const NodeInfo> node, Device& device);

 private:
  StatusOr<SharedKernel> Make(std::shared_ptr<const NodeInfo> node, Device& device) const;

  const KernelTable* const table_;
  const FunctionLibrary* const functions_;
  Mutex mu_;
  absl::flat_hash_map<std::string, SharedKernel> stateful_;  // by device and node
};

}  // namespace millrace
