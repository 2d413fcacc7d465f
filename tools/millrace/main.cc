// The command `millrace`: its subcommands and flags.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "millrace/base/edit_distance.h"
#include "millrace/base/files/file.h"
#include "millrace/base/version.h"
#include "tools/millrace/config_file.h"
#include "tools/millrace/exit_codes.h"
#include "tools/millrace/python_command.h"
#include "tools/millrace/run_command.h"
#include "tools/millrace/server_command.h"
#include "tools/millrace/status_command.h"
#include "tools/millrace/stop_command.h"
#include "tools/millrace/trace_command.h"

namespace {

// The command of an installed package says here which Python has the package.
constexpr char kPythonVariable[] = "MILLRACE_PYTHON_EXECUTABLE";

// Adds the flags of one task: its place in its cluster.
void AddServerTask(CLI::App* app, millrace::ServerFlags* f) {
  app->add_option(
      "--cluster", f->cluster,
      "jobs and addresses: 'ps=h:p,h:p;worker=h:p', 'local' for a "
      "cluster of one, or @FILE, which may appear later: such text, "
      "whose last line has an end, or JSON as TF_CONFIG");
  app->add_option("--config", f->config,
                  "JSON file with these flags as keys, and `cluster` and "
                  "`task` as in TF_CONFIG");
  app->add_option("--job", f->job, "job of this server");
  app->add_option("--task", f->task, "index of this server in its job");
  app->add_option("--port", f->port,
                  "port to listen on, 0 for a free one; default: the "
                  "cluster's entry");
  app->add_option("--port_file", f->port_file,
                  "write the port there when listening");
  app->add_option("--parent_fd", f->parent_fd,
                  "a socket to the process that started this server: it is "
                  "told the target, or what is wrong, in one line, and the "
                  "server stops when the other end closes");
}

// Adds the flags of any server.
void AddServer(CLI::App* app, millrace::ServerFlags* f) {
  app->add_option("--bind", f->bind,
                  "host to listen on; default: the cluster's entry");
  app->add_option("--advertise", f->advertise,
                  "host, or host:port, under which others reach this server");
  app->add_option("--device_count", f->device_count,
                  "devices of a type, such as CPU=2; may be repeated")
      ->allow_extra_args(false);  // or it would take a script that follows
  app->add_flag("--fake_gpu", f->fake_gpu,
                "GPUs of --device_count without hardware or kernels");
  app->add_option("--visible_devices", f->visible_devices,
                  "which GPUs of those that CUDA_VISIBLE_DEVICES leaves, and "
                  "in which order, such as 1,0; default: all, and none for job "
                  "ps");
  app->add_option("--gpu_memory_fraction", f->gpu_memory_fraction,
                  "the part of each GPU's memory that the server may take, "
                  "such as 0.4; default: all of it");
  app->add_flag("--gpu_allow_growth", f->gpu_allow_growth,
                "take memory of GPUs when it is needed, not at the start");
  app->add_option("--virtual_devices", f->virtual_devices,
                  "logical GPUs of a card by their MiB, such as 2048,2048, or "
                  "whole; repeated for further cards")
      ->allow_extra_args(false);
  app->add_option("--memory_limit", f->memory_limit,
                  "of tensors and messages, such as 8G or 80%");
  app->add_option("--file_root", f->file_root,
                  "directory below which clients may use files");
  app->add_option("--session_wait", f->session_wait,
                  "seconds that a session waits for a task it needs (300)");
  app->add_flag("--insecure", f->insecure,
                "listen beyond loopback without asking who calls");
  app->add_flag("--no_bulk", f->no_bulk,
                "Tensors between servers go by gRPC alone; else Millrace's "
                "servers open a port of their own to each other");
  app->add_option("--inter_op_threads", f->inter_op_threads,
                  "threads for the nodes of graphs; 0: one a core");
  app->add_option("--intra_op_threads", f->intra_op_threads,
                  "threads for a kernel's shards; 0: one a core");
  app->add_option("--log_level", f->log_level,
                  "least level that is logged: info, warning, error or off");
}

CLI::App* AddTrace(CLI::App* app, millrace::TraceFlags* f) {
  CLI::App* trace = app->add_subcommand(
      "trace", "write what the next steps of a cluster take, on all its tasks");
  trace->add_option("address", f->address, "HOST:PORT of any task")->required();
  trace->add_option("--steps", f->steps, "how many steps (10)");
  trace->add_option("--timeout", f->timeout,
                    "seconds to wait for their ends (30)");
  trace->add_option("--output", f->output,
                    "the file, for ui.perfetto.dev (trace.json)");
  trace->add_option("--max_events", f->max_events,
                    "nodes and transfers that each task keeps (200000)");
  trace->add_flag("--json", f->json, "say what was written as a JSON object");
  trace->footer(
      "The next steps that begin, of whatever sessions and masters. Tasks that "
      "do not\nanswer are named, and the file has the others.");
  return trace;
}

// Takes from a config file what was not given as a flag.
millrace::Status ApplyConfig(const millrace::ConfigFile& config,
                             CLI::App* app) {
  for (const auto& [key, texts] : config.flags) {
    CLI::Option* option = app->get_option_no_throw("--" + key);
    if (option == nullptr || key == "config" || key == "help") {
      std::vector<std::string> names;
      for (const CLI::Option* o : app->get_options()) {
        names.push_back(o->get_single_name());
      }
      return millrace::InvalidArgument("--config: '", key,
                                       "' is no option; the nearest one is '",
                                       millrace::NearestWord(key, names), "'");
    }
    if (option->count() > 0) continue;
    for (const std::string& text : texts) option->add_result(text);
    option->run_callback();
  }
  return millrace::OkStatus();
}

int Server(millrace::ServerFlags& flags, CLI::App* app) {
  millrace::ConfigFile config;
  if (!flags.config.empty()) {
    millrace::StatusOr<std::string> text =
        millrace::ReadFileToString(millrace::DefaultFiles(), flags.config);
    millrace::Status status = text.status();
    if (status.ok()) {
      millrace::StatusOr<millrace::ConfigFile> parsed =
          millrace::ParseConfigFile(*text);
      status = parsed.status();
      if (status.ok()) {
        config = *std::move(parsed);
        status = ApplyConfig(config, app);
      }
    }
    if (!status.ok()) {
      return millrace::Fail("server", status, millrace::kUsageError);
    }
  }
  return millrace::RunServer(flags, config);
}

// Parses the command line after `run`: options, then the script and its
// arguments.
void TakeScript(const CLI::App& app, int argc, char** argv,
                millrace::RunFlags* flags) {
  flags->script = app.remaining();
  if (!flags->script.empty() && flags->script[0][0] == '-') {
    throw CLI::ExtrasError({flags->script[0]});
  }
  const std::vector<std::string> words(argv + 2, argv + argc);
  flags->server_flags = millrace::ServerFlagsOf(
      {words.begin(),
       words.end() - static_cast<std::ptrdiff_t>(flags->script.size())});
}

// Takes the command line after the options of `python`: a script, a module or
// a text, and arguments.
void TakeProgram(const CLI::App& app, millrace::PythonFlags* flags) {
  flags->program = app.remaining();
  if (flags->program.empty()) return;
  const std::string& first = flags->program[0];
  if (first[0] == '-' && first != "-" && first != "-m" && first != "-c") {
    throw CLI::ExtrasError({first});
  }
}

// Prints one line, with the most similar word if there is one.
int UsageError(const CLI::App& app, const CLI::ParseError& error, int argc,
               char** argv) {
  const CLI::App* at = &app;
  for (const CLI::App* used : app.get_subcommands()) at = used;
  std::vector<std::string> known;
  for (const CLI::Option* option : at->get_options()) {
    for (const std::string& name : option->get_lnames()) {
      known.push_back("--" + name);
    }
  }
  for (const CLI::App* sub : at->get_subcommands(nullptr)) {
    known.push_back(sub->get_name());
  }
  // The parser itself only reports a missing command.
  if (at == &app && argc > 1 && argv[1][0] != '-' &&
      std::find(known.begin(), known.end(), argv[1]) == known.end()) {
    const std::string near = millrace::NearestWord(argv[1], known);
    std::fprintf(stderr, "millrace: there is no command '%s'%s%s\n", argv[1],
                 near.empty() ? "" : ("; did you mean " + near + "?").c_str(),
                 " (millrace --help lists what there is)");
    return millrace::kUsageError;
  }
  std::string hint;
  for (int i = 1; i < argc && hint.empty(); ++i) {
    std::string word = argv[i];
    word = word.substr(0, word.find('='));
    if (std::string(error.what()).find(word) == std::string::npos) continue;
    const std::string near = millrace::NearestWord(word, known);
    if (!near.empty() && near != word) hint = "; did you mean " + near + "?";
  }
  const std::string name =
      at == &app ? "millrace" : "millrace " + at->get_name();
  std::fprintf(stderr, "%s: %s%s (%s --help lists what there is)\n",
               name.c_str(), error.what(), hint.c_str(), name.c_str());
  return millrace::kUsageError;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Millrace: a distributed runtime for TensorFlow 1 graphs",
               "millrace");
  app.require_subcommand(1);
  app.set_version_flag("--version", millrace::kVersion);
  int result = 0;

