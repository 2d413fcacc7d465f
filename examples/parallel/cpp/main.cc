// Parallel training, by the C++ client and the training library:
//
//   millrace_parallel --list
//   millrace_parallel data_parallel --small
//   millrace_parallel spare_replicas --out results
//
// Each program starts the servers that it trains on, `millrace server`, prints
// its tables and, with --out, writes them as TABLE.md, with pictures.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "examples/parallel/cpp/parallel.h"
#include "examples/support/server_processes.h"
#include "examples/support/usage.h"

namespace {

using namespace millrace;            // NOLINT
using namespace millrace::parallel;  // NOLINT

#define MR_PARALLEL_ENTRY(function, name, sentence) {name, sentence, function},
constexpr struct {
  const char* name;
  const char* sentence;
  Status (*run)(const Options& options);
} kPrograms[] = {MR_PARALLEL_PROGRAMS(MR_PARALLEL_ENTRY)};
#undef MR_PARALLEL_ENTRY

int List() {
  for (const auto& program : kPrograms) {
    std::printf("%-24s%s\n", program.name, program.sentence);
  }
  return 0;
}

Status RunProgram(const std::string& name, const Options& options) {
  for (const auto& program : kPrograms) {
    if (name == program.name) return program.run(options);
  }
  return InvalidArgument("no program is called '", name, "'; --list has all");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names;
  for (const auto& program : kPrograms) names.push_back(program.name);
  std::string name;
  bool lists = false;
  Options options;
  options.server = examples::ServerBesideProgram();
  CLI::App app("Trains networks on several servers, in several ways.",
               "millrace_parallel");
  CLI::Option* const program = app.add_option("program", name, "see --list")
                                   ->check(CLI::IsMember(names));
  CLI::Option* const list =
      app.add_flag("--list", lists, "show the programs, and end");
  app.add_flag("--small", options.is_small,
               "small networks and few steps, in seconds");
  app.add_option("--out", options.out,
                 "a folder for TABLE.md and the pictures; made if need be");
  app.add_option("--data", options.data,
                 "the folder of Fashion-MNIST; without: where Debian has it, "
                 "and generated images where it has none");
  app.add_option("--seed", options.seed, "of initial values and orders")
      ->capture_default_str();
  app.add_option("--server", options.server, "the command `millrace`")
      ->capture_default_str();
  program->excludes(list);
  if (const auto end = examples::ParseArguments(app, argc, argv, names))
    return *end;
  if (lists) return List();
  if (name.empty()) {
    std::fputs("millrace_parallel: a program is required (--list shows them)\n",
               stderr);
    return 2;
  }
  const Status status = RunProgram(name, options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "millrace_parallel: %s\n", status.ToString().c_str());
  return 1;
}
