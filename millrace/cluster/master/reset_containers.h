// ResetContainers: frees the resources in named containers, on all tasks.
#pragma once

#include <string>
#include <vector>

#include "millrace/cluster/master/environment.h"
#include "millrace/cluster/master/task_filter.h"

namespace millrace {

// Calls CleanupAll on each task that passes the filter. A task that never
// answered this server holds no resources of its sessions, and is only named in
// the log; ABORTED names those that answered before and do not now.
void ResetContainers(MasterEnvironment& environment,
                     const std::vector<std::string>& containers,
                     const TaskFilter& filter, CallContext& context, Done done);

}  // namespace millrace
