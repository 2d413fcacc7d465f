#include "millrace/rpc/grpc/server_call.h"

#include "millrace/rpc/call_status.h"
#include "millrace/rpc/grpc/wire_status.h"

namespace millrace {

void ServerCall::Release() {
  if (events_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  CallHost* host = accepted_ ? host_ : nullptr;
  scope_.reset();  // waits for a callback that runs, while all of *this lives
  delete this;
  if (host) host->OnClosed();
}

bool ServerCall::Begin(const Method* method, CancelScope* parent) {
  accepted_ = true;
  accepted_nanos_ = NowNanos();
  deadline_ = FromTimespec(context_->raw_deadline());
  const bool open = host_->OnAccepted();
  method_ = method;
  scope_.emplace(parent);
  bool over;
  {
    MutexLock lock(mu_);
    begun_ = true;
    over = is_over_;
  }
  if (over) CancelAtEnd();
  return open;
}

void ServerCall::OnCallOver(bool) {
  {
    // Another thread may still be in Begin, which then does the rest.
    MutexLock lock(mu_);
    is_over_ = true;
    if (!begun_) return;
  }
  CancelAtEnd();
}

void ServerCall::CancelAtEnd() {
  if (!context_->IsCancelled()) return;
  // A caller whose deadline passes resets the call a little before the deadline
  // passes here, since gRPC rounds deadlines up.
  const int64_t left = deadline_.remaining_nanos();
  const int64_t total = deadline_.nanos() - accepted_nanos_;
  const bool timed_out =
      !deadline_.infinite() && left <= total / 64 + 50'000'000;
  scope_->Cancel(timed_out && method_
                     ? CallTimedOut(*method_, host_->address())
                     : Cancelled("the caller has given up or is gone"));
}

}  // namespace millrace
