// RemoteMaster: the master of a cluster session, called by threads that wait.
// Private to client/.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "millrace/base/log.h"
#include "millrace/base/random.h"
#include "millrace/base/wait.h"
#include "millrace/client/server_watch.h"
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
    CallContext context;
    context.deadline = deadline;
    context.cancel = scope.get();
    Notification done;
    Status status;
    {
      const ServerWatch::Guard guard(watch_, scope);
      (master_.get()->*method)(context, request, reply, Done([&](Status s) {
                                 status = std::move(s);
                                 done.Notify();
                               }));
      WaitScope wait(absl::StrCat(what, " at ", address_));
      done.Wait();
    }
    if (cancel) cancel->Unregister(outer.token);
    // A server says UNAVAILABLE of others only, in the body of its answer.
    return absl::IsUnavailable(status)
               ? Prefix(absl::StrCat("Unavailable: ", watch_.who(), ": "),
                        status)
               : status;
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
      const int64_t delay = RetryDelayMillis(attempt);
      const Deadline next = Deadline::AfterMillis(
          delay + static_cast<int64_t>(RandomUint64() % (delay / 2 + 1)));
      if (deadline <= next) {
        return DeadlineExceeded(what, " at ", address_, ": ", status.message());
      }
      if (connect_by <= next) return status;
      MR_LOG_EVERY_SECONDS(Info, 10) << "waiting for the server at " << address_
                                     << ": " << status.message();
      MR_RETURN_IF_ERROR(WaitUntil(next));
    }
  }

 private:
  // Until the deadline, or until the session closes.
  Status WaitUntil(Deadline deadline);

  const std::shared_ptr<Transport> transport_;
  const std::string address_;
  const int64_t timeout_ms_;
  const std::shared_ptr<CancelScope> closing_;  // of the session
  const std::shared_ptr<Caller> caller_;
  const std::unique_ptr<MasterApi> master_;
  ServerWatch watch_;
};

}  // namespace millrace
