#include "millrace/cluster/master/task_filter.h"

#include <utility>

namespace millrace {

StatusOr<TaskFilter> TaskFilter::Make(const std::vector<std::string>& filters,
                                      TaskName self) {
  TaskFilter result;
  result.self_ = std::move(self);
  for (const std::string& text : filters) {
    StatusOr<DeviceName> filter = DeviceName::Parse(text);
    if (!filter.ok()) {
      return InvalidArgument("device_filters: ", filter.status().message(),
                             "; expected a name such as \"/job:ps\" or "
                             "\"/job:worker/task:0\"");
    }
    filter->type.reset();
    filter->index.reset();
    result.filters_.push_back(*std::move(filter));
  }
  return result;
}

bool TaskFilter::Allows(const TaskName& task) const {
  if (filters_.empty() || task == self_) return true;
  const DeviceName name = task.AsDeviceName();
  for (const DeviceName& filter : filters_) {
    if (filter.Matches(name)) return true;
  }
  return false;
}

}  // namespace millrace
