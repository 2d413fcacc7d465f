// RunGraphCall: one step of a registered graph, from RunGraph to its reply.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "millrace/cluster/remote_rendezvous.h"
#include "millrace/cluster/worker/attached_calls.h"
#include "millrace/cluster/worker/worker_session.h"
#include "millrace/cluster/worker/worker_state.h"
#include "millrace/exec/step_stats.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/kernel/step_container.h"

namespace millrace {

// A state machine: Start takes the fed values and starts the plans; the plans
// and the receives of keys that are not slots end in any order; the last of
// them answers. Cancelled by the calls that wait for it, the session, the
// cleanup of the step, its deadline, or the loss of its master. Thread-safe.
class RunGraphCall final : public StepRun {
 public:
  // `request` must live until the call that brought it is answered.
  RunGraphCall(WorkerState& worker, Ref<WorkerSession> session,
               std::shared_ptr<RegisteredGraph> graph,
               const RunGraphRequest& request, Deadline deadline);
  ~RunGraphCall() override;

  // Attaches a call, which gets the same reply. Returns false, with `done`
  // untouched, if the step has ended.
  bool Attach(CallContext& context, RunGraphReply* reply, Done& done) {
    return calls_.Add(context, reply, done);
  }
  // Starts the step. Requires: called once, after the first Attach.
  void Start();
  void Cancel(const Status& reason) override { scope_.Cancel(reason); }

 private:
  Status Prepare();
  void ChooseStats();
  Status FillArgs();
  void RunPlans();
  void StartReceive(const std::string& key, Tensor* place);
  void PartDone(const Status& status);
  void Finish(Status status);
  Status CollectValues(RunGraphReply* reply);

  const ActiveCall active_;  // the first member: destroyed last
  WorkerState& worker_;
  const Ref<WorkerSession> session_;
  const std::shared_ptr<RegisteredGraph> graph_;
  const RunGraphRequest& request_;
  const int64_t step_id_;
  CancelScope scope_;
  AttachedCalls<RunGraphReply> calls_;
  CancelScope::Token abort_token_ = 0;
  Ref<StepTable::Step> step_;
  Ref<RemoteRendezvous> rendezvous_;
  StepContainer container_;
  StepEnvironment environment_;
  std::shared_ptr<StepStatsCollector> stats_;  // null: not recorded
  std::vector<Tensor> args_;
  std::vector<Tensor> retvals_;
  std::vector<Tensor> received_;  // by recv_key; of keys that are not slots
  std::atomic<int> pending_{0};
  Mutex mu_;
  Status status_;  // guarded by mu_ until the last part is done
};

// Puts the outcome of a step where the request asks for it.
void AnswerRunGraph(const RunGraphRequest& request, Status status,
                    RunGraphReply* reply, Done done);
// Returns the error of a fetch of a dead value.
Status DeadFetch(absl::string_view name);

}  // namespace millrace
