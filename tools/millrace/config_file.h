// ConfigFile: --config files, JSON objects whose keys are the names of flags.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/cluster/cluster_spec.h"

namespace millrace {

struct ConfigFile {
  // Keys other than `cluster` and `task`, with their values as a flag's text;
  // an array or an object has several ("CPU=2").
  std::vector<std::pair<std::string, std::vector<std::string>>> flags;
  // `cluster` as text, or as an object in the form of TF_CONFIG; empty if there
  // is none.
  std::string cluster_text;
  std::optional<ClusterSpec> cluster;
  // `task` as an object in the form of TF_CONFIG (a number is a flag).
  TaskName task;
};

// Returns INVALID_ARGUMENT with line and column, or with the key that is wrong.
StatusOr<ConfigFile> ParseConfigFile(absl::string_view json);

}  // namespace millrace
