// TaskFilter: the tasks of a cluster that a session may use (device_filters).
#pragma once

#include <string>
#include <vector>

#include "millrace/cluster/cluster_spec.h"

namespace millrace {

// Immutable in use.
class TaskFilter {
 public:
  // Each filter is a partial device name ("/job:ps", "/job:worker/task:3"), of
  // which only job, replica and task count. No filters pass all tasks. `self`
  // always passes. Returns INVALID_ARGUMENT for a malformed filter.
  static StatusOr<TaskFilter> Make(const std::vector<std::string>& filters,
                                   TaskName self);
  // Passes all tasks.
  TaskFilter() = default;

  bool Allows(const TaskName& task) const;

 private:
  std::vector<DeviceName> filters_;
  TaskName self_;
};

}  // namespace millrace
