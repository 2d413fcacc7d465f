#include "millrace/rpc/fault/fault_call.h"

#include <utility>

#include "millrace/rpc/call_status.h"
#include "millrace/rpc/owned_bytes.h"

namespace millrace {

FaultCall::FaultCall(std::shared_ptr<FaultNetwork::State> network,
                     std::shared_ptr<Caller> base, std::string from,
                     std::string to, const Method& method,
                     absl::string_view address, CallContext& context,
                     ByteChunks* reply, Done done)
    : PendingCall(method, address, context, reply, std::move(done)),
      network_(std::move(network)),
      base_(std::move(base)),
      from_(std::move(from)),
      to_(std::move(to)),
      deadline_(context.deadline) {}

void FaultCall::Start(ByteChunks request) {
  request_ = OwnedBytes(std::move(request));
  plan_ = network_->Decide(method());
  life_ = network_->StartsOf(address());
  if (plan_.reset) After(plan_.reset_delay, &FaultCall::ResetAll);
  if (plan_.request_lost) {
    network_->Count(Fault::kRequestLost, *this);
    After(plan_.loss_delay, &FaultCall::Lose);
    return;
  }
  if (plan_.request_delay > 0) network_->Count(Fault::kRequestDelayed, *this);
  After(plan_.request_delay, &FaultCall::SendRequest);
}

void FaultCall::After(int64_t nanos, void (FaultCall::*step)()) {
  if (nanos == 0) {
    (this->*step)();
    return;
  }
  lanes().timer.RunAt(
      Deadline::After(nanos), [self = Ref<FaultCall>::Share(this), step] {
        self->lanes().control.Schedule([self, step] { (self.get()->*step)(); });
      });
}

void FaultCall::Pass(absl::AnyInvocable<void()> task) {
  if (!network_->WhenConnected(from_, to_, lanes(), std::move(task))) {
    network_->Count(Fault::kHeld, *this);
  }
}

void FaultCall::SendRequest() {
  Pass([self = Ref<FaultCall>::Share(this)] { self->Send(Copy::kFirst); });
  if (!plan_.duplicated) return;
  network_->Count(Fault::kDuplicated, *this);
  After(plan_.duplicate_delay, &FaultCall::SendDuplicate);
}

void FaultCall::SendDuplicate() {
  Pass([self = Ref<FaultCall>::Share(this)] { self->Send(Copy::kSecond); });
}

void FaultCall::Send(Copy copy) {
  const bool counts = copy == Copy::kFirst;
  // A connection ends with the process that it led to.
  if (network_->StartsOf(address()) != life_) {
    if (counts) Lose();
    return;
  }
  const auto attempt = MakeRef<Attempt>();
  attempt->context.deadline = deadline_;
  attempt->context.cancel = &attempt->scope;
  {
    MutexLock lock(mu_);
    attempts_.push_back(attempt);
  }
  // A cancellation while the request was in flight did not find this attempt.
  // The request arrives all the same, and is cancelled right after.
  const bool late = counts && finished();
  base_->Call(
      method(), attempt->context, request_, &attempt->reply,
      [self = Ref<FaultCall>::Share(this), attempt, counts](Status status) {
        if (counts) self->OnReply(attempt, std::move(status));
      });
  if (late) attempt->scope.Cancel(Cancelled("the caller has given up"));
}

void FaultCall::OnReply(const Ref<Attempt>& attempt, Status status) {
  reply_status_ = std::move(status);
  reply_bytes_ = std::move(attempt->reply);
  if (plan_.reply_lost) {
    network_->Count(Fault::kReplyLost, *this);
    After(plan_.loss_delay, &FaultCall::Lose);
    return;
  }
  if (plan_.reply_delay > 0) network_->Count(Fault::kReplyDelayed, *this);
  After(plan_.reply_delay, &FaultCall::DeliverReply);
}

void FaultCall::DeliverReply() {
  Pass([self = Ref<FaultCall>::Share(this)] {
    self->Finish(std::move(self->reply_status_), std::move(self->reply_bytes_));
  });
}

void FaultCall::Lose() { Finish(ConnectionReset(address(), "")); }

void FaultCall::ResetAll() {
  if (finished()) return;
  network_->Count(Fault::kReset, *this);
  network_->Reset(from_, to_);
}

void FaultCall::Break() {
  Finish(ConnectionReset(address(), ""));
  CancelHandlers(Cancelled("the connection of the caller was reset"));
}

void FaultCall::CancelHandlers(const Status& reason) {
  std::vector<Ref<Attempt>> attempts;
  {
    MutexLock lock(mu_);
    attempts = attempts_;
  }
  for (const auto& attempt : attempts) attempt->scope.Cancel(reason);
}

void FaultCall::OnGiveUp(const Status& reason) {
  // During a partition the callee learns nothing until it is over.
  Pass([self = Ref<FaultCall>::Share(this), reason] {
    self->CancelHandlers(reason);
  });
}

}  // namespace millrace
