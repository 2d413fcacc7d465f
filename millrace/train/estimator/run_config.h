// RunConfig: how an estimator runs: where it keeps its files, how often it
// saves, and its place in a cluster.
//
//   MR_ASSIGN_OR_RETURN(const RunConfig config,
//                       RunConfig::FromEnvironment({.model_dir =
//                       "/models/a"}));
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "millrace/client/device_block.h"
#include "millrace/client/session.h"
#include "millrace/train/coordinator.h"
#include "millrace/train/estimator/cluster_environment.h"

namespace millrace::train {

// The names, and the values that nobody sets, are those of
// tf.estimator.RunConfig. Infinite times are never: no checkpoint by time, and
// no limit of a wait.
struct RunConfig {
  // The folder of checkpoints and events, which all tasks of a cluster share.
  std::string model_dir;
  std::optional<int64_t> tf_random_seed;  // of each graph
  int64_t save_summary_steps = 100;       // 0: no summaries
  // When the chief saves: after so many steps, or seconds; 0 is never. Both are
  // an error; neither: every 600 seconds. It saves at the beginning and at the
  // end in any case.
  std::optional<int64_t> save_checkpoints_steps;
  std::optional<double> save_checkpoints_secs;
  int keep_checkpoint_max = 5;  // 0: all
  double keep_checkpoint_every_n_hours = 10000;
  int64_t log_step_count_steps = 100;  // 0: no lines in the log
  // The options of all sessions; the targets are those of `place`. Without
  // filters, sessions of a cluster see only the devices that their task uses,
  // so that workers do not wait for each other.
  SessionOptions session = {.config = {.allow_soft_placement = true}};
  // Where ops of a training are placed; empty: variables on the parameter
  // servers in turn, all else on this task.
  DeviceFunction device_function;
  double max_worker_delay_secs = 60;  // before a worker begins to train
  // How long a worker waits for the chief to initialize the model.
  double session_creation_timeout_secs = 7200;
  ClusterEnvironment place;
  FileSystem* files = nullptr;  // of the client; null: DefaultFiles()
  // A stop that is requested here ends what the estimator does; null: none.
  Coordinator* stop = nullptr;

  // Return a configuration with the place and the folder of TF_CONFIG.
  // INVALID_ARGUMENT for a TF_CONFIG or values that make no sense, and for two
  // folders.
  static StatusOr<RunConfig> FromEnvironment();
  static StatusOr<RunConfig> FromEnvironment(RunConfig config);
  // Do the same with a text in place of the environment's variable.
  static StatusOr<RunConfig> FromTfConfig(absl::string_view tf_config,
                                          RunConfig config);

  // Returns INVALID_ARGUMENT for values that make no sense.
  Status Check() const;
  // Return when to save, as MonitoredSessionOptions have it.
  int64_t checkpoint_steps() const;
  double checkpoint_seconds() const;
  FileSystem* file_system() const { return files ? files : DefaultFiles(); }
  bool stop_requested() const { return stop && stop->ShouldStop(); }
};

}  // namespace millrace::train
