// Networks that train on two parameter servers and a worker for each client:
//
//   networks fashion_cnn              on servers that it starts
//   networks license_lstm --small     a smaller network, in seconds
//   networks split_embedding --rows 5000000 grpc://h:p grpc://h:p
//                                     on a cluster that runs, by its workers
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "examples/networks/networks.h"
#include "examples/support/usage.h"

namespace {

using namespace millrace;            // NOLINT
using namespace millrace::networks;  // NOLINT

const std::vector<std::string> kNetworks = {"fashion_cnn", "license_lstm",
                                            "split_embedding"};

Status TrainNetwork(const std::string& name, Cluster& cluster,
                    const TrainingOptions& options) {
  if (name == "fashion_cnn") return FashionCnn(cluster, options);
  if (name == "license_lstm") return LicenseLstm(cluster, options);
  return SplitEmbedding(cluster, options);
}

// As the chief: everything that is not there yet, then the training.
Status Launch(const std::string& name, const TrainingOptions& options,
              const std::string& server,
              const std::vector<std::string>& targets,
              const std::vector<std::string>& arguments) {
  std::unique_ptr<Cluster> cluster;
  if (targets.empty()) {
    MR_ASSIGN_OR_RETURN(cluster, Cluster::Start(server, options.clients));
  } else {
    cluster = Cluster::Running(targets);
    // What an earlier training left.
    MR_RETURN_IF_ERROR(Session::Reset(cluster->Master(0), {kContainer}));
  }
  MR_RETURN_IF_ERROR(cluster->StartClients(arguments, options.clients));
  MR_RETURN_IF_ERROR(TrainNetwork(name, *cluster, options));
  return cluster->DeleteLogs();
}

Status TrainAsClient(const std::string& name, const TrainingOptions& options,
                     const std::vector<std::string>& targets) {
  const std::unique_ptr<Cluster> cluster = Cluster::Running(targets);
  return TrainNetwork(name, *cluster, options);
}

}  // namespace

int main(int argc, char** argv) {
  std::string name;
  std::vector<std::string> targets;
  std::string server = examples::ServerBesideProgram();
  TrainingOptions options;
  CLI::App app(
      "Trains a network on two parameter servers and a worker for each client.",
      "networks");
  app.add_option("network", name, "fashion_cnn, license_lstm, split_embedding")
      ->required()
      ->check(CLI::IsMember(kNetworks));
  app.add_option("targets", targets,
                 "the workers of a cluster, grpc://host:port; without: servers "
                 "that end with the training");
  app.add_flag("--small", options.is_small, "a smaller network, in seconds");
  app.add_option("--steps", options.steps, "of all clients together")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--batch", options.batch, "examples in a step")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--workers", options.clients,
                 "each with a client; 1: every run gives the same numbers")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--rows", options.rows, "of the embedding's table")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--data", options.data, "folder of the data set");
  app.add_option("--server", server, "the command `millrace`")
      ->capture_default_str();
  // How the chief starts the others.
  app.add_option("--client", options.client)->group("");
  if (const auto end = examples::ParseArguments(app, argc, argv, kNetworks))
    return *end;
  const Status status =
      options.client > 0
          ? TrainAsClient(name, options, targets)
          : Launch(name, options, server, targets, {argv + 1, argv + argc});
  if (status.ok()) return 0;
  std::fprintf(stderr, "networks: %s\n", status.ToString().c_str());
  return 1;
}
