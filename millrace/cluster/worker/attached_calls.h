// AttachedCalls: the calls that wait for one piece of work. Usually there is
// one; a duplicate request attaches to the same work.
#pragma once

#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "millrace/base/threads/done.h"
#include "millrace/base/threads/thread.h"
#include "millrace/protocol/call_context.h"

namespace millrace {

// Thread-safe. Must be completed before it is destroyed.
template <class Reply>
class AttachedCalls {
 public:
  // `abandoned` runs when all calls have been cancelled, with the reason of the
  // last one, on the thread that cancels. It may lead to Complete.
  explicit AttachedCalls(absl::AnyInvocable<void(Status)> abandoned)
      : abandoned_(std::move(abandoned)) {}

  // Adds a call. Returns false, with `done` untouched, if the work is complete.
  // `context` and `reply` must live until `done`.
  bool Add(CallContext& context, Reply* reply, Done& done) {
    Status cancelled;
    {
      MutexLock lock(mu_);
      if (complete_) return false;
      calls_.push_back({&context, 0, reply, std::move(done)});
      ++waiting_;
      if (context.cancel == nullptr) return true;
      auto registration = context.cancel->Register(
          [this, scope = context.cancel] { OnCancelled(scope->status()); });
      calls_.back().token = registration.token;
      cancelled = std::move(registration.status);
    }
    if (!cancelled.ok()) OnCancelled(cancelled);
    return true;
  }

  // Answers all calls. `reply` is moved to the first of them, and copied to the
  // others.
  void Complete(Reply reply, const Status& status) {
    std::vector<Waiting> calls;
    {
      MutexLock lock(mu_);
      complete_ = true;
      calls.swap(calls_);
    }
    for (Waiting& call : calls) {
      if (call.context->cancel != nullptr)
        call.context->cancel->Unregister(call.token);
    }
    for (size_t i = calls.size(); i-- > 0;) {
      if (i == 0) {
        *calls[i].reply = std::move(reply);
      } else {
        *calls[i].reply = reply;
      }
      std::move(calls[i].done)(status);
    }
  }

 private:
  struct Waiting {
    CallContext* context;
    CancelScope::Token token;
    Reply* reply;
    Done done;
  };

  void OnCancelled(Status reason) {
    {
      MutexLock lock(mu_);
      if (complete_ || --waiting_ > 0) return;
    }
    abandoned_(std::move(reason));
  }

  absl::AnyInvocable<void(Status)> abandoned_;
  Mutex mu_;  // guards all below
  bool complete_ = false;
  int waiting_ = 0;  // not cancelled
  std::vector<Waiting> calls_;
};

}  // namespace millrace
