// RemoteMaster: blocking calls to the master of a cluster session. Private to
// client/.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "millrace/base/log.h"
#include "millrace/base/threads/wait.h"
#include "millrace/client/backend/server_watch.h"
#include "millrace/client/session.h"
#include "millrace/protocol/caller.h"

namespace millrace {

// Thread-safe.
class RemoteMaster {
 public:
  // Returns INVALID_ARGUMENT for a target that is not "grpc://host:port".
  static StatusOr<std::shared_ptr<RemoteMaster>> Connect(
      const SessionOptions& options, std::shared_ptr<CancelScope> closing);

  RemoteMaster(std::shared_ptr<Transport> transport, std::string address,
               int64_t timeout_ms, std::shared_ptr<CancelScope> closing);

  const std::string& address() const { return address_; }
  int64_t timeout_ms() const { return timeout_ms_; }
  Deadline OperationDeadline() const {
    return timeout_ms_ > 0 ? Deadline::AfterMillis(timeout_ms_)
                           : Deadline::Infinite();
  }

  bool session_is_closing() const { return closing_->cancelled(); }

  // Calls and blocks until the call has ended. `cancel` ends the call, and so
  // does the end of the session unless `closes`.
  template <class Request, class Reply>
  Status Call(void (MasterApi::*method)(CallContext&, const Request&, Reply*,
                                        Done),
              const Request& request, Reply* reply, Deadline deadline,
              CancelScope* cancel, absl::string_view what,
              bool closes = false) {
    auto scope =
        std::make_shared<CancelScope>(closes ? nullptr : closing_.get());
    CancelScope::Registration outer;
    if (cancel) {
      outer = cancel->Register(
          [&scope, cancel] { scope->Cancel(cancel->status()); });
      if (!outer.ok()) return outer.status;
    }
    Status status;
    {
      const ServerWatch::Guard guard(watch_, scope);
      status = CallOnce(method, request, reply, deadline, *scope, what);
    }
    if (cancel) cancel->Unregister(outer.token);
    return WithServer(status);
  }

  // Calls, and retries while replies are lost: until `deadline`, at most for
  // kAnswersLostMs after the first loss, and not if the server is silent. Only
  // for idempotent calls.
  template <class Request, class Reply>
  Status CallUntilAnswered(void (MasterApi::*method)(CallContext&,
                                                     const Request&, Reply*,
                                                     Done),
                           const Request& request, Reply* reply,
                           Deadline deadline, absl::string_view what) {
    auto scope = std::make_shared<CancelScope>(closing_.get());
    // Covers all attempts: a silent server is noticed as soon as in one call.
    const ServerWatch::Guard guard(watch_, scope);
    Deadline last;
    for (int attempt = 1;; ++attempt) {
      *reply = {};
      const Status status =
          CallOnce(method, request, reply, deadline, *scope, what);
      if (!absl::IsUnavailable(status)) return status;
      if (attempt == 1) {
        last = Deadline::Min(deadline, Deadline::AfterMillis(kAnswersLostMs));
      }
      const Deadline next = RetryTime(attempt);
      if (last <= next) return WithServer(status);
      const Status waited = WaitUntil(next, *scope, "to be reached again");
      if (!waited.ok()) return WithServer(waited);
    }
  }

  // Calls, and retries while the server cannot be reached, until `deadline`.
  // Only for calls that may be lost without harm.
  template <class Request, class Reply>
  Status CallWhenUp(void (MasterApi::*method)(CallContext&, const Request&,
                                              Reply*, Done),
                    const Request& request, Reply* reply, Deadline deadline,
                    Deadline connect_by, absl::string_view what) {
    for (int attempt = 1;; ++attempt) {
      const Status status =
          Call(method, request, reply, deadline, nullptr, what);
      const bool unreachable =
          absl::IsUnavailable(status) &&
          absl::StrContains(status.message(), "cannot connect");
      if (!unreachable) return status;
      const Deadline next = RetryTime(attempt);
      if (deadline <= next) {
        return DeadlineExceeded(what, " at ", address_, ": ", status.message());
      }
      if (connect_by <= next) return status;
      MR_LOG_EVERY_SECONDS(Info, 10) << "waiting for the server at " << address_
                                     << ": " << status.message();
      MR_RETURN_IF_ERROR(WaitUntil(next, *closing_, "to come up"));
    }
  }

 private:
  // Longer than it takes to reconnect.
  static constexpr int64_t kAnswersLostMs = 2'000;

  // Calls once, without the watch, and returns the status unchanged.
  template <class Request, class Reply>
  Status CallOnce(void (MasterApi::*method)(CallContext&, const Request&,
                                            Reply*, Done),
                  const Request& request, Reply* reply, Deadline deadline,
                  CancelScope& scope, absl::string_view what) {
    CallContext context;
    context.deadline = deadline;
    context.cancel = &scope;
    Notification done;
    Status status;
    (master_.get()->*method)(context, request, reply, Done([&](Status s) {
                               status = std::move(s);
                               done.Notify();
                             }));
    WaitScope wait(absl::StrCat(what, " at ", address_));
    done.Wait();
    return status;
  }

  // Returns when to retry after `attempt` attempts (backoff).
  static Deadline RetryTime(int attempt);
  // Adds the server's name to an UNAVAILABLE.
  Status WithServer(const Status& status) const;
  // Waits until the deadline, or until `scope` is cancelled, and then returns
  // its reason. `why` ends the wait's name "server at host:port ...".
  Status WaitUntil(Deadline deadline, CancelScope& scope,
                   absl::string_view why) const;

  const std::shared_ptr<Transport> transport_;
  const std::string address_;
  const int64_t timeout_ms_;
  const std::shared_ptr<CancelScope> closing_;  // of the session
  const std::shared_ptr<Caller> caller_;
  const std::unique_ptr<MasterApi> master_;
  ServerWatch watch_;
};

}  // namespace millrace
