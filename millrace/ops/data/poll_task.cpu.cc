#include "millrace/ops/data/poll_task.h"

namespace millrace::ops {
namespace {

constexpr int kMaxNested = 4;
thread_local int nested = 0;

}  // namespace

void PollTask::Wake() {
  int state = state_.load();
  for (;;) {
    if (state == kScheduled || state == kWoken) return;
    if (state_.compare_exchange_weak(state,
                                     state == kIdle ? kScheduled : kWoken)) {
      break;
    }
  }
  if (state == kIdle) Schedule();
}

void PollTask::WakeInline() {
  int idle = kIdle;
  if (nested < kMaxNested && state_.compare_exchange_strong(idle, kRunning)) {
    ++nested;
    Run(PollPlace::kInline);
    --nested;
  } else {
    Wake();
  }
}

void PollTask::Schedule() {
  pool_.Schedule([self = shared_from_this()] {
    self->state_.store(kRunning);
    self->Run(PollPlace::kPool);
  });
}

void PollTask::Run(PollPlace place) {
  const std::shared_ptr<PollTask> alive = shared_from_this();
  Poll();
  int running = kRunning;
  if (!state_.compare_exchange_strong(running, kIdle)) {
    // Woken meanwhile. Continues through the pool, so that other tasks have
    // their turn.
    state_.store(kScheduled);
    Schedule();
  }
  AfterPoll(place);
}

}  // namespace millrace::ops
