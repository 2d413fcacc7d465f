#include "millrace/exec/kernel_cache.h"

#include <exception>

namespace millrace {

StatusOr<SharedKernel> KernelCache::Make(std::shared_ptr<const NodeInfo> node,
                                         Device& device,
                                         const FunctionLibrary* library) const {
  MR_ASSIGN(const KernelEntry* entry, table_->Find(device.type(), *node->op, node->attrs));
  SharedKernel shared;
  shared.cheap = entry->cheap;
  try {
    MR_ASSIGN(std::unique_ptr<Kernel> kernel,
              entry->make(KernelInit(*node, device, library)));
    shared.kernel = std::move(kernel);
  } catch (const std::exception& e) {
    return Internal("making the kernel of op ", node->op->name, " failed: ", e.what());
  }
  shared.info = std::move(node);
  return shared;
}

void KernelCache::SetLibrary(std::shared_ptr<const FunctionLibrary> library) {
  MutexLock lock(mu_);
  if (libraries_.empty() || libraries_.back() != library) libraries_.push_back(std::move(library));
}

StatusOr<SharedKernel> KernelCache::Get(std::shared_ptr<const NodeInfo> node, Device& device) {
  MutexLock lock(mu_);
  const FunctionLibrary* library = libraries_.empty() ? nullptr : libraries_.back().get();
  if (!node->op->is_stateful) {
    lock.Unlock();
    return Make(std::move(node), device, library);
  }
  const std::string key = absl::StrCat(device.name(), "\n", node->name, "\n", node->op->name);
  auto it = stateful_.find(key);
  if (it != stateful_.end()) return it->second;
  MR_ASSIGN(SharedKernel made, Make(std::move(node), device, library));
  stateful_.emplace(key, made);
  return made;
}

}  // namespace millrace
