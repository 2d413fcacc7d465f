// Placement, shared state, queues and input, step by step, by the C++ client:
//
//   chapter12_cpp                         all examples, on servers in here
//   chapter12_cpp queues                  one of them
//   chapter12_cpp queues grpc://h:p ...   on a cluster, by its workers
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "examples/chapter12_cpp/examples.h"

namespace {

using namespace millrace;             // NOLINT
using namespace millrace::chapter12;  // NOLINT

constexpr struct {
  const char* name;
  Status (*run)(const Cluster& cluster);
} kExamples[] = {
    {"pinning", Pinning},
    {"sharding", Sharding},
    {"containers", Containers},
    {"queues", Queues},
    {"preloading", Preloading},
    {"csv_readers", CsvReaders},
    {"multithreaded_readers", MultithreadedReaders},
    {"producers", Producers},
    {"one_network_per_device", OneNetworkPerDevice},
    {"ensemble_in_graph", EnsembleInGraph},
    {"ensemble_between_graphs", EnsembleBetweenGraphs},
};

// Runs what is called `name`, or all; NOT_FOUND if there is nothing.
Status RunExamples(const std::string& name, const Cluster& cluster) {
  bool found = false;
  for (const auto& example : kExamples) {
    if (!name.empty() && name != example.name) continue;
    found = true;
    if (name.empty()) std::printf("== %s\n", example.name);
    MR_RETURN_IF_ERROR(cluster.Reset());
    MR_RETURN_IF_ERROR(example.run(cluster));
  }
  return found ? OkStatus() : NotFound("there is no example '", name, "'");
}

Status Main(const std::vector<std::string>& arguments) {
  const std::string name = arguments.empty() ? "" : arguments[0];
  if (arguments.size() > 1) {
    return RunExamples(name, Cluster({arguments.begin() + 1, arguments.end()}));
  }
  MR_ASSIGN(const std::unique_ptr<Cluster> cluster, Cluster::InThisProcess());
  return RunExamples(name, *cluster);
}

}  // namespace

int main(int argc, char** argv) {
  const Status status = Main({argv + 1, argv + argc});
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
