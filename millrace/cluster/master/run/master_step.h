// MasterStep: one step of a session, from the client's request to its reply.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "millrace/base/threads/wait.h"
#include "millrace/cluster/master/master_session.h"
#include "millrace/cluster/master/run/step_limit.h"

namespace millrace {

struct StepRequest {
  const RunOptions* options = nullptr;
  std::vector<Tensor> feeds;  // in the order of the signature
  int64_t request_id = 0;     // of the client; 0: none
};

// Receives the results of a step: fetches in the order of the signature.
// `metadata` is null unless the options of the run or of the session ask for
// something in it.
using StepDone = absl::AnyInvocable<void(Status, std::vector<Tensor>,
                                         RunMetadata* metadata) &&>;

// A state machine: waits for the run's preparation, calls RunGraph on every
// task that has a part, in parallel, with feeds and fetches inside, and then
// CleanupGraph on each without waiting. The first underived error ends the
// other parts. The client's cancellation, its deadline and the options' timeout
// end the step; the session stays usable. Thread-safe.
class MasterStep final : public RefCounted {
 public:
  // `context` and `request.options` must live until `done`, which may run
  // before this returns.
  static void Start(Ref<MasterSession> session, Ref<PreparedRun> run,
                    CallContext& context, StepRequest request, StepDone done);

  // Ends the step with the error `reason`.
  void Cancel(const Status& reason) { scope_.Cancel(reason); }

  int64_t request_id() const { return request_id_; }
  int64_t step_id() const { return step_id_; }
  int64_t start_nanos() const { return start_nanos_; }
  // Returns "waits for RunGraph on /job:ps/replica:0/task:0", for status pages.
  std::string Describe();

 private:
  friend class MasterSession;  // links the steps into a list
  struct Part;

  MasterStep(Ref<MasterSession> session, Ref<PreparedRun> run,
             CallContext& context, StepRequest request);
  ~MasterStep() override;

  // Attaches a duplicate request, which gets the same reply.
  void Attach(StepDone done);
  void WaitForPreparation();
  Status CheckFeeds() const;
  void Launch();
  void BeginTraces();
  void EndTraces(const Status& status);
  Status MakeRequest(Part& part);
  bool is_traced() const { return options_.trace_level != TraceLevel::kNone; }
  bool wants_metadata() const {
    return is_traced() || measures_costs_ || options_.output_partition_graphs;
  }
  void OnPart(Part& part, Status status);
  void OnError(Status error);
  void CancelParts();
  void Finish();
  void FinishWith(Status status);
  Status CollectFetches(std::vector<Tensor>* fetches);
  Status CollectPart(Part& part, std::vector<Tensor>* fetches);
  void CollectMetadata(RunMetadata* metadata);
  void AnswerWithPartitionGraphs(std::vector<Tensor> fetches,
                                 std::unique_ptr<RunMetadata> metadata);
  void Answer(Status status, std::vector<Tensor> fetches,
              RunMetadata* metadata);
  void Cleanup();

  const Ref<MasterSession> session_;
  const Ref<PreparedRun> run_;
  const int64_t step_id_;
  const int64_t request_id_;
  const int64_t start_nanos_;
  const RunOptions options_;
  const StepLimit limit_;
  CancelScope scope_;
  std::vector<Tensor> feeds_;
  StepDone done_;

  // Set by the thread that takes the step out of its wait for the preparation.
  std::atomic<bool> left_preparation_{false};
  CancelScope::Token preparation_token_ = 0;

  std::vector<uint64_t> trace_ids_;  // that the step belongs to; usually none
  bool measures_costs_ = false;      // for the cost model
  std::unique_ptr<Part[]> parts_;
  std::atomic<size_t> num_parts_{0};
  std::atomic<size_t> left_{0};

  Mutex mu_;  // guards all below
  Status error_;
  Timer::Id grace_timer_ = 0;
  bool answered_ = false;
  std::vector<StepDone> attached_;

  // Links of the session's list, guarded by its lock.
  MasterStep* previous_ = nullptr;
  MasterStep* next_ = nullptr;
};

}  // namespace millrace
