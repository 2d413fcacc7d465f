#include "millrace/cluster/cluster_spec.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "millrace/base/edit_distance.h"
#include "millrace/base/json/json.h"

namespace millrace {
namespace {

constexpr int kMaxTaskIndex = 1'000'000;

Status CheckJobName(absl::string_view name) {
  const bool ok = !name.empty() && absl::ascii_isalpha(name[0]) &&
                  std::all_of(name.begin(), name.end(), [](char c) {
                    return absl::ascii_isalnum(c) || c == '_';
                  });
  if (ok) return OkStatus();
  return InvalidArgument("Invalid job name '", name,
                         "': expected a letter, then letters, digits and _");
}

// Checks "host:port", "[v6]:port"; does not check whether the host exists.
Status CheckAddress(absl::string_view address) {
  const size_t colon = address.rfind(':');
  int port = -1;
  if (colon == absl::string_view::npos || colon == 0 ||
      !absl::SimpleAtoi(address.substr(colon + 1), &port) || port < 0 ||
      port > 65535) {
    return InvalidArgument("Invalid address '", address,
                           "': expected host:port");
  }
  // As in "ps=a:1,worker=b:2", which would else be two tasks of ps.
  if (absl::StrContains(address, '=')) {
    return InvalidArgument("Invalid address '", address,
                           "': expected host:port; jobs are separated by ';'");
  }
  return OkStatus();
}

StatusOr<int> ParseIndex(absl::string_view text) {
  int index = -1;
  if (!absl::SimpleAtoi(text, &index) || index < 0 || index > kMaxTaskIndex) {
    return InvalidArgument("Invalid task index '", text,
                           "': expected a number from 0 to ", kMaxTaskIndex);
  }
  return index;
}

Status AddTask(const std::string& job, int index, std::string address,
               std::map<std::string, std::map<int, std::string>>* jobs) {
  MR_RETURN_IF_ERROR(CheckJobName(job));
  if (index < 0 || index > kMaxTaskIndex) {
    return InvalidArgument("Invalid task index ", index, " of job '", job,
                           "': expected a number from 0 to ", kMaxTaskIndex);
  }
  MR_RETURN_IF_ERROR(CheckAddress(address));
  if (!(*jobs)[job].emplace(index, std::move(address)).second) {
    return InvalidArgument("Task ", index, " of job '", job,
                           "' is given twice");
  }
  return OkStatus();
}

Status AddJsonJob(const std::string& job, const Json& tasks,
                  std::map<std::string, std::map<int, std::string>>* jobs) {
  const auto add = [&](int index, const Json& address) -> Status {
    if (address.string() == nullptr) {
      return InvalidArgument("the address of task ", index, " of job '", job,
                             "' is ", address.KindName(),
                             ", expected \"host:port\"");
    }
    return AddTask(job, index, *address.string(), jobs);
  };
  if (const Json::Array* list = tasks.array()) {
    (*jobs)[job];
    for (size_t i = 0; i < list->size(); ++i) {
      MR_RETURN_IF_ERROR(add(static_cast<int>(i), (*list)[i]));
    }
    return CheckJobName(job);
  }
  if (const Json::Object* map = tasks.object()) {
    (*jobs)[job];
    for (const auto& [text, address] : *map) {
      MR_ASSIGN_OR_RETURN(const int index, ParseIndex(text));
      MR_RETURN_IF_ERROR(add(index, address));
    }
    return CheckJobName(job);
  }
  // The chief is often given without a list.
  return add(0, tasks);
}

StatusOr<TaskName> ParseJsonTask(const Json& json) {
  const Json* type = json.Find("type");
  const Json* index = json.Find("index");
  if (type == nullptr || type->string() == nullptr) {
    return InvalidArgument(
        "\"task\" has no \"type\": expected {\"type\": \"JOB\", \"index\": N}");
  }
  TaskName task{*type->string(), 0};
  if (index == nullptr || index->is_null()) return task;
  if (const std::string* text = index->string()) {
    MR_ASSIGN_OR_RETURN(task.index, ParseIndex(*text));
    return task;
  }
  const double* number = index->number();
  if (number == nullptr || *number != std::floor(*number) || *number < 0 ||
      *number > kMaxTaskIndex) {
    return InvalidArgument(
        "\"index\" of \"task\" is no task index: expected a number from 0 to ",
        kMaxTaskIndex);
  }
  task.index = static_cast<int>(*number);
  return task;
}

}  // namespace

std::string TaskName::ToString() const {
  return absl::StrCat("/job:", job, "/replica:0/task:", index);
}

StatusOr<TaskName> TaskName::Parse(absl::string_view name) {
  MR_ASSIGN_OR_RETURN(const DeviceName parsed, DeviceName::Parse(name));
  if (!parsed.job || !parsed.task) {
    return InvalidArgument("Invalid task name '", name,
                           "': expected /job:JOB/task:N");
  }
  if (parsed.replica.value_or(0) != 0) {
    return InvalidArgument("Invalid task name '", name,
                           "': there is only replica 0");
  }
  return TaskName{*parsed.job, *parsed.task};
}

DeviceName TaskName::AsDeviceName() const {
  DeviceName name;
  name.job = job;
  name.replica = 0;
  name.task = index;
  return name;
}

StatusOr<ClusterSpec> ClusterSpec::Parse(absl::string_view text) {
  ClusterSpec spec;
  const absl::string_view all = absl::StripAsciiWhitespace(text);
  if (all == "local") {
    MR_RETURN_IF_ERROR(AddTask("local", 0, "localhost:0", &spec.jobs_));
    return spec;
  }
  for (absl::string_view part : absl::StrSplit(all, ';')) {
    part = absl::StripAsciiWhitespace(part);
    if (part.empty()) continue;
    const std::pair<absl::string_view, absl::string_view> halves =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    const std::string job(absl::StripAsciiWhitespace(halves.first));
    if (!absl::StrContains(part, '=')) {
      return InvalidArgument("Invalid cluster '", text, "': in '", part,
                             "' expected JOB=HOST:PORT,HOST:PORT");
    }
    if (spec.jobs_.contains(job)) {
      return InvalidArgument("Invalid cluster '", text, "': job '", job,
                             "' is given twice");
    }
    int next = 0;
    for (absl::string_view task : absl::StrSplit(halves.second, ',')) {
      task = absl::StripAsciiWhitespace(task);
      const size_t at = task.find('@');
      if (at != absl::string_view::npos) {
        StatusOr<int> index = ParseIndex(task.substr(0, at));
        if (!index.ok()) {
          return Prefix(absl::StrCat("Invalid cluster '", text, "': "),
                        index.status());
        }
        next = *index;
        task.remove_prefix(at + 1);
      }
      const Status added = AddTask(job, next++, std::string(task), &spec.jobs_);
      if (!added.ok())
        return Prefix(absl::StrCat("Invalid cluster '", text, "': "), added);
    }
  }
  if (spec.jobs_.empty()) {
    return InvalidArgument(
        "Invalid cluster '", text,
        "': no jobs; expected JOB=HOST:PORT,...;JOB=... or local");
  }
  return spec;
}

StatusOr<ClusterSpec> ClusterSpec::ParseFile(absl::string_view text) {
  const absl::string_view stripped = absl::StripAsciiWhitespace(text);
  const bool json = absl::StartsWith(stripped, "{");
  // A complete JSON object needs no newline to be known as complete.
  const bool closed = json && Json::Parse(stripped).ok();
  if (!absl::EndsWith(text, "\n") && !closed) {
    constexpr size_t kShown = 40;
    return Unavailable("The cluster file is half written: it ends with '",
                       text.substr(text.size() - std::min(text.size(), kShown)),
                       "' and no line end; expected one behind the last line");
  }
  return json ? ParseJson(stripped, nullptr) : Parse(stripped);
}

StatusOr<ClusterSpec> ClusterSpec::ParseJson(absl::string_view json,
                                             TaskName* task) {
  MR_ASSIGN_OR_RETURN(const Json root, Json::Parse(json));
  const Json* cluster = root.Find("cluster");
  if (cluster == nullptr || cluster->object() == nullptr) {
    return InvalidArgument(
        "Invalid cluster: expected {\"cluster\": {\"JOB\": [\"HOST:PORT\", "
        "...]}, \"task\": ...}");
  }
  ClusterSpec spec;
  for (const auto& [job, tasks] : *cluster->object()) {
    const Status added = AddJsonJob(job, tasks, &spec.jobs_);
    if (!added.ok()) return Prefix("Invalid cluster: ", added);
  }
  const Json* own = root.Find("task");
  if (task != nullptr && own != nullptr && !own->is_null()) {
    StatusOr<TaskName> parsed = ParseJsonTask(*own);
    if (!parsed.ok()) return Prefix("Invalid cluster: ", parsed.status());
    *task = *std::move(parsed);
  }
  return spec;
}

StatusOr<ClusterSpec> ClusterSpec::FromDef(const ClusterDef& def) {
  ClusterSpec spec;
  for (const JobDef& job : def.jobs) {
    MR_RETURN_IF_ERROR(CheckJobName(job.name));
    if (spec.jobs_.contains(job.name)) {
      return InvalidArgument("Invalid cluster: job '", job.name,
                             "' is given twice");
    }
    spec.jobs_[job.name];
    for (const auto& [index, address] : job.tasks) {
      const Status added = AddTask(job.name, index, address, &spec.jobs_);
      if (!added.ok()) return Prefix("Invalid cluster: ", added);
    }
  }
  return spec;
}

ClusterDef ClusterSpec::ToDef() const {
  ClusterDef def;
  for (const auto& [name, tasks] : jobs_) {
    JobDef& job = def.jobs.emplace_back();
    job.name = name;
    for (const auto& [index, address] : tasks) job.tasks[index] = address;
  }
  return def;
}

StatusOr<std::string> ClusterSpec::Address(const TaskName& task) const {
  const auto job = jobs_.find(task.job);
  if (job == jobs_.end()) {
    std::vector<std::string> names;
    for (const auto& [name, tasks] : jobs_) names.push_back(name);
    const std::string nearest = NearestWord(task.job, names);
    return NotFound(
        "Job '", task.job, "' is not in the cluster, whose jobs are ",
        absl::StrJoin(names, ", "),
        nearest.empty() ? "" : absl::StrCat("; did you mean '", nearest, "'?"));
  }
  const auto found = job->second.find(task.index);
  if (found == job->second.end()) {
    return NotFound(
        "Task ", task.index, " is not in job '", task.job,
        "', whose tasks are ",
        absl::StrJoin(job->second, ", ", [](std::string* out, const auto& t) {
          absl::StrAppend(out, t.first);
        }));
  }
  return found->second;
}

bool ClusterSpec::Has(const TaskName& task) const {
  const auto job = jobs_.find(task.job);
  return job != jobs_.end() && job->second.contains(task.index);
}

std::vector<TaskName> ClusterSpec::Tasks() const {
  std::vector<TaskName> tasks;
  for (const auto& [job, entries] : jobs_) {
    for (const auto& [index, address] : entries) tasks.push_back({job, index});
  }
  return tasks;
}

std::string ClusterSpec::ToString() const {
  std::vector<std::string> parts;
  for (const auto& [job, tasks] : jobs_) {
    std::vector<std::string> list;
    int next = 0;
    for (const auto& [index, address] : tasks) {
      list.push_back(index == next ? address
                                   : absl::StrCat(index, "@", address));
      next = index + 1;
    }
    parts.push_back(absl::StrCat(job, "=", absl::StrJoin(list, ",")));
  }
  return absl::StrJoin(parts, ";");
}

}  // namespace millrace
