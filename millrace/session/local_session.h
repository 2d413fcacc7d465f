// LocalSession: a session inside this process, with state of its own.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "absl/types/span.h"
#include "millrace/base/files/file.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/exec/function_runtime.h"
#include "millrace/exec/kernel_cache.h"
#include "millrace/exec/plan_set.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/session_tensors.h"
#include "millrace/protocol/config.h"
#include "millrace/protocol/run_options.h"
#include "millrace/protocol/step_stats.h"
#include "millrace/session/graph_state.h"

namespace millrace {

// The tables, devices and options of a session.
struct LocalSessionOptions {
  const OpRegistry* ops = nullptr;
  const KernelTable* kernels = nullptr;
  ConfigOptions config;
  // The session's own devices; its variables are destroyed with them.
  std::vector<std::unique_ptr<Device>> devices;
  FileSystem* files = nullptr;                     // null: DefaultFiles()
  FunctionDifferentiator differentiate = nullptr;  // null: no gradients
  size_t max_prepared_runs = kMaxPreparedRuns;
};

// Thread-safe: many threads may call Run at once. Extend waits for no run:
// running plans keep the objects that they need. A run of a kind that is new
// splits the graph, which keeps others off for that time; then it makes its
// kernels, which may have to be compiled, beside everything else.
class LocalSession {
 public:
  static StatusOr<std::unique_ptr<LocalSession>> Create(
      LocalSessionOptions options);
  // Cancels all runs and waits for their ends.
  ~LocalSession();

  // Adds nodes to the graph; changes nothing on an error.
  Status Extend(const GraphDef& def);

  struct RunRequest {
    // Tensor names and their values.
    std::vector<std::pair<std::string, Tensor>> feeds;
    std::vector<std::string> fetches;
    std::vector<std::string> targets;
    RunOptions options;
    CancelScope* cancel = nullptr;  // the caller's, may be null
  };
  // Runs on the calling thread as far as possible. `outputs` are in the order
  // of the fetches. Returns DEADLINE_EXCEEDED after options.timeout_ms, or the
  // session's operation_timeout_ms. `metadata` may be null.
  Status Run(const RunRequest& request, std::vector<Tensor>* outputs,
             RunMetadata* metadata);

  // A run signature that is prepared once, so that runs do not look it up. The
  // session keeps the max_prepared_runs that ran last; callers may keep others
  // alive, but not longer than the session. A signature that is destroyed frees
  // its plans, functions and kernels, except the kernels of stateful nodes.
  struct Prepared;
  StatusOr<std::shared_ptr<const Prepared>> Prepare(
      const RunSignature& signature);
  Status RunPrepared(const Prepared& prepared, std::vector<Tensor> feeds,
                     const RunOptions& options, CancelScope* cancel,
                     std::vector<Tensor>* outputs, RunMetadata* metadata);

  // Begin a step that is fed and fetched in several calls, and do one of them:
  // see LocalPartialRun. A step ends with the call after which all is fed and
  // fetched, with an error of a call, or with the session.
  StatusOr<std::string> SetUpPartialRun(const RunSignature& signature);
  Status RunPartially(const std::string& handle,
                      std::vector<std::pair<std::string, Tensor>> feeds,
                      const std::vector<std::string>& fetches,
                      CancelScope* cancel, std::vector<Tensor>* outputs);

  struct Counts {
    int64_t prepared = 0;  // that the session keeps
    int64_t kernels = 0;   // of all that is prepared and of stateful nodes
  };
  Counts counts();
  std::vector<DeviceAttributes> ListDevices() const;
  // Ends all runs with CANCELLED, without waiting for their ends; later runs
  // fail. Idempotent.
  Status Close();

 private:
  explicit LocalSession(LocalSessionOptions options);
  Device* FindDevice(absl::string_view name) const;
  struct Parts;
  // Reads the session's graph; requires mu_.
  StatusOr<Parts> Split(const RunSignature& signature, bool partial);
  // Makes the plans; does not hold mu_.
  StatusOr<std::shared_ptr<const Prepared>> BuildPlans(Parts parts);
  std::shared_ptr<const Prepared> TakeOldest();
  // Begins a step and returns its id; CANCELLED if the session is closed.
  StatusOr<int64_t> BeginStep(const Prepared& prepared);
  void EndStep();
  // Runs the plans and waits for their ends. `stats` may be null.
  Status RunStep(const Prepared& prepared, int64_t step_id,
                 absl::Span<const Tensor> feeds, const RunOptions& options,
                 CancelScope* cancel, StepStatsCollector* stats,
                 std::vector<Tensor>* retvals);

  LocalSessionOptions options_;
  std::vector<PlaceableDevice> placeable_;
  PlacementOptions placement_;
  CancelScope scope_;
  SessionTensors tensors_;
  std::shared_ptr<FunctionTargets> targets_;  // the session's devices

  Mutex mu_;  // guards all below
  CondVar idle_;
  GraphState graph_;
  std::unique_ptr<KernelCache> kernels_;
  absl::flat_hash_map<RunSignature, std::shared_ptr<const Prepared>> prepared_;
  absl::flat_hash_set<RunSignature> preparing_;  // by some thread
  CondVar one_prepared_;
  absl::flat_hash_map<std::string, std::shared_ptr<class LocalPartialRun>>
      partial_runs_;
  int64_t next_step_ = 1;
  int running_ = 0;
  bool closed_ = false;
};

}  // namespace millrace
