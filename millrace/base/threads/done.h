// Done: the one-shot, move-only completion callback of asynchronous calls.
//
// Calling it twice is a bug of ours and aborts. Dropping it completes it with
// INTERNAL "callback was dropped: FILE:LINE", with the place where it was made,
// so a forgotten callback is an error with a name and never a hang. No lock may
// be held while it is called or dropped.
#pragma once

#include <utility>

#include "absl/functional/any_invocable.h"
#include "millrace/base/status.h"

namespace millrace {

class Done {
 public:
  using Function = absl::AnyInvocable<void(Status) &&>;

  Done() = default;
  // Records the caller's place in the code.
  template <class F>
  requires std::is_invocable_v<F, Status> Done(
      F f, const char* file = __builtin_FILE(), int line = __builtin_LINE())
      : f_(std::move(f)),
        file_(file),
        line_(line) {}  // NOLINT: from any callable
  Done(Done&& o) noexcept
      : f_(std::move(o.f_)),
        file_(std::exchange(o.file_, nullptr)),
        line_(o.line_) {}
  Done& operator=(Done&& o) noexcept {
    if (this != &o) {
      Drop();
      f_ = std::move(o.f_);
      file_ = std::exchange(o.file_, nullptr);
      line_ = o.line_;
    }
    return *this;
  }
  ~Done() { Drop(); }

  // Completes the call: `std::move(done)(status)`.
  void operator()(Status status) && {
    if (file_ == nullptr) [[unlikely]]
      DieCalledTwice();
    file_ = nullptr;
    Function f = std::move(f_);
    std::move(f)(std::move(status));
  }
  explicit operator bool() const { return file_ != nullptr; }

 private:
  void Drop() {
    if (file_ != nullptr) [[unlikely]]
      CompleteDropped();
  }
  void CompleteDropped();
  [[noreturn]] static void DieCalledTwice();

  Function f_;
  const char* file_ = nullptr;  // where it was made; null: nothing to call
  int line_ = 0;
};

}  // namespace millrace
