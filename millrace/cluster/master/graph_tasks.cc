#include "millrace/cluster/master/graph_tasks.h"

#include "absl/container/flat_hash_set.h"

namespace millrace {

std::set<TaskName> TasksOfGraph(const GraphDef& def, const TaskName& self,
                                const ClusterSpec& cluster,
                                const TaskFilter& filter) {
  std::set<TaskName> tasks;
  if (!def.nodes.empty()) tasks.insert(self);
  absl::flat_hash_set<absl::string_view> seen;
  for (const NodeDef& node : def.nodes) {
    if (node.device.empty() || !seen.insert(node.device).second) continue;
    const StatusOr<DeviceName> device = DeviceName::Parse(node.device);
    if (!device.ok() || device->replica.value_or(0) != 0) continue;
    TaskName task = self;
    if (device->job) {
      const auto job = cluster.jobs().find(*device->job);
      if (job == cluster.jobs().end()) continue;
      task.job = *device->job;
      if (device->task) {
        task.index = *device->task;
      } else {
        for (const auto& [index, address] : job->second) {
          task.index = index;
          if (filter.Allows(task)) break;
        }
      }
    } else if (device->task) {
      task.index = *device->task;
    }
    if (cluster.Has(task) && filter.Allows(task)) tasks.insert(task);
  }
  return tasks;
}

}  // namespace millrace
