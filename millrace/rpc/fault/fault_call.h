// FaultCall: one call through a FaultNetwork. Private to rpc/fault.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/rpc/fault/fault_state.h"
#include "millrace/rpc/pending_call.h"

namespace millrace {

class FaultCall final : public PendingCall {
 public:
  FaultCall(std::shared_ptr<FaultNetwork::State> network,
            std::shared_ptr<Caller> base, std::string from, std::string to,
            const Method& method, absl::string_view address,
            CallContext& context, ByteChunks* reply, Done done);

  // Sends the call. Requires: Begin returned true; called once.
  void Start(ByteChunks request);
  // Breaks the connection: fails the call at the caller, and cancels the
  // handler.
  void Break();

  // Names of the two ends.
  const std::string& from() const { return from_; }
  const std::string& to() const { return to_; }

 private:
  // One transmission of the request. The base transport writes to it.
  struct Attempt final : RefCounted {
    CancelScope scope;
    CallContext context;
    ByteChunks reply;
  };

  void OnGiveUp(const Status& reason) override;
  // Runs `step` on the control lane of the caller after `nanos`; at once if
  // `nanos` is 0.
  void After(int64_t nanos, void (FaultCall::*step)());
  // Runs `task` as soon as no partition is in the way.
  void Pass(absl::AnyInvocable<void()> task);

  void SendRequest();
  void SendDuplicate();
  // The caller receives the reply to the first copy; the reply to the second
  // one is dropped.
  enum class Copy { kFirst, kSecond };
  void Send(Copy copy);
  void OnReply(const Ref<Attempt>& attempt, Status status);
  void DeliverReply();
  void Lose();
  void ResetAll();
  void CancelHandlers(const Status& reason);

  const std::shared_ptr<FaultNetwork::State> network_;
  const std::shared_ptr<Caller> base_;
  const std::string from_, to_;
  const Deadline deadline_;
  FaultPlan plan_;
  int64_t life_ = 0;  // incarnation of the callee when the call began
  ByteChunks request_;
  // The reply to the first copy, between OnReply and DeliverReply.
  Status reply_status_;
  ByteChunks reply_bytes_;

  Mutex mu_;
  std::vector<Ref<Attempt>> attempts_;  // guarded by mu_
};

}  // namespace millrace
