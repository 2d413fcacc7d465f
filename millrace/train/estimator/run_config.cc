#include "millrace/train/estimator/run_config.h"

#include <utility>
#include <vector>

#include "millrace/base/log.h"

namespace millrace::train {
namespace {

constexpr double kUsualCheckpointSeconds = 600;

// Returns the devices that sessions of a task use; empty: all.
std::vector<std::string> DeviceFiltersOf(const ClusterEnvironment& place) {
  const std::string& job = place.task.job;
  if (!place.has_cluster()) return {};
  if (job == kChiefJob || job == kMasterJob)
    return {"/job:ps", absl::StrCat("/job:", job)};
  if (job == kWorkerJob) {
    return {"/job:ps", absl::StrCat("/job:worker/task:", place.task.index)};
  }
  if (job == kPsJob)
    return {"/job:ps", "/job:worker", "/job:chief", "/job:master"};
  return {};
}

template <class T>
Status CheckAtLeastZero(const char* name, const T& value) {
  if (value >= 0) return OkStatus();
  return InvalidArgument(name, " is ", value, ", expected 0 or more");
}

StatusOr<RunConfig> WithPlace(ClusterEnvironment place, RunConfig config) {
  if (!place.model_dir.empty()) {
    if (!config.model_dir.empty() && config.model_dir != place.model_dir) {
      return InvalidArgument("model_dir is ", config.model_dir,
                             ", but TF_CONFIG has ", place.model_dir,
                             "; expected one of them, or the same");
    }
    config.model_dir = place.model_dir;
  }
  config.place = std::move(place);
  std::vector<std::string>& filters = config.session.config.device_filters;
  if (filters.empty()) filters = DeviceFiltersOf(config.place);
  MR_RETURN_IF_ERROR(config.Check());
  return config;
}

}  // namespace

StatusOr<RunConfig> RunConfig::FromEnvironment() {
  return FromEnvironment(RunConfig());
}

StatusOr<RunConfig> RunConfig::FromEnvironment(RunConfig config) {
  MR_ASSIGN_OR_RETURN(ClusterEnvironment place, ReadTfConfig());
  return WithPlace(std::move(place), std::move(config));
}

StatusOr<RunConfig> RunConfig::FromTfConfig(absl::string_view tf_config,
                                            RunConfig config) {
  MR_ASSIGN_OR_RETURN(ClusterEnvironment place, ParseTfConfig(tf_config));
  return WithPlace(std::move(place), std::move(config));
}

Status RunConfig::Check() const {
  if (model_dir.empty()) {
    return InvalidArgument(
        "model_dir is empty, expected the folder of checkpoints and events");
  }
  if (save_checkpoints_steps && save_checkpoints_secs) {
    return InvalidArgument(
        "save_checkpoints_steps and save_checkpoints_secs are both set (",
        *save_checkpoints_steps, " and ", *save_checkpoints_secs,
        "), expected one of them");
  }
  MR_RETURN_IF_ERROR(CheckAtLeastZero("save_checkpoints_steps",
                                      save_checkpoints_steps.value_or(0)));
  MR_RETURN_IF_ERROR(CheckAtLeastZero("save_checkpoints_secs",
                                      save_checkpoints_secs.value_or(0)));
  MR_RETURN_IF_ERROR(
      CheckAtLeastZero("save_summary_steps", save_summary_steps));
  MR_RETURN_IF_ERROR(
      CheckAtLeastZero("log_step_count_steps", log_step_count_steps));
  MR_RETURN_IF_ERROR(
      CheckAtLeastZero("keep_checkpoint_max", keep_checkpoint_max));
  MR_RETURN_IF_ERROR(
      CheckAtLeastZero("max_worker_delay_secs", max_worker_delay_secs));
  if (!(keep_checkpoint_every_n_hours > 0)) {
    return InvalidArgument("keep_checkpoint_every_n_hours is ",
                           keep_checkpoint_every_n_hours,
                           ", expected more than 0");
  }
  if (!(session_creation_timeout_secs > 0)) {
    return InvalidArgument("session_creation_timeout_secs is ",
                           session_creation_timeout_secs,
                           ", expected more than 0");
  }
  return OkStatus();
}

int64_t RunConfig::checkpoint_steps() const {
  return save_checkpoints_steps.value_or(0);
}

double RunConfig::checkpoint_seconds() const {
  if (save_checkpoints_steps) return 0;
  return save_checkpoints_secs.value_or(kUsualCheckpointSeconds);
}

}  // namespace millrace::train
