#include "tools/millrace/server_options.h"

#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "millrace/base/edit_distance.h"
#include "millrace/base/machine.h"

namespace millrace {
namespace {

constexpr absl::string_view kLogLevels[] = {"info", "warning", "error", "off"};

Status AddDeviceCounts(const std::vector<std::string>& texts,
                       std::map<std::string, int>* counts) {
  for (const std::string& text : texts) {
    for (absl::string_view one : absl::StrSplit(text, ',')) {
      const std::pair<std::string, std::string> parts =
          absl::StrSplit(one, absl::MaxSplits('=', 1));
      int count = 0;
      if (parts.first.empty() || !absl::SimpleAtoi(parts.second, &count) ||
          count < 0) {
        return InvalidArgument("--device_count: '", one,
                               "' is not of the form CPU=2");
      }
      const std::string type = absl::AsciiStrToUpper(parts.first);
      if (type != "CPU" && type != "GPU") {
        return InvalidArgument("--device_count: there are no devices of type '",
                               parts.first, "'; there are CPU and GPU");
      }
      (*counts)[type] = count;
    }
  }
  return OkStatus();
}

// What is wrong with it as a number is said here, and by whoever knows the
// cards (MakeDevices) what does not fit them.
Status SetGpus(const ServerFlags& flags, GpuSetup* gpu) {
  gpu->visible_devices = flags.visible_devices;
  gpu->memory_fraction = flags.gpu_memory_fraction;
  gpu->allow_growth = flags.gpu_allow_growth;
  if (!(gpu->memory_fraction >= 0 && gpu->memory_fraction <= 1)) {
    return InvalidArgument("--gpu_memory_fraction: ", gpu->memory_fraction,
                           " is no part of a GPU's memory; expected above 0 "
                           "and at most 1, such as 0.4");
  }
  for (const std::string& text : flags.virtual_devices) {
    std::vector<double>& card = gpu->virtual_devices_mb.emplace_back();
    if (text == "whole") continue;
    for (absl::string_view one : absl::StrSplit(text, ',')) {
      double mebibytes = 0;
      if (!absl::SimpleAtod(one, &mebibytes) || !(mebibytes >= 1)) {
        return InvalidArgument(
            "--virtual_devices: '", text,
            "' are no sizes in MiB; expected such as "
            "2048,2048 for a card of two logical GPUs, or whole");
      }
      card.push_back(mebibytes);
    }
  }
  return OkStatus();
}

StatusOr<LogLevel> ParseLogLevel(const std::string& text) {
  for (size_t i = 0; i < std::size(kLogLevels); ++i) {
    if (absl::EqualsIgnoreCase(text, kLogLevels[i])) {
      return static_cast<LogLevel>(i);
    }
  }
  return InvalidArgument("--log_level: '", text, "' is none of ",
                         absl::StrJoin(kLogLevels, ", "));
}

// Chooses the task of this server: the given one, otherwise the cluster's only
// one.
Status ChooseTask(const ServerFlags& flags, const TaskName& from_file,
                  ServerOptions* options) {
  TaskName& task = options->task;
  task = from_file;
  if (!flags.job.empty()) task.job = flags.job;
  if (flags.task >= 0) task.index = flags.task;
  if (task.job.empty() && !options->cluster_later) {
    const std::vector<TaskName> tasks = options->cluster.Tasks();
    if (tasks.size() == 1) {
      task = tasks[0];
    } else {
      std::vector<std::string> jobs;
      for (const auto& [job, addresses] : options->cluster.jobs()) {
        jobs.push_back(job);
      }
      return InvalidArgument("--job is missing: this server is one of ",
                             absl::StrJoin(jobs, ", "));
    }
  }
  if (task.job.empty()) return InvalidArgument("--job is missing");
  return OkStatus();
}

StatusOr<ClusterSpec> ParseClusterText(absl::string_view text) {
  StatusOr<ClusterSpec> cluster = ClusterSpec::Parse(text);
  if (cluster.ok()) return cluster;
  return Prefix("--cluster: ", cluster.status());
}

// Sets options.cluster, or cluster_later and cluster_file.
Status ChooseCluster(const ServerFlags& flags, const ConfigFile& config,
                     const std::string& tf_config, FileSystem* files,
                     ServerSetup* setup, TaskName* task) {
  ServerOptions& options = setup->options;
  const std::string& text =
      flags.cluster.empty() ? config.cluster_text : flags.cluster;
  if (!text.empty() && text[0] == '@') {
    const std::string path = text.substr(1);
    const StatusOr<std::string> content = ReadFileToString(files, path);
    StatusOr<ClusterSpec> cluster =
        content.ok() ? ClusterSpec::ParseFile(*content) : content.status();
    if (content.status().code() == StatusCode::kNotFound ||
        (content.ok() && cluster.status().code() == StatusCode::kUnavailable)) {
      setup->cluster_file = path;
      options.cluster_later = true;
      return OkStatus();
    }
    if (!cluster.ok()) {
      return Prefix(absl::StrCat("--cluster @", path, ": "), cluster.status());
    }
    options.cluster = *std::move(cluster);
    return OkStatus();
  }
  if (!text.empty()) {
    MR_ASSIGN_OR_RETURN(options.cluster, ParseClusterText(text));
    return OkStatus();
  }
  if (config.cluster) {
    options.cluster = *config.cluster;
    *task = config.task;
    return OkStatus();
  }
  if (tf_config.empty()) {
    return InvalidArgument(
        "--cluster is missing, such as --cluster "
        "'ps=host:2222;worker=host:2223,host:2224', --cluster @FILE or "
        "--cluster local (TF_CONFIG is not set either)");
  }
  StatusOr<ClusterSpec> cluster = ClusterSpec::ParseJson(tf_config, task);
  if (!cluster.ok()) return Prefix("TF_CONFIG: ", cluster.status());
  options.cluster = *std::move(cluster);
  return OkStatus();
}

}  // namespace

StatusOr<int64_t> ParseByteSize(absl::string_view text, int64_t whole) {
  size_t end = 0;
  while (end < text.size() &&
         (absl::ascii_isdigit(text[end]) || text[end] == '.')) {
    ++end;
  }
  double number = 0;
  std::string unit =
      absl::AsciiStrToUpper(absl::StripAsciiWhitespace(text.substr(end)));
  bool good = absl::SimpleAtod(text.substr(0, end), &number) && number > 0;
  double factor = 1;
  if (unit == "%") {
    factor = static_cast<double>(whole) / 100;
    good &= number <= 100;
  } else {
    absl::string_view rest = unit;
    if (!absl::ConsumeSuffix(&rest, "IB")) absl::ConsumeSuffix(&rest, "B");
    constexpr absl::string_view kUnits = "KMGT";
    if (rest.size() == 1 && kUnits.find(rest[0]) != absl::string_view::npos) {
      factor = std::pow(1024.0, static_cast<double>(kUnits.find(rest[0]) + 1));
    } else {
      good &= rest.empty();
    }
  }
  const double bytes = number * factor;
  if (!good || bytes < 1 || bytes > 9e18) {
    return InvalidArgument("'", text,
                           "' is no size; expected such as 8G, 512M or 80%");
  }
  return static_cast<int64_t>(bytes);
}

StatusOr<ServerSetup> MakeServerSetup(const ServerFlags& flags,
                                      const ConfigFile& config,
                                      const std::string& tf_config,
                                      FileSystem* files) {
  ServerSetup setup;
  ServerOptions& options = setup.options;
  TaskName task = config.task;
  MR_RETURN_IF_ERROR(
      ChooseCluster(flags, config, tf_config, files, &setup, &task));
  MR_RETURN_IF_ERROR(ChooseTask(flags, task, &options));
  if (!options.cluster_later) {
    MR_RETURN_IF_ERROR(options.cluster.Address(options.task).status());
  }
  options.bind = flags.bind;
  options.advertise = flags.advertise;
  if (flags.port < -1 || flags.port > 65535) {
    return InvalidArgument("--port: ", flags.port,
                           " is no port; expected 0 (any) to 65535");
  }
  options.port = flags.port;
  options.insecure = flags.insecure;
  MR_RETURN_IF_ERROR(
      AddDeviceCounts(flags.device_count, &options.device_count));
  options.fake_gpu = flags.fake_gpu;
  MR_RETURN_IF_ERROR(SetGpus(flags, &options.gpu));
  options.file_root = flags.file_root;
  if (!(flags.session_wait > 0 && flags.session_wait < 1e9)) {
    return InvalidArgument(
        "--session_wait: expected seconds above 0, such as 300");
  }
  options.session_wait_ms = static_cast<int64_t>(flags.session_wait * 1000);
  if (flags.inter_op_threads < 0 || flags.intra_op_threads < 0) {
    return InvalidArgument(
        "--inter_op_threads and --intra_op_threads: expected a number of "
        "threads, or 0 for that of the cores");
  }
  if (!flags.memory_limit.empty()) {
    StatusOr<int64_t> bytes =
        ParseByteSize(flags.memory_limit, UsableMemoryBytes());
    if (!bytes.ok()) return Prefix("--memory_limit: ", bytes.status());
    setup.memory_limit_bytes = *bytes;
  }
  MR_ASSIGN_OR_RETURN(setup.log_level, ParseLogLevel(flags.log_level));
  return setup;
}

}  // namespace millrace
