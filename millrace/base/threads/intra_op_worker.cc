// The loop of a worker: it takes a job, runs it, and spins for a while in case
// another one follows.
#include "millrace/base/threads/intra_op_worker.h"

#include <algorithm>

#include "millrace/base/denormals.h"

namespace millrace {
namespace {

// A worker spins for this fraction of the duration of its last job, up to the
// maximum below: kernels that are worth sharing follow each other, and waking
// the worker for each costs more than its core (a worker is often woken on its
// caller's core).
constexpr int64_t kSpinPart = 16;
constexpr int64_t kMaxSpinNanos = 50'000;
// After other threads wanted a core, no workers are prepared for this long.
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
    // Some systems start a thread on the core of the thread that woke it, and
    // let both take turns there for milliseconds while other cores are idle.
    if (job->core == CurrentCore() &&
        job->width + OtherKernelThreads() <= width_) {
      MoveToOtherCore();
    }
    const int64_t began = NowNanos();
    {
      const ScopedMemoryLimit limit(job->limited);
      job->Work(worker.index);
    }
    job->FinishOne();
    const int64_t now = NowNanos();
    int64_t spin = std::min((now - began) / kSpinPart, kMaxSpinNanos);
    if (now - wanted_nanos_.load(std::memory_order_relaxed) < kPreparedNanos) {
      spin = kPreparedNanos;
    }
    if (spin > Worker::kSpinNanos) {
      worker.spin_until.store(now + spin, std::memory_order_relaxed);
    }
  }
}

}  // namespace millrace
