#include "millrace/exec/kernel_cache.h"

#include <exception>

namespace millrace {

StatusOr<SharedKernel> KernelCache::Make(std::shared_ptr<const NodeInfo> node,
                                         Device& device) const {
  MR_ASSIGN(const KernelEntry* entry, table_->Find(device.type(), *node->op, node->attrs));
  SharedKernel shared;
  shared.cheap = entry->cheap;
  try {
    MR_ASSIGN(std::unique_ptr<Kernel> kernel,
              entry->make(KernelInit(*node, device, functions_)));
    shared.kernel = std::move(kernel);
  } catch (const std::exception& e) {
    return Internal("making the kernel of op ", node->op->name, " failed: ", e.what());
  }
  shared.info = std::move(node);
  return shared;
}

StatusOr<SharedKernel> KernelCache::Get(std::shared_ptr<const NodeInfo> node, Device& device) {
  if (!node->op->is_stateful) return Make(std::move(node), device);
  const std::string key = absl::StrCat(device.name(), "\n", node->name, "\n", node->op->name);
  MutexLock lock(mu_);
  auto it = stateful_.find(key);
  if (it != stateful_.end()) return it->second;
  MR_ASSIGN(SharedKernel made, Make(std::move(node), device));
  stateful_.emplace(key, made);
  return made;
}

}  // namespace millrace
