#include "millrace/rpc/pending_call.h"

#include <utility>

#include "millrace/rpc/call_status.h"
#include "millrace/rpc/short_call.h"

namespace millrace {

PendingCall::PendingCall(const Method& method, absl::string_view address,
                         CallContext& context, ByteChunks* reply, Done done)
    : method_(method),
      address_(address),
      lanes_(&Lanes::Process()),
      context_(&context),
      reply_(reply),
      done_(std::move(done)) {}

bool PendingCall::Begin() {
  Status over;
  if (context_->cancel != nullptr) {
    const auto self = Ref<PendingCall>::Share(this);
    CancelScope* scope = context_->cancel;
    const CancelScope::Registration r =
        scope->Register([self, scope] { self->GiveUp(scope->status()); });
    if (r.ok()) {
      token_ = r.token;
    } else {
      over = r.status;
    }
  }
  if (over.ok() && !context_->deadline.infinite()) {
    if (context_->deadline.expired()) {
      over = CallTimedOut(method_, address_);
    } else {
      timer_ = lanes_->timer.RunAt(
          context_->deadline, [self = Ref<PendingCall>::Share(this)] {
            self->GiveUp(CallTimedOut(self->method_, self->address_));
          });
    }
  }
  if (!over.ok()) Finish(std::move(over));
  bool finished;
  {
    MutexLock lock(mu_);
    begun_ = true;
    finished = finished_;
  }
  if (finished) Post(lanes_->control);
  return !finished;
}

bool PendingCall::SetOutcome(Status status, ByteChunks reply, bool* begun) {
  MutexLock lock(mu_);
  if (finished_) return false;
  finished_ = true;
  status_ = std::move(status);
  result_ = std::move(reply);
  // Otherwise Begin posts, after it has written what Deliver unregisters.
  *begun = begun_;
  return true;
}

bool PendingCall::Finish(Status status, ByteChunks reply) {
  bool begun = false;
  ThreadPool& lane = LaneOf(*lanes_, reply.size_bytes());
  if (!SetOutcome(std::move(status), std::move(reply), &begun)) return false;
  if (begun) Post(lane);
  return true;
}

bool PendingCall::FinishInline(Status status, ByteChunks reply) {
  bool begun = false;
  if (!SetOutcome(std::move(status), std::move(reply), &begun)) return false;
  if (begun) Deliver();
  return true;
}

bool PendingCall::finished() const {
  MutexLock lock(mu_);
  return finished_;
}

void PendingCall::GiveUp(const Status& reason) {
  if (Finish(reason)) OnGiveUp(reason);
}

void PendingCall::Post(ThreadPool& lane) {
  lane.Schedule([self = Ref<PendingCall>::Share(this)] { self->Deliver(); });
}

void PendingCall::Deliver() {
  if (context_->cancel != nullptr) context_->cancel->Unregister(token_);
  if (timer_ != 0) lanes_->timer.Cancel(timer_);
  Status status;
  {
    MutexLock lock(mu_);
    status = std::move(status_);
    if (status.ok()) *reply_ = std::move(result_);
  }
  Done done = std::move(done_);
  std::move(done)(std::move(status));
}

}  // namespace millrace
