#include "millrace/exec/kernel_cache.h"

#include <exception>

#include "absl/strings/str_cat.h"
#include "millrace/base/threads/wait.h"
#include "millrace/exec/node_kind.h"
#include "millrace/kernel/host_arguments.h"

namespace millrace {
namespace {

// Whether the kernel of one node may run the other: it is made for the op, its
// attributes and its numbers of inputs and outputs.
bool AreAlike(const NodeInfo& one, const NodeInfo& other) {
  return one.op->name == other.op->name && one.attrs == other.attrs &&
         one.input_types == other.input_types &&
         one.output_types == other.output_types;
}

}  // namespace

// A kernel that is counted.
struct KernelCache::Made {
  Made(std::unique_ptr<Kernel> k, std::shared_ptr<std::atomic<int64_t>> c)
      : kernel(std::move(k)), count(std::move(c)) {
    count->fetch_add(1, std::memory_order_relaxed);
  }
  ~Made() { count->fetch_sub(1, std::memory_order_relaxed); }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;

  const std::unique_ptr<Kernel> kernel;
  const std::shared_ptr<std::atomic<int64_t>> count;
};

StatusOr<SharedKernel> KernelCache::Make(std::shared_ptr<const NodeInfo> node,
                                         Device& device,
                                         const FunctionLibrary* library) const {
  const KernelEntry* entry = nullptr;
  if (device.has_own_memory()) {
    MR_ASSIGN_OR_RETURN(
        PlacedKernel placed,
        FindPlacedKernel(*table_, device.type(), *node->op, node->attrs,
                         node->input_types, node->output_types));
    entry = placed.entry;
    auto info = std::make_shared<NodeInfo>(*node);
    info->host = std::make_shared<const HostArguments>(std::move(placed.host));
    node = std::move(info);
  } else {
    MR_ASSIGN_OR_RETURN(entry,
                        table_->Find(device.type(), *node->op, node->attrs));
    if (entry->make == OnHost) {
      MR_ASSIGN_OR_RETURN(entry, table_->Find("CPU", *node->op, node->attrs));
    }
  }
  SharedKernel shared;
  shared.cheap = entry->cheap;
  shared.views = entry->views;
  try {
    MR_ASSIGN_OR_RETURN(
        std::unique_ptr<Kernel> kernel,
        entry->make(KernelInit(*node, device, library, table_)));
    const Kernel* const made = kernel.get();
    shared.kernel = std::shared_ptr<const Kernel>(
        std::make_shared<const Made>(std::move(kernel), num_kernels_), made);
  } catch (const std::exception& e) {
    return Internal("making the kernel of op ", node->op->name,
                    " failed: ", e.what());
  }
  shared.info = std::move(node);
  return shared;
}

void KernelCache::SetLibrary(std::shared_ptr<const FunctionLibrary> library) {
  MutexLock lock(mu_);
  library_ = std::move(library);
}

StatusOr<SharedKernel> KernelCache::Get(
    std::shared_ptr<const NodeInfo> node, Device& device,
    const std::shared_ptr<const FunctionLibrary>& library,
    absl::string_view function) {
  MutexLock lock(mu_);
  const std::shared_ptr<const FunctionLibrary> kept =
      library != nullptr ? library : library_;
  const FunctionLibrary* const functions = kept.get();
  // Masters may reuse the name of a transfer in another graph.
  if (!node->op->Is(kStateful) || KindOf(*node->op) == NodeKind::kTransfer) {
    lock.Unlock();
    return Make(std::move(node), device, functions);
  }
  // With sizes: clients choose the names.
  const std::string key = absl::StrCat(
      device.name(), "\n", node->name.size(), ":", node->name, "\n",
      node->op->name.size(), ":", node->op->name, "\n", function);
  for (;;) {
    const auto it = stateful_.find(key);
    if (it != stateful_.end()) {
      if (AreAlike(*it->second.info, *node)) return it->second;
      lock.Unlock();
      return Make(std::move(node), device, functions);
    }
    if (making_.insert(key).second) break;
    WaitScope wait(absl::StrCat("the kernel of node ", node->name, " (",
                                node->op->name, "), which a thread makes"));
    one_made_.Wait(mu_);
  }
  lock.Unlock();
  StatusOr<SharedKernel> made = Make(std::move(node), device, functions);
  lock.Lock();
  making_.erase(key);
  one_made_.NotifyAll();  // after an error the next one tries
  if (made.ok()) stateful_.emplace(key, *made);
  return made;
}

}  // namespace millrace
