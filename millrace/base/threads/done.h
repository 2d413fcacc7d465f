// Done: the one-shot, move-only completion callback of asynchronous calls.
//
// Calling it twice is a bug of ours and aborts. Dropping it completes with
// INTERNAL "dropped", so a forgotten callback is an error with a name and
// never a hang. No lock may be held while it is called.
#pragma once

#include <utility>

#include "absl/functional/any_invocable.h"
#include "millrace/base/status.h"

namespace millrace {

class Done {
 public:
  using Function = absl::AnyInvocable<void(Status) &&>;

  Done() = default;
  template <class F>
  requires std::is_invocable_v<F, Status> Done(F f)
      : f_(std::move(f)), armed_(true) {}  // NOLINT: from any callable
  Done(Done&& o) noexcept
      : f_(std::move(o.f_)), armed_(std::exchange(o.armed_, false)) {}
  Done& operator=(Done&& o) noexcept {
    if (this != &o) {
      Drop();
      f_ = std::move(o.f_);
      armed_ = std::exchange(o.armed_, false);
    }
    return *this;
  }
  ~Done() { Drop(); }

  // Completes. `std::move(done)(status)`.
  void operator()(Status status) && {
    if (!armed_) [[unlikely]]
      DieCalledTwice();
    armed_ = false;
    Function f = std::move(f_);
    std::move(f)(std::move(status));
  }
  explicit operator bool() const { return armed_; }

 private:
  void Drop() {
    if (armed_) [[unlikely]]
      std::move (*this)(Internal("callback was dropped"));
  }
  [[noreturn]] static void DieCalledTwice();

  Function f_;
  bool armed_ = false;
};

}  // namespace millrace
