#include "millrace/cluster/delay.h"

#include <atomic>
#include <memory>
#include <utility>

namespace millrace {
namespace {

struct Pause {
  Pause(Lanes& l, CancelScope& s, absl::AnyInvocable<void()> f)
      : lanes(l), scope(s), then(std::move(f)) {}

  // The first of timer and cancellation posts the rest.
  static void End(const std::shared_ptr<Pause>& pause) {
    if (pause->ended.exchange(true, std::memory_order_acq_rel)) return;
    pause->lanes.control.Schedule([pause] {
      pause->scope.Unregister(pause->token);
      auto then = std::move(pause->then);
      then();
    });
  }

  Lanes& lanes;
  CancelScope& scope;
  absl::AnyInvocable<void()> then;
  std::atomic<CancelScope::Token> token{0};  // may be set after the end
  std::atomic<bool> ended{false};
};

}  // namespace

void RunAfter(Lanes& lanes, CancelScope& scope, Deadline when,
              absl::AnyInvocable<void()> then) {
  auto pause = std::make_shared<Pause>(lanes, scope, std::move(then));
  // Weak, since the scope may keep the callback for as long as it lives.
  const auto registration =
      scope.Register([&lanes, weak = std::weak_ptr<Pause>(pause)] {
        lanes.control.Schedule([weak] {
          if (auto pause = weak.lock()) Pause::End(pause);
        });
      });
  if (!registration.ok()) {
    Pause::End(pause);
    return;
  }
  pause->token = registration.token;
  lanes.timer.RunAt(when, [pause] { Pause::End(pause); });
}

}  // namespace millrace
