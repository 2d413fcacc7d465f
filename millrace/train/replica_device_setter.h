// ReplicaDeviceSetter: puts the variables of a replica on the parameter servers
// and everything else on the replica's worker.
//
//   Scope s = Scope::NewRoot().WithDevice(ReplicaDeviceSetter(
//       {.ps_tasks = 2, .worker_device = "/job:worker/task:1"}));
//
// Between-graph replicas that build the same graph with the same options put
// each variable on the same task.
//
// LOCAL VARIABLES TOO, as in TensorFlow: those of graph_keys::kLocalVariables,
// such as the counters of metrics.h and of epochs (input_producers.h), go to a
// ps and are one for all replicas. Each replica counts them on, and whoever
// runs LocalVariablesInitializer, as each MonitoredSession does when it starts
// and when it recovers, sets them back for all. What a replica is to have to
// itself is built where its worker is asked for:
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

// The ps task for a node, called once a node in the order of building.
using PsStrategy = std::function<int(const Node& node)>;

// Task 0, 1, ..., 0, 1, ... `tasks` > 0.
PsStrategy RoundRobin(int tasks);
// The task with the fewest bytes so far, the first of equal ones.
PsStrategy LeastBytes(int tasks);
// What a node's state holds, by its attributes shape and dtype; 0 if they do
// not tell.
int64_t StateBytes(const Node& node);

struct ReplicaDeviceSetterOptions {
  int ps_tasks = 0;  // 0: as many as `cluster` has; without any, no effect
  ClusterSpec cluster;
  std::string ps_device = "/job:ps";  // its job names the job in `cluster`
  std::string worker_device = "/job:worker";
  // Ops that go to a ps; empty: those that hold state (variables, tables).
  std::vector<std::string> ps_ops;
  PsStrategy strategy;  // empty: RoundRobin
};

// What blocks further in ask for wins, part by part. A malformed device of the
// options becomes an error of the scope at the first op. Copies share the
// strategy's state; used by one graph.
DeviceFunction ReplicaDeviceSetter(ReplicaDeviceSetterOptions options);

}  // namespace millrace::train
