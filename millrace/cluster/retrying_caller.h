// RetryingCaller: retries calls of methods that may be retried, gives calls
// their method's deadline, and names the task that does not answer.
#pragma once

#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/protocol/caller.h"

namespace millrace {

// Thread-safe. Must outlive its calls.
class RetryingCaller final : public Caller {
 public:
  // `who` is "task /job:ps/replica:0/task:0 (host:port)". `observe` receives
  // the outcome of each attempt, on any thread.
  RetryingCaller(std::shared_ptr<Caller> caller, Lanes& lanes, std::string who,
                 absl::AnyInvocable<void(const Status&) const> observe);

  void Call(const Method& method, CallContext& context, ByteChunks request,
            ByteChunks* reply, Done done) override;

  // Returns `status` with the task's name added, if it is an UNAVAILABLE that
  // names no task.
  Status WithTask(const Status& status) const;

 private:
  class RetriedCall;

  const std::shared_ptr<Caller> caller_;
  Lanes& lanes_;
  const std::string who_;
  const absl::AnyInvocable<void(const Status&) const> observe_;
};

}  // namespace millrace
