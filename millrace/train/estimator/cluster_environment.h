// ClusterEnvironment: which cluster a process belongs to, and which of its
// tasks it is, as the environment's variable TF_CONFIG says:
//
//   {"cluster": {"chief": ["a:2222"], "worker": ["b:2222", "c:2222"],
//                "ps": ["d:2222"]},
//    "task": {"type": "worker", "index": 0}}
//
// One task of type "evaluator" is beside the cluster. Clusters of TensorFlow's
// first form have a "master" in place of the chief, which evaluates too.
// "model_dir", "session_master" and "eval_session_master" may be there, as for
// tf.estimator.RunConfig; other members are ignored.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/cluster/cluster_spec.h"

namespace millrace::train {

inline constexpr char kChiefJob[] = "chief";
inline constexpr char kMasterJob[] = "master";
inline constexpr char kWorkerJob[] = "worker";
inline constexpr char kPsJob[] = "ps";
inline constexpr char kEvaluatorJob[] = "evaluator";

// Without a cluster: the only worker, which is the chief.
struct ClusterEnvironment {
  ClusterSpec cluster;  // without jobs for an evaluator, and if there is none
  TaskName task = {.job = kWorkerJob, .index = 0};
  // The number of this task among all: the chief, then other jobs by name,
  // parameter servers last. None for an evaluator.
  std::optional<int> global_id = 0;
  std::string master;             // target of sessions that train; "": here
  std::string evaluation_master;  // of those that evaluate
  bool is_chief = true;
  int num_ps_replicas = 0;
  int num_worker_replicas = 1;  // the chief among them
  std::string model_dir;        // "" if it names none

  bool has_cluster() const { return !cluster.jobs().empty(); }
};

// Reads a text of that form; an empty one is a place without a cluster. Returns
// INVALID_ARGUMENT, with line and column for what is not JSON, for a task that
// the cluster does not have, and for a cluster without one chief.
StatusOr<ClusterEnvironment> ParseTfConfig(absl::string_view json);

// Does so with the environment's variable.
StatusOr<ClusterEnvironment> ReadTfConfig();

}  // namespace millrace::train
