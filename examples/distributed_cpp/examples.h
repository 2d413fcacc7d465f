// The examples of this folder, each of which prints what it finds.
#pragma once

#include "examples/distributed_cpp/cluster.h"

namespace millrace::distributed {

Status Pinning(const Cluster& cluster);
Status Sharding(const Cluster& cluster);
Status Containers(const Cluster& cluster);
Status Queues(const Cluster& cluster);
Status Preloading(const Cluster& cluster);
Status CsvReaders(const Cluster& cluster);
Status MultithreadedReaders(const Cluster& cluster);
Status Producers(const Cluster& cluster);
Status OneNetworkPerDevice(const Cluster& cluster);
Status EnsembleInGraph(const Cluster& cluster);
Status EnsembleBetweenGraphs(const Cluster& cluster);

}  // namespace millrace::distributed
