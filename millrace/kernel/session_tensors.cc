#include "millrace/kernel/session_tensors.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace millrace {

std::string SessionTensors::Add(absl::string_view node,
                                absl::string_view device, Tensor tensor) {
  MutexLock lock(mu_);
  std::string handle = absl::StrCat(node, ";", next_++, ";", device);
  tensors_.insert_or_assign(handle, std::move(tensor));
  return handle;
}

StatusOr<Tensor> SessionTensors::Find(absl::string_view handle) const {
  MutexLock lock(mu_);
  const auto it = tensors_.find(handle);
  if (it != tensors_.end()) return it->second;
  return InvalidArgument("The tensor with handle '", handle,
                         "' is not in the session store.");
}

Status SessionTensors::Delete(absl::string_view handle) {
  Tensor freed;  // after the lock is released
  MutexLock lock(mu_);
  const auto it = tensors_.find(handle);
  if (it == tensors_.end()) {
    return InvalidArgument("Failed to delete a tensor with handle '", handle,
                           "' in the session store.");
  }
  freed = std::move(it->second);
  tensors_.erase(it);
  lock.Unlock();
  return OkStatus();
}

void SessionTensors::Clear() {
  absl::flat_hash_map<std::string, Tensor> freed;  // after the lock is released
  MutexLock lock(mu_);
  freed.swap(tensors_);
  lock.Unlock();
}

}  // namespace millrace
