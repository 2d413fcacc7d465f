#include "millrace/train/estimator/cluster_environment.h"

#include <map>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "millrace/base/environment.h"
#include "millrace/base/json/json.h"

namespace millrace::train {
namespace {

constexpr char kAcceptedConfig[] =
    "expected {\"cluster\": {\"chief\": [\"HOST:PORT\"], \"worker\": "
    "[\"HOST:PORT\", ...], \"ps\": [...]}, \"task\": {\"type\": \"worker\", "
    "\"index\": 0}}";

using Jobs = std::map<std::string, std::map<int, std::string>>;

// Sets `text` to a member that may be missing.
Status ReadText(const Json& root, const char* key, std::string* text) {
  const Json* value = root.Find(key);
  if (!value || value->is_null()) return OkStatus();
  if (!value->string()) {
    return InvalidArgument("\"", key, "\" is ", value->KindName(),
                           ", expected a text");
  }
  *text = *value->string();
  return OkStatus();
}

std::string JobNames(const Jobs& jobs) {
  std::vector<std::string> names;
  for (const auto& [name, tasks] : jobs) names.push_back(name);
  return absl::StrJoin(names, ", ");
}

int CountOf(const Jobs& jobs, const std::string& job) {
  const auto found = jobs.find(job);
  return found == jobs.end() ? 0 : static_cast<int>(found->second.size());
}

// Returns the name of the job that has the chief: one task.
StatusOr<std::string> ChiefJobOf(const Jobs& jobs) {
  const std::string chief = jobs.contains(kMasterJob) ? kMasterJob : kChiefJob;
  if (chief == kMasterJob && jobs.contains(kChiefJob)) {
    return InvalidArgument(
        "the cluster has the jobs \"master\" and \"chief\", expected one of "
        "them");
  }
  const int count = CountOf(jobs, chief);
  if (count == 1) return chief;
  return InvalidArgument("the cluster has ", count, " tasks of the job \"",
                         chief, "\", expected one; its jobs are ",
                         JobNames(jobs));
}

int GlobalIdOf(const Jobs& jobs, const std::string& chief,
               const TaskName& task) {
  if (task.job == chief) return task.index;
  int before = CountOf(jobs, chief);
  for (const auto& [job, tasks] : jobs) {
    if (job == chief || job == kPsJob) continue;
    if (job == task.job) return before + task.index;
    before += static_cast<int>(tasks.size());
  }
  return before + task.index;
}

// The place of a process without a cluster.
StatusOr<ClusterEnvironment> Alone(const Json& root,
                                   ClusterEnvironment environment) {
  const Json* task = root.Find("task");
  const Json* type = task ? task->Find("type") : nullptr;
  const Json* index = task ? task->Find("index") : nullptr;
  if (type && !type->is_null() &&
      (!type->string() || *type->string() != kWorkerJob)) {
    return InvalidArgument(
        "without a \"cluster\" the type of the task is \"worker\", not ",
        type->string() ? absl::StrCat("\"", *type->string(), "\"")
                       : std::string(type->KindName()),
        "; ", kAcceptedConfig);
  }
  int number = 0;
  const bool is_zero =
      !index || index->is_null() ||
      (index->number() && *index->number() == 0) ||
      (index->string() && absl::SimpleAtoi(*index->string(), &number) &&
       number == 0);
  if (!is_zero) {
    return InvalidArgument("without a \"cluster\" the index of the task is 0; ",
                           kAcceptedConfig);
  }
  MR_RETURN_IF_ERROR(ReadText(root, "session_master", &environment.master));
  MR_RETURN_IF_ERROR(
      ReadText(root, "eval_session_master", &environment.evaluation_master));
  return environment;
}

Status CheckTaskMembers(const Json& root) {
  const Json* task = root.Find("task");
  const Json* index = task ? task->Find("index") : nullptr;
  if (index && !index->is_null()) return OkStatus();
  return InvalidArgument(
      "with a \"cluster\" there is a \"task\" with its type and index, "
      "expected \"task\": {\"type\": \"worker\", \"index\": 0}");
}

StatusOr<ClusterEnvironment> InCluster(const Json& root, absl::string_view text,
                                       ClusterEnvironment environment) {
  MR_RETURN_IF_ERROR(CheckTaskMembers(root));
  TaskName task;
  MR_ASSIGN_OR_RETURN(ClusterSpec cluster, ClusterSpec::ParseJson(text, &task));
  const Jobs& jobs = cluster.jobs();
  MR_ASSIGN_OR_RETURN(const std::string chief, ChiefJobOf(jobs));
  environment.task = task;
  if (task.job == kEvaluatorJob) {
    if (chief == kMasterJob) {
      return InvalidArgument(
          "a cluster with a \"master\" has no task of type \"evaluator\", "
          "since its master evaluates; expected a \"chief\"");
    }
    environment.global_id = std::nullopt;
    environment.is_chief = false;
    environment.num_worker_replicas = 0;
    MR_RETURN_IF_ERROR(
        ReadText(root, "eval_session_master", &environment.evaluation_master));
    return environment;
  }
  if (!cluster.Has(task)) {
    return InvalidArgument(cluster.Address(task).status().message(),
                           "; \"evaluator\" is beside the cluster");
  }
  environment.global_id = GlobalIdOf(jobs, chief, task);
  environment.is_chief = task.job == chief;
  environment.num_ps_replicas = CountOf(jobs, kPsJob);
  environment.num_worker_replicas = CountOf(jobs, kWorkerJob) + 1;
  // A cluster of one task needs no server.
  if (cluster.Tasks().size() > 1) {
    environment.master = absl::StrCat("grpc://", cluster.Address(task).value());
  }
  MR_RETURN_IF_ERROR(ReadText(root, "session_master", &environment.master));
  environment.cluster = std::move(cluster);
  return environment;
}

StatusOr<ClusterEnvironment> PlaceOf(const Json& root, absl::string_view text) {
  if (!root.object()) {
    return InvalidArgument("it is ", root.KindName(), ", ", kAcceptedConfig);
  }
  ClusterEnvironment environment;
  MR_RETURN_IF_ERROR(ReadText(root, "model_dir", &environment.model_dir));
  const Json* cluster = root.Find("cluster");
  const bool has_cluster = cluster && !cluster->is_null() &&
                           !(cluster->object() && cluster->object()->empty());
  return has_cluster ? InCluster(root, text, std::move(environment))
                     : Alone(root, std::move(environment));
}

}  // namespace

StatusOr<ClusterEnvironment> ParseTfConfig(absl::string_view json) {
  if (absl::StripAsciiWhitespace(json).empty()) return ClusterEnvironment();
  const StatusOr<Json> root = Json::Parse(json);
  if (!root.ok()) {
    return InvalidArgument("TF_CONFIG: ", root.status().message(), "; ",
                           kAcceptedConfig);
  }
  StatusOr<ClusterEnvironment> environment = PlaceOf(*root, json);
  if (environment.ok()) return environment;
  return Prefix("TF_CONFIG: ", environment.status());
}

StatusOr<ClusterEnvironment> ReadTfConfig() {
  return ParseTfConfig(EnvironmentVariable("TF_CONFIG").value_or(""));
}

}  // namespace millrace::train