  millrace::ServerFlags server_flags;
  CLI::App* server = app.add_subcommand("server", "run one task of a cluster");
  AddServerTask(server, &server_flags);
  AddServer(server, &server_flags);

  millrace::RunFlags run_flags;
  millrace::ServerFlags flags_of_run;
  CLI::App* run = app.add_subcommand(
      "run", "run a Python script whose tf.train.Server is a Millrace server");
  run->prefix_command();
  run->add_option("--python", run_flags.python,
                  "the Python that has TensorFlow, or the package millrace "
                  "(python3)")
      ->envname(kPythonVariable);
  run->footer(
      "millrace run [OPTIONS] SCRIPT [ARGUMENTS]: what follows the script is "
      "the script's.\nAll options but --python go to each server that it "
      "makes, and that processes make\nwhich it starts by multiprocessing. "
      "Other "
      "programs that it starts are left alone:\n`millrace run` goes before "
      "those, "
      "too.");
  AddServer(run, &flags_of_run);

  millrace::PythonFlags python_flags;
  CLI::App* python = app.add_subcommand(
      "python", "run a program of TensorFlow 1, by Millrace alone");
  python->prefix_command();
  python
      ->add_option("--python", python_flags.python,
                   "the Python that has the package millrace (python3)")
      ->envname(kPythonVariable);
  python->add_option("--tf", python_flags.tf,
                     "the version whose names the program uses (1.15): 0.12 "
                     "for those from before 1.0");
  python->add_flag("--explain", python_flags.explain,
                   "run nothing: say which names of TensorFlow a script uses "
                   "that are not there, or what a name is");
  python->footer(
      "millrace python [OPTIONS] SCRIPT [ARGUMENTS]: `import tensorflow` in "
      "the script is\nMillrace's package, and TensorFlow is not needed. Also "
      "with -m MODULE or -c TEXT.");

