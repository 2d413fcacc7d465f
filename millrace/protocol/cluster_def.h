// Clusters, jobs, tasks and servers, as messages describe them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "millrace/protocol/config.h"

namespace millrace {

// The devices that the tasks of a job see, by task index; if none is listed,
// all.
struct TaskDeviceFilters {
  std::vector<std::string> device_filters;
};
struct JobDeviceFilters {
  std::string name;
  std::map<int32_t, TaskDeviceFilters> tasks;
};
struct ClusterDeviceFilters {
  std::vector<JobDeviceFilters> jobs;
};

struct ServerDef {
  ClusterDef cluster;  // empty: the receiver's own
  std::string job_name;
  int32_t task_index = 0;
  ConfigOptions default_session_config;
  std::string protocol;  // "grpc"
  int32_t port = 0;      // overrides the cluster's entry
  ClusterDeviceFilters cluster_device_filters;
  int32_t replica = 0;
  std::string unknown_fields;
};

}  // namespace millrace
