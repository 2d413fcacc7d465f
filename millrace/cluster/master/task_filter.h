// TaskFilter: which tasks of a cluster a session may use (device_filters).
#pragma once

#include <string>
#include <vector>

#include "millrace/cluster/cluster_spec.h"

namespace millrace {

// Immutable in use.
class TaskFilter {
 public:
  // Each filter is a device name with some parts ("/job:ps",
  // "/job:worker/task:3"); only job, replica and task count. None: all tasks.
  // `self` always passes. INVALID_ARGUMENT for a malformed one.
  static StatusOr<TaskFilter> Make(const std::vector<std::string>& filters,
                                   TaskName self);
  // All tasks.
  TaskFilter() = default;

  bool Sees(const TaskName& task) const;

 private:
  std::vector<DeviceName> filters_;
  TaskName self_;
};

}  // namespace millrace