  millrace::StopFlags stop_flags;
  CLI::App* stop = app.add_subcommand("stop", "stop a server");
  stop->add_option("address", stop_flags.address, "HOST:PORT")->required();
  stop->add_option("--grace", stop_flags.grace,
                   "seconds for the steps that run (1)");
  stop->add_option("--reason", stop_flags.reason, "for the server's log");

  millrace::StatusFlags status_flags;
  CLI::App* status =
      app.add_subcommand("status", "what a server has and waits for");
  status->add_option("address", status_flags.address, "HOST:PORT")->required();
  status->add_flag("--json", status_flags.json, "as a JSON object");
  status->add_option("--waits", status_flags.waits,
                     "how many of the waits in progress (20)");

  millrace::TraceFlags trace_flags;
  CLI::App* trace = AddTrace(&app, &trace_flags);

  CLI::App* version = app.add_subcommand("version", "print the version");

  try {
    app.parse(argc, argv);
    if (server->parsed()) result = Server(server_flags, server);
    if (run->parsed()) TakeScript(*run, argc, argv, &run_flags);
    if (python->parsed()) TakeProgram(*python, &python_flags);
  } catch (const CLI::CallForHelp&) {
    const CLI::App* at = &app;
    for (const CLI::App* used : app.get_subcommands()) at = used;
    std::fputs(at->help().c_str(), stdout);
    return 0;
  } catch (const CLI::CallForVersion&) {
    std::printf("Millrace %s\n", millrace::kVersion);
    return 0;
  } catch (const CLI::ParseError& error) {
    return UsageError(app, error, argc, argv);
  }
  if (run->parsed()) result = millrace::RunScript(run_flags);
  if (python->parsed()) result = millrace::RunPython(python_flags);
  if (stop->parsed()) result = millrace::RunStop(stop_flags);
  if (status->parsed()) result = millrace::RunStatus(status_flags);
  if (trace->parsed()) result = millrace::RunTrace(trace_flags);
  if (version->parsed()) std::printf("Millrace %s\n", millrace::kVersion);
  return result;
}
