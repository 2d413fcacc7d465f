#include "examples/distributed_cpp/cluster.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/millrace.h"

namespace millrace::distributed {
namespace {

constexpr char kContainer[] = "distributed";
// Names for the loopback network; nothing listens at such ports.
constexpr char kTasks[] =
    "ps=127.0.0.1:1001,127.0.0.1:1002;worker=127.0.0.1:1003,127.0.0.1:1004";

std::string Short(const std::string& device) {
  const auto name = DeviceName::Parse(device);
  if (!name.ok() || !name->job || !name->task) return device;
  return absl::StrCat(*name->job, " ", *name->task);
}

}  // namespace

StatusOr<std::unique_ptr<Cluster>> Cluster::InThisProcess() {
  auto cluster = std::make_unique<Cluster>(std::vector<std::string>());
  cluster->network_ = std::make_shared<LoopbackNetwork>();
  MR_ASSIGN_OR_RETURN(const ClusterSpec spec, ClusterSpec::Parse(kTasks));
  for (const TaskName& task : spec.Tasks()) {
    ServerOptions options;
    options.cluster = spec;
    options.task = task;
    options.transport = cluster->network_;
    options.ops = &DefaultOps();
    options.kernels = &DefaultKernels();
    MR_ASSIGN_OR_RETURN(std::unique_ptr<Server> server, Server::Start(options));
    if (task.job == "worker") cluster->targets_.push_back(server->target());
    cluster->servers_.push_back(std::move(server));
  }
  return cluster;
}

Cluster::Cluster(std::vector<std::string> worker_targets)
    : targets_(std::move(worker_targets)) {}

Cluster::~Cluster() {
  for (const auto& server : servers_) server->Stop(0);
}

SessionOptions Cluster::Master(int worker) const {
  return {.target = targets_[static_cast<size_t>(worker)],
          .transport = network_};
}

Scope Cluster::NewGraph() const {
  return Scope::NewRoot().WithContainer(kContainer);
}

Status Cluster::Reset() const { return Session::Reset(Master(), {kContainer}); }

StatusOr<std::map<std::string, std::string>> Placement(
    Session& session, const std::vector<Output>& fetches) {
  RunMetadata metadata;
  MR_RETURN_IF_ERROR(session
                         .Run({}, fetches, {},
                              {.options = {.output_partition_graphs = true},
                               .metadata = &metadata})
                         .status());
  std::map<std::string, std::string> where;
  for (const GraphDef& graph : metadata.partition_graphs) {
    for (const NodeDef& node : graph.nodes) {
      where[node.name] = Short(node.device);
    }
  }
  return where;
}

}  // namespace millrace::distributed
