// Which tasks a graph needs.
#pragma once

#include <set>

#include "millrace/cluster/cluster_spec.h"
#include "millrace/cluster/master/task_filter.h"
#include "millrace/graph/graph_def.h"

namespace millrace {

// The tasks on which nodes of `def` may be placed, by the devices that they
// ask for: without a job it is `self`, without a task the job's lowest one that
// the filter sees. What does not parse, or names no task of the cluster that
// the filter sees, is left out: the placer says what is wrong with it. `self`
// is always in it if there are nodes.
std::set<TaskName> TasksOfGraph(const GraphDef& def, const TaskName& self,
                                const ClusterSpec& cluster,
                                const TaskFilter& filter);

}  // namespace millrace
