// TasksOfGraph: the tasks that a graph needs.
#pragma once

#include <set>

#include "millrace/cluster/cluster_spec.h"
#include "millrace/cluster/master/task_filter.h"
#include "millrace/graph/graph_def.h"

namespace millrace {

// Returns the tasks on which nodes of `def` may be placed, by the devices that
// they request: without a job it is `self`, without a task the job's lowest one
// that passes the filter. Devices that do not parse, or name no task of the
// cluster that passes the filter, are left out: the placer reports them. `self`
// is always included if there are nodes.
std::set<TaskName> TasksOfGraph(const GraphDef& def, const TaskName& self,
                                const ClusterSpec& cluster,
                                const TaskFilter& filter);

}  // namespace millrace
