// RemoteMaster: the master of a cluster session, called by threads that wait.
// Private to client/.
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
  // INVALID_ARGUMENT for a target that is no "grpc://host:port".
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

  // Calls and waits for the end. `cancel` ends the call, as does the session's
  // end unless `closes`.
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

  // The same again while its answers get lost: until `deadline`, for
  // kAnswersLostMs after the first of them, and not if the server is silent.
  // Only for calls that may come twice.
  template <class Request, class Reply>
  Status CallUntilAnswered(void (MasterApi::*method)(CallContext&,
                                                     const Request&, Reply*,
                                                     Done),
                           const Request& request, Reply* reply,
                           Deadline deadline, absl::string_view what) {
    auto scope = std::make_shared<CancelScope>(closing_.get());
    // Over all of them: a silent server is noticed as soon as by one call.
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

  // The same again while nobody can be reached, until `deadline`. Only for
  // calls that do no harm when one is lost on the way.
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
  // Longer than it takes to connect anew.
  static constexpr int64_t kAnswersLostMs = 2'000;

  // Unwatched, its status as it comes.
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

  // When to send again what was sent `attempt` times.
  static Deadline RetryTime(int attempt);
  // With the server's name if it is UNAVAILABLE.
  Status WithServer(const Status& status) const;
  // Until the deadline, or until `scope` is cancelled, with its reason. `why`
  // ends "server at host:port ...".
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
