#include "millrace/rpc/loopback/loopback_call.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/base/sim/sim.h"
#include "millrace/base/threads/wait.h"
#include "millrace/rpc/call_status.h"
#include "millrace/rpc/owned_bytes.h"

namespace millrace {
namespace {

// Copies, since simulated processes share no memory, as real ones would not.
ByteChunks OverTheWire(ByteChunks bytes) {
  return SimWorld::Current() != nullptr ? CopiedBytes(bytes)
                                        : OwnedBytes(std::move(bytes));
}

}  // namespace

uint64_t LoopbackDoor::Enter(LoopbackCall* call) {
  MutexLock lock(mu_);
  if (closed_) return 0;
  open_[++arrivals_] = call;
  return arrivals_;
}

void LoopbackDoor::Leave(uint64_t number) {
  MutexLock lock(mu_);
  open_.erase(number);
  if (open_.empty()) left_.NotifyAll();
}

void LoopbackDoor::Shutdown(Deadline deadline) {
  {
    MutexLock lock(mu_);
    closed_ = true;
    while (!open_.empty() && !deadline.expired()) {
      left_.WaitUntil(mu_, deadline);
    }
    if (open_.empty()) return;
  }
  scope_.Cancel(ShuttingDown(address_));
  MutexLock lock(mu_);
  if (open_.empty()) return;
  WaitScope wait(absl::StrCat(open_.begin()->second->method().name, " and ",
                              open_.size() - 1, " other calls to answer"));
  while (!open_.empty()) left_.Wait(mu_);
}

void LoopbackDoor::Kill() {
  std::vector<Ref<LoopbackCall>> open;
  {
    MutexLock lock(mu_);
    closed_ = true;
    for (const auto& [number, call] : open_) {
      open.push_back(Ref<LoopbackCall>::Share(call));
    }
  }
  for (const auto& call : open) {
    call->Finish(ConnectionReset(call->address(), ""));
  }
  scope_.Cancel(ConnectionReset(address_, ""));
}

LoopbackCall::LoopbackCall(const Method& method, absl::string_view address,
                           CallContext& context, std::string caller,
                           ByteChunks* reply, Done done, Ref<LoopbackDoor> door)
    : PendingCall(method, address, context, reply, std::move(done)),
      door_(std::move(door)),
      server_scope_(door_ ? door_->scope() : nullptr) {
  server_context_.deadline = context.deadline;
  server_context_.cancel = &server_scope_;
  server_context_.peer = [caller = std::move(caller)] { return caller; };
}

void LoopbackCall::Send(ByteChunks request) {
  if (!door_) {
    Finish(CannotConnect(address(), "connection refused"));
    return;
  }
  request_ = OverTheWire(std::move(request));
  door_->lanes().control.Schedule(
      [self = Ref<LoopbackCall>::Share(this)] { self->Run(); });
}

void LoopbackCall::OnGiveUp(const Status& reason) {
  if (!door_) return;
  // The handler is cancelled in its own process, and not while that is frozen.
  door_->lanes().control.Schedule(
      [self = Ref<LoopbackCall>::Share(this),
       why = reason.code() == StatusCode::kDeadlineExceeded
                 ? reason
                 : Cancelled("the caller has given up: ", reason.message())] {
        self->CancelHandler(why);
      });
}

void LoopbackCall::Run() {
  const auto self = Ref<LoopbackCall>::Share(this);
  // Here and not in Send: a caller that freezes while it sends would keep the
  // door from closing.
  number_ = door_->Enter(this);
  if (number_ == 0) {
    Finish(CannotConnect(address(), "connection refused"));
    return;
  }
  const Status status = server_context_.Check();
  if (!status.ok()) {
    Answer(status);
    return;
  }
  server_scope_.CancelAt(server_context_.deadline, door_->lanes().timer,
                         CallTimedOut(method(), door_->address()));
  Serve(door_->services(), method().id, server_context_, request_,
        &server_reply_, [self](Status s) { self->Answer(s); });
  request_ = {};
}

void LoopbackCall::Answer(const Status& status) {
  Finish(ReplyStatus(method(), status), OverTheWire(std::move(server_reply_)));
  door_->Leave(number_);
}

}  // namespace millrace
