// RetryingCaller: sends calls of retried methods again, gives calls their
// method's deadline, and says which task does not answer.
#pragma once

#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/protocol/caller.h"

namespace millrace {

// Thread-safe. Outlives its calls.
class RetryingCaller final : public Caller {
 public:
  // `who`: "task /job:ps/replica:0/task:0 (host:port)". `observe` gets the
  // outcome of each attempt, on any thread.
  RetryingCaller(std::shared_ptr<Caller> caller, Lanes& lanes, std::string who,
                 absl::AnyInvocable<void(const Status&) const> observe);

  void Call(const Method& method, CallContext& context, ByteChunks request,
            ByteChunks* reply, Done done) override;

  // `status` with the task's name, if it is an UNAVAILABLE that names none.
  Status WithTask(const Status& status) const;

 private:
  class RetriedCall;

  const std::shared_ptr<Caller> caller_;
  Lanes& lanes_;
  const std::string who_;
  const absl::AnyInvocable<void(const Status&) const> observe_;
};

}  // namespace millrace
