#include "millrace/cluster/worker/renamed_devices.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/base/memory/retire.h"
#include "millrace/device/devices.h"

namespace millrace {

RenamedDevices::~RenamedDevices() {
  for (auto& [name, device] : by_name_) Retire(std::move(device));
}

StatusOr<Device*> RenamedDevices::Find(Device& device, const TaskName& task) {
  // Two devices of one task differ in type or index, which renaming keeps.
  const std::string key = absl::StrCat(task.ToString(), "/", device.type(), ":",
                                       device.parsed_name().index.value_or(0));
  MutexLock lock(mu_);
  const auto found = by_name_.find(key);
  if (found != by_name_.end()) return found->second.get();
  if (by_name_.size() >= kMostNames) {
    return ResourceExhausted("Sessions have given ", kMostNames,
                             " names to the devices of this task; no session "
                             "can give it the new name ",
                             task.ToString());
  }
  std::unique_ptr<Device>& renamed = by_name_[key];
  renamed = RenameDevice(device, task.job, task.index);
  return renamed.get();
}

}  // namespace millrace
