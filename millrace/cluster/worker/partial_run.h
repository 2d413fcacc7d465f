// PartialRun: a step whose values arrive and leave in several RunGraph calls.
#pragma once

#include <memory>
#include <vector>

#include "absl/container/btree_map.h"
#include "millrace/cluster/remote_rendezvous.h"
#include "millrace/cluster/worker/attached_calls.h"
#include "millrace/cluster/worker/worker_session.h"
#include "millrace/cluster/worker/worker_state.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/kernel/step_container.h"

namespace millrace {

// The first call starts the plans; each call brings values and waits for those
// that it asks for, the last one also for the end of the plans. An error of any
// of them ends the step. Thread-safe.
class PartialRun final : public StepRun {
 public:
  // Answers a call, of an existing run or of one that it begins. What the first
  // run of a graph needs is compiled on the inter-op pool.
  static void Serve(WorkerState& worker, Ref<WorkerSession> session,
                    std::shared_ptr<RegisteredGraph> graph,
                    CallContext& context, const RunGraphRequest& request,
                    RunGraphReply* reply, Done done);

  PartialRun(WorkerState& worker, Ref<WorkerSession> session,
             std::shared_ptr<RegisteredGraph> graph, int64_t step_id);
  ~PartialRun() override;
  void Cancel(const Status& reason) override;

 private:
  class Call;
  // Returns the run; begins it with `plans` if there is none.
  static StatusOr<Ref<PartialRun>> FindOrBegin(
      WorkerState& worker, const Ref<WorkerSession>& session,
      const std::shared_ptr<RegisteredGraph>& graph, int64_t step_id,
      std::shared_ptr<const PlanSet> plans);
  void Take(CallContext& context, const RunGraphRequest& request,
            RunGraphReply* reply, Done done);
  Status Begin(std::shared_ptr<const PlanSet> plans);
  void OnPlansDone(const Status& status);
  // Returns true, and sets `*status`, if the plans have ended; otherwise adds
  // the call to those that wait for it.
  bool WaitForEnd(const Ref<Call>& call, Status* status);

  const ActiveCall active_;  // the first member: destroyed last
  WorkerState& worker_;
  const Ref<WorkerSession> session_;
  const std::shared_ptr<RegisteredGraph> graph_;
  const int64_t step_id_;
  CancelScope scope_;
  CancelScope::Token abort_token_ = 0;
  RequestLog<Call> requests_;
  Ref<StepTable::Step> step_;
  Ref<RemoteRendezvous> rendezvous_;
  StepContainer container_;
  StepEnvironment environment_;
  std::vector<Tensor> retvals_;

  Mutex mu_;  // guards all below
  bool ended_ = false;
  Status status_;
  std::vector<Ref<Call>> waiting_;
};

}  // namespace millrace
