// Logs starved dequeues.
#include <algorithm>

#include "millrace/base/clock.h"
#include "millrace/base/log.h"
#include "millrace/ops/queue/queue_attempt.h"

namespace millrace::ops {
namespace {

constexpr int64_t kStarvedMillis = 30'000;

}  // namespace

void Queue::Watch(Timer* timer) {
  if (watched_ || starvation_logged_ || timer == nullptr) return;
  watched_ = true;
  timer->RunAt(Deadline::AfterMillis(kStarvedMillis), [watcher = watcher_] {
    MutexLock lock(watcher->mu);
    if (watcher->queue) watcher->queue->LogIfStarved();
  });
}

void Queue::LogIfStarved() {
  MutexLock lock(mu_);
  watched_ = false;
  if (num_waiting(kDequeues) == 0) return;
  const auto& oldest = static_cast<const Attempt&>(*Oldest(kDequeues));
  const int64_t now = NowNanos();
  const int64_t quiet = now - std::max(last_enqueue_nanos_, oldest.since_nanos);
  if (quiet < kStarvedMillis * 1'000'000) return Watch(oldest.timer);
  starvation_logged_ = true;
  MR_LOG(Warning) << KindName(options_.kind) << " '" << name_
                  << "' has had no enqueue for "
                  << (now - last_enqueue_nanos_) / 1'000'000'000 << " s, while "
                  << num_waiting(kDequeues)
                  << " dequeues wait, the oldest (node "
                  << (oldest.caller.node ? *oldest.caller.node : "")
                  << ", step " << oldest.caller.step_id << ") for "
                  << (now - oldest.since_nanos) / 1'000'000'000 << " s; size "
                  << items_->size() << ". Were its queue runners started?";
}

}  // namespace millrace::ops
