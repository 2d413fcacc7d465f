// ReplicaDeviceSetter: places the variables of a replica on the parameter
// servers and everything else on the replica's worker.
//
//   Scope s = Scope::NewRoot().WithDevice(ReplicaDeviceSetter(
//       {.ps_tasks = 2, .worker_device = "/job:worker/task:1"}));
//
// Between-graph replicas that build the same graph with the same options place
// each variable on the same task.
//
// LOCAL VARIABLES TOO, as in TensorFlow: those of graph_keys::kLocalVariables,
// such as the counters of metrics.h and of epochs (input_producers.h), are
// placed on a ps and shared by all replicas. Each replica increments them, and
// every LocalVariablesInitializer, which each MonitoredSession runs when it
// starts and when it recovers, resets them for all. To give a replica variables
// of its own, build them with its worker's device:
//
//   Scope own = s.WithDevice("/job:worker/task:1");
//   LimitEpochs(own, tensor, 2);
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "millrace/client/device_block.h"
#include "millrace/cluster/cluster_spec.h"

namespace millrace::train {

// Returns the ps task for a node; called once per node in the order of
// building.
using PsStrategy = std::function<int(const Node& node)>;

// Returns task 0, 1, ..., 0, 1, ... in turn. Requires: `tasks` > 0.
PsStrategy RoundRobin(int tasks);
// Returns the task with the fewest bytes so far, the first of equal ones.
PsStrategy LeastBytes(int tasks);
// Returns the size of a node's state, by its attributes shape and dtype; 0 if
// they do not tell.
int64_t StateBytes(const Node& node);

struct ReplicaDeviceSetterOptions {
  int ps_tasks = 0;  // 0: as many as `cluster` has; if it has none, no effect
  ClusterSpec cluster;
  std::string ps_device = "/job:ps";  // its job names the job in `cluster`
  std::string worker_device = "/job:worker";
  // Ops that are placed on a ps; empty: those that hold state (variables,
  // tables).
  std::vector<std::string> ps_ops;
  PsStrategy strategy;  // empty: RoundRobin
};

// Returns a device function for Scope::WithDevice. Inner device blocks override
// it, part by part. A malformed device of the options becomes an error of the
// scope at the first op. Copies share the strategy's state; use it for one
// graph.
DeviceFunction ReplicaDeviceSetter(const ReplicaDeviceSetterOptions& options);

}  // namespace millrace::train
