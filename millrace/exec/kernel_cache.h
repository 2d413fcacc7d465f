// KernelCache: makes kernels for plans, and keeps those of stateful ops.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "millrace/base/threads/thread.h"
#include "millrace/exec/plan.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

// Kernels of stateful ops live as long as this cache (a worker session), by
// device, function, node and op: a random op's stream continues over different
// fetches.
// Transfers, nodes whose attributes differ from those of the existing kernel,
// and all other ops get kernels that belong to the requesting plan.
// Thread-safe.
class KernelCache {
 public:
  explicit KernelCache(const KernelTable* table) : table_(table) {}

  const KernelTable& table() const { return *table_; }

  // Sets the functions that kernels made from now on may call.
  void SetLibrary(std::shared_ptr<const FunctionLibrary> library);

  // `library` has the functions that the kernel may call; null: those of the
  // last SetLibrary. `function` names the function in whose body the node is,
  // since bodies may have nodes of the same name; "": none.
  StatusOr<SharedKernel> Get(
      std::shared_ptr<const NodeInfo> node, Device& device,
      const std::shared_ptr<const FunctionLibrary>& library = nullptr,
      absl::string_view function = "");

  // Returns the number of live kernels that this cache has made, whoever holds
  // them.
  int64_t num_kernels() const {
    return num_kernels_->load(std::memory_order_relaxed);
  }

 private:
  struct Made;
  StatusOr<SharedKernel> Make(std::shared_ptr<const NodeInfo> node,
                              Device& device,
                              const FunctionLibrary* library) const;

  const KernelTable* const table_;
  // Shared, since kernels may outlive the cache.
  const std::shared_ptr<std::atomic<int64_t>> num_kernels_ =
      std::make_shared<std::atomic<int64_t>>(0);
  Mutex mu_;                                        // guards all below
  std::shared_ptr<const FunctionLibrary> library_;  // of the last SetLibrary
  absl::flat_hash_map<std::string, SharedKernel>
      stateful_;  // by device, function and node
  // Keys of `stateful_` whose kernels a thread is making, without the lock:
  // that may take a compilation.
  absl::flat_hash_set<std::string> making_;
  CondVar one_made_;
};

}  // namespace millrace
