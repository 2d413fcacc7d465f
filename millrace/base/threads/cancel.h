// CancelScope: a tree of operations that can be cancelled: server, session,
// step, kernel or call. Cancelling a scope cancels all scopes below it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "millrace/base/clock.h"
#include "millrace/base/memory/ref.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/timer.h"

namespace millrace {

// Thread-safe. A parent may be destroyed before its children.
class CancelScope {
 public:
  using Token = uint64_t;  // 0: none

  // The result of Register: a token, or the reason for the cancellation.
  struct Registration {
    Token token = 0;
    Status status;
    bool ok() const { return status.ok(); }
  };

  CancelScope();                              // a root
  explicit CancelScope(CancelScope* parent);  // null: a root
  // Leaves the tree. Callbacks that are still registered are dropped, the
  // deadlines of CancelAt are removed, and a callback that is running on
  // another thread is waited for.
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

  // Cancels this scope and all scopes below it. The first reason wins; an OK
  // reason counts as CANCELLED. Callbacks run on the calling thread, under no
  // lock, in the order of their registration, those of child scopes afterwards.
  void Cancel(Status reason);

  bool cancelled() const;
  // Returns OK, or the reason of the cancellation.
  Status status() const;

  // Registers `callback`, which runs once, on the thread that cancels, if the
  // scope is cancelled; it must not block. If the scope is already cancelled,
  // nothing is registered, the callback does not run, and the reason is
  // returned.
  [[nodiscard]] Registration Register(absl::AnyInvocable<void()> callback);
  // Returns true if the callback has not run and never will, false if it ran.
  // Blocks while it is running on another thread. May be called from inside the
  // callback. Must not be called under a lock that the callback takes. Returns
  // true for the token 0.
  bool Unregister(Token token);

  // Cancels with `reason` at the deadline. `timer` must outlive this scope.
  void CancelAt(Deadline deadline, Timer& timer, Status reason);

 private:
  struct State;
  Ref<State> state_;
};

}  // namespace millrace
