// The demo: trains a classifier of clothes on a small cluster of this machine.
//
// The launcher starts parameter servers and worker servers (`millrace server`)
// and one client a worker (this program again), which train one network
// asynchronously: each builds the same graph, with the variables on the ps.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "examples/demo/client.h"
#include "examples/demo/default_folder.h"
#include "examples/demo/demo_options.h"
#include "examples/demo/launcher.h"
#include "examples/support/fashion_mnist.h"
#include "examples/support/server_processes.h"
#include "examples/support/usage.h"

namespace {

using millrace::demo::ClientOptions;
using millrace::demo::DemoOptions;

const std::vector<std::string> kOptimizers = {"sgd", "momentum", "adam"};

void AddOptions(CLI::App* app, DemoOptions* o, ClientOptions* client) {
  app->add_option("--ps", o->ps, "parameter servers")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app->add_option("--workers", o->workers, "workers, each with a client")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app->add_option("--epochs", o->epochs,
                  "passes over the training set, of all workers together")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app->add_option("--batch", o->batch, "examples in a step of one worker")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app->add_option("--seed", o->seed, "of initial values and shuffling")
      ->capture_default_str();
  app->add_option("--optimizer", o->optimizer, "sgd, momentum or adam")
      ->check(CLI::IsMember(kOptimizers))
      ->capture_default_str();
  app->add_option("--learning_rate", o->learning_rate,
                  "0: one that suits the optimizer")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_option("--dir", o->dir,
                  "where checkpoints, events and logs go; a new training "
                  "deletes those of an older one")
      ->capture_default_str();
  app->add_flag("--resume", o->resume, "go on from the newest checkpoint");
  app->add_option("--checkpoint_seconds", o->checkpoint_seconds,
                  "between checkpoints, of which the newest 5 are kept")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app->add_option("--values", o->values,
                  "folder for the variables at the end, as the servers have "
                  "them, in files of NumPy");
  app->add_option("--data", o->data, "folder of the four files of the data set")
      ->capture_default_str();
  app->add_option("--server", o->server, "the command `millrace`")
      ->capture_default_str();
  // How the launcher starts its clients.
  app->add_option("--client_index", client->index)->group("");
  app->add_option("--client_target", client->target)->group("");
  app->add_flag("--client_chief", client->chief)->group("");
}

}  // namespace

int main(int argc, char** argv) {
  DemoOptions options;
  options.dir = millrace::demo::DefaultFolder();
  options.data = millrace::examples::DefaultDataFolder();
  options.server = millrace::examples::ServerBesideProgram();
  ClientOptions client;
  CLI::App app(
      "Trains a classifier of Fashion-MNIST on a cluster of processes on this "
      "machine. Exit codes: 0 trained; 1 not trained to the end; 3 trained, "
      "but workers were lost; 2 wrong usage; 130 interrupted.",
      "demo");
  AddOptions(&app, &options, &client);
  if (const auto end =
          millrace::examples::ParseArguments(app, argc, argv, kOptimizers)) {
    return *end;
  }
  return client.target.empty() ? millrace::demo::RunLauncher(options)
                               : millrace::demo::RunClient(options, client);
}
