// CancelScope: a tree of things that can be cancelled: server, session, step,
// kernel or call. Cancelling a scope cancels all below it.
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

  // What Register gives: a token, or the reason why there is none.
  struct Registration {
    Token token = 0;
    Status status;
    bool ok() const { return status.ok(); }
  };

  CancelScope();                              // a root
  explicit CancelScope(CancelScope* parent);  // null: a root
  // Leaves the tree. Callbacks still registered are dropped, deadlines of
  // CancelAt are taken back, and a callback that runs on another thread is
  // waited for.
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

  // Cancels this scope and all below it. The first reason wins; an OK reason
  // counts as CANCELLED. Callbacks run on this thread in the order of their
  // registration, no lock held, those of children after.
  void Cancel(Status reason);

  bool cancelled() const;
  // OK, or the reason.
  Status status() const;

  // `callback` runs once, on the thread that cancels, if the scope is
  // cancelled; it must not block. If the scope is already cancelled nothing is
  // registered, the callback does not run, and the reason comes back.
  [[nodiscard]] Registration Register(absl::AnyInvocable<void()> callback);
  // True if the callback has not run and never will. False if it ran; if it is
  // running on another thread its end is waited for. May be called from inside
  // the callback. Never call it under a lock that the callback takes.
  // The token 0 gives true.
  bool Unregister(Token token);

  // Cancels with `reason` at the deadline. `timer` outlives this scope.
  void CancelAt(Deadline deadline, Timer& timer, Status reason);

 private:
  struct State;
  Ref<State> state_;
};

}  // namespace millrace
