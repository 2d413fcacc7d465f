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

  RecvTensorCall(WorkerState& worker, Ref<StepTable::Step> step,
                 int64_t request_id);
  ~RecvTensorCall() override;
  bool Attach(CallContext& context, RecvTensorReply* reply,
              Done& done) override {
    return calls_.Add(context, reply, done);
  }

 private:
  void Start(const RecvTensorRequest& request, Deadline deadline);
  void Finish(Status status, Tensor value, bool is_dead);

  const ActiveCall active_;  // the first member: goes last
  WorkerState& worker_;
  const Ref<StepTable::Step> step_;
  const int64_t request_id_;
  CancelScope scope_;
  AttachedCalls<RecvTensorReply> calls_;
};

// Whether this task has the device of a key's sender, in the incarnation that
// the key says. ABORTED "RecvTensor expects a different device incarnation"
// with stock's payload if it was restarted since.
Status CheckSender(const WorkerState& worker, absl::string_view key);

}  // namespace millrace
