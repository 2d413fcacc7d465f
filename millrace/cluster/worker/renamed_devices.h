// RenamedDevices: a worker's devices under the names that sessions give to its
// task.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "millrace/base/threads/thread.h"
#include "millrace/cluster/cluster_spec.h"
#include "millrace/kernel/device.h"

namespace millrace {

// They stay until the worker ends, since a resource that a session leaves may
// refer to the device by which it was made. Thread-safe.
class RenamedDevices {
 public:
  RenamedDevices() = default;
  // The resources of the devices must be cleared before.
  ~RenamedDevices();
  RenamedDevices(const RenamedDevices&) = delete;
  RenamedDevices& operator=(const RenamedDevices&) = delete;

  // Returns `device` as that of `task`, the same object for the same names.
  // Returns RESOURCE_EXHAUSTED if there are too many names.
  StatusOr<Device*> Find(Device& device, const TaskName& task);

 private:
  static constexpr size_t kMostNames = 4096;

  Mutex mu_;  // guards all below
  std::map<std::string, std::unique_ptr<Device>> by_name_;
};

}  // namespace millrace
