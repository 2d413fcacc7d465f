// What a worker does all its life: takes a job, does it, and spins for a while
// in case that another one follows.
#include "millrace/base/threads/intra_op_worker.h"

#include <algorithm>

#include "millrace/base/denormals.h"

namespace millrace {
namespace {

// A worker spins for this part of what its last job took, and for so long at
// most: kernels that are worth sharing follow each other, and to wake it for
// each costs more than its core (a worker is often woken where its caller
// runs).
constexpr int64_t kSpinPart = 16;
constexpr int64_t kMostSpinNanos = 50'000;
// Where others wanted a core, no workers are prepared for so long.
constexpr int64_t kContestedNanos = 100'000;

}  // namespace

void IntraOpPool::Loop(Worker& worker) {
  ScopedFlushDenormals flush;
  uint32_t seen = 0;
  const auto contested = [this](int64_t now) {
    contested_until_.store(now + kContestedNanos, std::memory_order_relaxed);
  };
  while (true) {
    seen = worker.Await(seen, contested);
    if (stopping_.load(std::memory_order_acquire)) return;
    Job* job = worker.job.exchange(nullptr, std::memory_order_acquire);
    if (job == nullptr) continue;
    // Some systems start a thread where the one that woke it goes on, and let
    // both take turns there for milliseconds while other cores are idle.
    if (job->core == CurrentCore() && job->width + Others() <= width_) {
      LeaveCore();
    }
    const int64_t began = NowNanos();
    {
      const ScopedMemoryLimit limit(job->limited);
      job->Work(worker.index);
    }
    job->FinishOne();
    const int64_t now = NowNanos();
    int64_t spin = std::min((now - began) / kSpinPart, kMostSpinNanos);
    if (now - wanted_nanos_.load(std::memory_order_relaxed) < kPreparedNanos) {
      spin = kPreparedNanos;
    }
    if (spin > Worker::kSpinNanos) {
      worker.spin_until.store(now + spin, std::memory_order_relaxed);
    }
  }
}

}  // namespace millrace
