// Placement, shared state, queues and input, step by step, by the C++ client:
//
//   distributed_cpp                         all examples, on servers in here
//   distributed_cpp queues                  one of them
//   distributed_cpp queues grpc://h:p ...   on a cluster, by its workers
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "examples/distributed_cpp/examples.h"
#include "examples/support/usage.h"

namespace {

using namespace millrace;               // NOLINT
using namespace millrace::distributed;  // NOLINT

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

// Runs what is called `name`, or all.
Status RunExamples(const std::string& name, const Cluster& cluster) {
  for (const auto& example : kExamples) {
    if (!name.empty() && name != example.name) continue;
    if (name.empty()) std::printf("== %s\n", example.name);
    MR_RETURN_IF_ERROR(cluster.Reset());
    MR_RETURN_IF_ERROR(example.run(cluster));
  }
  return OkStatus();
}

Status Run(const std::string& name, const std::vector<std::string>& targets) {
  if (!targets.empty()) return RunExamples(name, Cluster(targets));
  MR_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster,
                      Cluster::InThisProcess());
  return RunExamples(name, *cluster);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names;
  for (const auto& example : kExamples) names.push_back(example.name);
  std::string name;
  std::vector<std::string> targets;
  CLI::App app("Placement, shared state, queues and input, step by step.",
               "distributed_cpp");
  app.add_option("example", name,
                 "one of " + absl::StrJoin(names, ", ") + "; without: all")
      ->check(CLI::IsMember(names));
  app.add_option("targets", targets,
                 "the workers of a cluster with two ps and two workers, "
                 "grpc://host:port; without: servers in this process");
  if (const auto end = examples::ParseArguments(app, argc, argv, names))
    return *end;
  const Status status = Run(name, targets);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
