// RecvTensorCall: hands a tensor of a step to another task.
#pragma once

#include "millrace/cluster/worker/attached_calls.h"
#include "millrace/cluster/worker/worker_state.h"

namespace millrace {

// Waits in the step's rendezvous until the value is there. Ends with the calls
// that wait for it, their deadline, and the step.
class RecvTensorCall final : public ReceiveCall {
 public:
  static void Serve(WorkerState& worker, CallContext& context,
                    const RecvTensorRequest& request, RecvTensorReply* reply,
                    Done done);

  // `request` must live until the call that brought it is answered.
  RecvTensorCall(WorkerState& worker, Ref<StepTable::Step> step,
                 const RecvTensorRequest& request);
  ~RecvTensorCall() override;
  bool Attach(CallContext& context, RecvTensorReply* reply,
              Done& done) override {
    return calls_.Add(context, reply, done);
  }

 private:
  void Start(Deadline deadline);
  void Finish(StatusOr<RendezvousValue> received);
  int64_t RecordSend(const RecvTensorReply& reply, StepStatsCollector& stats);

  const ActiveCall active_;  // the first member: destroyed last
  WorkerState& worker_;
  const Ref<StepTable::Step> step_;
  const RecvTensorRequest& request_;
  CancelScope scope_;
  AttachedCalls<RecvTensorReply> calls_;
};

// Checks that this task has the device of a key's sender, in the incarnation
// that the key names. Returns ABORTED "RecvTensor expects a different device
// incarnation" with stock's payload if the task was restarted since.
Status CheckSender(const WorkerState& worker, absl::string_view key);

}  // namespace millrace
