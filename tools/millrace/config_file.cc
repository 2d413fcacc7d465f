#include "tools/millrace/config_file.h"

#include <cmath>

#include "absl/strings/str_format.h"
#include "millrace/base/json/json.h"

namespace millrace {
namespace {

StatusOr<std::string> ScalarText(const std::string& key, const Json& value) {
  if (const std::string* text = value.string()) return *text;
  if (const bool* flag = value.boolean()) {
    return std::string(*flag ? "true" : "false");
  }
  if (const double* number = value.number()) {
    return *number == std::floor(*number) && std::abs(*number) < 1e15
               ? absl::StrCat(static_cast<int64_t>(*number))
               : absl::StrFormat("%.17g", *number);
  }
  return InvalidArgument("'", key, "' is ", value.KindName(),
                         "; expected text, a number, true or false");
}

StatusOr<std::vector<std::string>> FlagTexts(const std::string& key,
                                             const Json& value) {
  std::vector<std::string> texts;
  if (const Json::Array* array = value.array()) {
    for (const Json& element : *array) {
      MR_ASSIGN_OR_RETURN(texts.emplace_back(), ScalarText(key, element));
    }
  } else if (const Json::Object* object = value.object()) {
    for (const auto& [name, element] : *object) {
      MR_ASSIGN_OR_RETURN(const std::string text, ScalarText(key, element));
      texts.push_back(absl::StrCat(name, "=", text));
    }
  } else {
    MR_ASSIGN_OR_RETURN(texts.emplace_back(), ScalarText(key, value));
  }
  return texts;
}

}  // namespace

StatusOr<ConfigFile> ParseConfigFile(absl::string_view json) {
  MR_ASSIGN_OR_RETURN(const Json root, Json::Parse(json));
  if (root.object() == nullptr) {
    return InvalidArgument("a config file is a JSON object, this one is ",
                           root.KindName());
  }
  ConfigFile config;
  const Json* cluster = root.Find("cluster");
  const Json* task = root.Find("task");
  const bool cluster_object = cluster != nullptr && cluster->object();
  const bool task_object = task != nullptr && task->object();
  if (cluster_object) {
    MR_ASSIGN_OR_RETURN(config.cluster,
                        ClusterSpec::ParseJson(json, &config.task));
  } else if (task_object) {
    return InvalidArgument(
        "'task' is an object, as in TF_CONFIG, but 'cluster' is not");
  }
  for (const auto& [key, value] : *root.object()) {
    if (key == "cluster") {
      if (cluster_object) continue;
      MR_ASSIGN_OR_RETURN(config.cluster_text, ScalarText(key, value));
    } else if (key != "task" || !task_object) {
      MR_ASSIGN_OR_RETURN(std::vector<std::string> texts,
                          FlagTexts(key, value));
      config.flags.emplace_back(key, std::move(texts));
    }
  }
  return config;
}

}  // namespace millrace
