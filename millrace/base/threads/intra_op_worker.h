// A worker of an IntraOpPool, and the job that a team gives it: how they sleep
// and wake each other. Private to IntraOpPool.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include "absl/functional/function_ref.h"
#include "millrace/base/clock.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/base/threads/cores.h"
#include "millrace/base/threads/futex.h"
#include "millrace/base/threads/intra_op.h"
#include "millrace/base/threads/thread.h"

namespace millrace {

// A team's work, on the caller's stack.
struct IntraOpPool::Job {
  static constexpr uint32_t kAsleep = uint32_t{1} << 31;
  // How long the caller spins for the last worker of a job: sleeping and being
  // woken takes as long.
  static constexpr int64_t kSpinNanos = 20'000;

  absl::FunctionRef<void(int, int)> fn;
  int width;
  // Workers that have not finished; with kAsleep when the caller must be woken.
  std::atomic<uint32_t> remaining;
  const bool limited = ScopedMemoryLimit::active();  // on the caller
  const int core = CurrentCore();                    // of the caller
  std::atomic<bool> failed{false};
  std::exception_ptr exception;  // first one; owned by the setter of `failed`

  // Keeps an exception of `fn` for the caller, whose stack holds the job and
  // must not unwind yet.
  void Work(int index) {
    try {
      fn(index, width);
    } catch (...) {
      if (!failed.exchange(true, std::memory_order_relaxed)) {
        exception = std::current_exception();
      }
    }
  }

  void FinishOne() {
    const uint32_t before = remaining.fetch_sub(1, std::memory_order_acq_rel);
    // From here on the job may be freed: only its address is used.
    if (before == (kAsleep | 1)) internal::FutexWake(&remaining);
  }

  void Wait() {
    const int64_t until = NowNanos() + kSpinNanos;
    do {
      for (int i = 0; i < 16; ++i) {
        if (remaining.load(std::memory_order_acquire) == 0) return;
        internal::CpuRelax();
      }
    } while (NowNanos() < until);
    uint32_t now = remaining.fetch_or(kAsleep, std::memory_order_acq_rel);
    now |= kAsleep;
    while (now != kAsleep) {
      internal::FutexWait(&remaining, now);
      now = remaining.load(std::memory_order_acquire);
    }
  }
};

// A thread of the pool. The thread that took its idle bit may give it a job,
// and then wakes it.
struct alignas(64) IntraOpPool::Worker {
  static constexpr uint32_t kAsleep = 1;  // in `signal`; signals count by twos
  // The shortest time that a worker spins.
  static constexpr int64_t kSpinNanos = 3000;
  // If a yield takes this long, other threads want this core.
  static constexpr int64_t kContestedYieldNanos = 10'000;

  std::atomic<uint32_t> signal{0};
  std::atomic<Job*> job{nullptr};  // what a signal is for, if anything
  std::atomic<int64_t> spin_until{0};
  std::atomic<bool> awake{false};  // running, not only woken
  int index = 0;                   // in the team; published by `job`
  int number = 0;                  // in the pool
  bool started = false;            // owned by the thread that took the idle bit
  Thread thread;

  void Wake() {
    // Counts the signal and clears kAsleep in one step.
    uint32_t before = signal.load(std::memory_order_relaxed);
    while (!signal.compare_exchange_weak(before, (before | kAsleep) + 1,
                                         std::memory_order_acq_rel)) {
    }
    if (before & kAsleep) internal::FutexWake(&signal);
  }

  // Returns when the count differs from `seen` (even), and returns the new
  // count. Calls `contested` if other threads wanted this core.
  template <class F>
  uint32_t Await(uint32_t seen, F&& contested) {
    awake.store(true, std::memory_order_relaxed);
    int64_t until = NowNanos() + kSpinNanos;
    while (true) {
      for (int i = 0; i < 16; ++i) {
        const uint32_t now = signal.load(std::memory_order_acquire);
        if (now != seen) return now;
        internal::CpuRelax();
      }
      const int64_t now = NowNanos();
      if (now < until) continue;
      if (now >= spin_until.load(std::memory_order_relaxed)) break;
      Yield();
      const int64_t after = NowNanos();
      if (after - now > kContestedYieldNanos) {
        contested(after);
        break;
      }
      until = after + kSpinNanos;
    }
    awake.store(false, std::memory_order_relaxed);
    uint32_t expected = seen;
    if (!signal.compare_exchange_strong(expected, seen | kAsleep,
                                        std::memory_order_acq_rel)) {
      return expected;
    }
    uint32_t now = seen | kAsleep;
    while (now == (seen | kAsleep)) {
      internal::FutexWait(&signal, now);
      now = signal.load(std::memory_order_acquire);
    }
    return now;
  }
};

}  // namespace millrace
