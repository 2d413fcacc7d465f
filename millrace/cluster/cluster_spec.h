// ClusterSpec: the jobs of a cluster and the addresses of their tasks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"
#include "millrace/graph/device_name.h"
#include "millrace/protocol/cluster_def.h"

namespace millrace {

// One task of a job.
struct TaskName {
  std::string job;
  int index = 0;

  // "/job:worker/replica:0/task:1".
  std::string ToString() const;
  // Parses any device or task name that has a job and a task.
  static StatusOr<TaskName> Parse(absl::string_view name);
  DeviceName AsDeviceName() const;

  friend auto operator<=>(const TaskName&, const TaskName&) = default;
};

// The tasks of a job may have gaps (sparse task indices). Immutable in use.
class ClusterSpec {
 public:
  // Parses "ps=h:p,h:p;worker=h:p"; tasks by index: "worker=0@h:p,5@h:p".
  // "local" is a cluster of one task. Returns INVALID_ARGUMENT that shows the
  // wrong part.
  static StatusOr<ClusterSpec> Parse(absl::string_view text);
  // Parses {"cluster": {"ps": ["h:p"], "worker": {"0": "h:p"}}, "task": {...}},
  // the form of TF_CONFIG and of --config files. `task` may be null.
  static StatusOr<ClusterSpec> ParseJson(absl::string_view json,
                                         TaskName* task);
  // Parses a file that another process may still be writing: JSON as above, or
  // text as Parse takes it with a newline at the end. Returns UNAVAILABLE for
  // what may be a prefix of either: JSON that does not parse or any text,
  // unless the last byte is a newline; an empty file is one.
  static StatusOr<ClusterSpec> ParseFile(absl::string_view text);
  static StatusOr<ClusterSpec> FromDef(const ClusterDef& def);
  ClusterDef ToDef() const;

  const std::map<std::string, std::map<int, std::string>>& jobs() const {
    return jobs_;
  }
  // Returns the address of a task, or NOT_FOUND that lists the existing jobs
  // and tasks, with the nearest name.
  StatusOr<std::string> Address(const TaskName& task) const;
  bool Has(const TaskName& task) const;
  std::vector<TaskName> Tasks() const;  // ordered by job, then index
  std::string ToString() const;         // in the form that Parse takes

 private:
  std::map<std::string, std::map<int, std::string>> jobs_;
};

}  // namespace millrace
