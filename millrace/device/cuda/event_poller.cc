#include "millrace/device/cuda/event_poller.h"

#include <algorithm>
#include <list>

#include "millrace/base/clock.h"
#include "millrace/base/log.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/device/cuda/gpu.h"

namespace millrace::cuda {
namespace {

// Rounds without news until the thread sleeps between them, and how long it
// then sleeps: steps of kernels that take microseconds are awaited awake. Then,
// too, there is a pause between them, since queries and launches meet at locks
// of the driver.
constexpr int kRoundsAwake = 64;
constexpr int64_t kPauseNanos = 3'000;
constexpr int64_t kShortSleepNanos = 20'000;
constexpr int kShortSleeps = 500;
constexpr int64_t kLongSleepNanos = 200'000;
// After this long, a line of the log says what is not done.
constexpr int64_t kSlowNanos = 60'000'000'000;

struct Waiting {
  StreamWait wait;
  int64_t log_at = 0;
};

using Gpus = absl::InlinedVector<std::shared_ptr<Gpu>, 2>;

// Frees what a wait held of the memory of GPUs. Returns these: whoever drops
// the last use of one waits for all its work.
Gpus FreeHeld(StreamWait& wait) {
  Gpus gpus;
  for (Tensor& t : wait.held) {
    Gpu* const gpu = Gpu::Of(t);
    if (gpu == nullptr) continue;
    gpus.push_back(gpu->shared_from_this());
    const size_t bytes = t.buffer()->size_bytes();
    t = Tensor();
    gpu->pool().EndHold(bytes);
  }
  return gpus;
}

}  // namespace

EventPoller& EventPoller::Process() {
  static constinit Mutex mu;
  static constinit EventPoller* poller = nullptr;
  MutexLock lock(mu);
  if (poller == nullptr) poller = new EventPoller;
  return *poller;
}

void EventPoller::Add(StreamWait wait) {
  for (const Tensor& t : wait.held) {
    Gpu* const gpu = Gpu::Of(t);
    if (gpu != nullptr) gpu->pool().Hold(t.buffer()->size_bytes());
  }
  MutexLock lock(mu_);
  added_.push_back(std::move(wait));
  if (!started_) {
    started_ = true;
    thread_ = Thread("gpu events", [this] { Loop(); });
  }
  changed_.NotifyOne();
}

EventPoller::Look EventPoller::LookAt(StreamWait& wait, Status* status) {
  Card& card = wait.gpu->card();
  const Driver& driver = card.driver();
  Result result = driver.CtxSetCurrent(card.context());
  if (result == Result::kSuccess) result = driver.EventQuery(wait.event);
  if (result == Result::kNotReady) return Look::kNotYet;
  if (result == Result::kDeinitialized) return Look::kNoDriver;
  if (result == Result::kSuccess) {
    card.ReturnEvent(wait.event);
    return Look::kEnded;
  }
  // Whatever the error is: nobody knows any more what has been done.
  *status = card.Fail(result, "cuEventQuery");
  card.Drain(wait.stream);
  return Look::kEnded;
}

void EventPoller::Finish(StreamWait wait, Status status) {
  Gpus gpus = FreeHeld(wait);
  Lanes::Process().inter_op.Schedule([wait = std::move(wait),
                                      gpus = std::move(gpus),
                                      status = std::move(status)]() mutable {
    wait.held.clear();
    if (wait.done) std::move(wait.done)(std::move(status));
    gpus.clear();
    wait.gpu.reset();
  });
}

void EventPoller::Loop() {
  // Not freed with this function: when the driver has ended, nobody may use
  // what waits.
  auto& waiting = *new std::list<Waiting>;
  int rounds = 0;  // without news
  while (true) {
    {
      MutexLock lock(mu_);
      while (added_.empty() && waiting.empty()) changed_.Wait(mu_);
      if (added_.empty() && rounds > kRoundsAwake) {
        const bool is_long = rounds > kRoundsAwake + kShortSleeps;
        changed_.WaitUntil(
            mu_, Deadline::After(is_long ? kLongSleepNanos : kShortSleepNanos));
      }
      for (StreamWait& wait : added_) {
        waiting.push_back({std::move(wait), NowNanos() + kSlowNanos});
        rounds = 0;
      }
      added_.clear();
    }
    ++rounds;
    // Events of a stream pass in order: what is behind one that has not is not
    // asked.
    absl::InlinedVector<Stream, 8> not_ready;
    for (auto it = waiting.begin(); it != waiting.end();) {
      const Stream stream = it->wait.stream;
      if (std::find(not_ready.begin(), not_ready.end(), stream) !=
          not_ready.end()) {
        ++it;
        continue;
      }
      Status status;
      const Look look = LookAt(it->wait, &status);
      if (look == Look::kNoDriver) return;
      if (look == Look::kEnded) {
        rounds = 0;
        Finish(std::move(it->wait), std::move(status));
        it = waiting.erase(it);
        continue;
      }
      not_ready.push_back(stream);
      if (NowNanos() > it->log_at) {
        MR_LOG(Warning) << it->wait.gpu->card().name() << " has not done "
                        << it->wait.what << " for " << kSlowNanos / 1000000000
                        << " s";
        it->log_at = NowNanos() + kSlowNanos;
      }
      ++it;
    }
    if (rounds > 0 && rounds <= kRoundsAwake) {
      // Short enough to keep the core, which others would have for longer.
      const Deadline next = Deadline::After(kPauseNanos);
      while (!next.expired()) {
      }
    }
  }
}

}  // namespace millrace::cuda
