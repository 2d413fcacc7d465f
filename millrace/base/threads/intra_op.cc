#include "millrace/base/threads/intra_op.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/base/check.h"
#include "millrace/base/clock.h"
#include "millrace/base/denormals.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/base/threads/cores.h"
#include "millrace/base/threads/futex.h"
#include "millrace/base/threads/lanes.h"

namespace millrace {
namespace {

using TeamFunction = absl::FunctionRef<void(int, int)>;

constexpr double kMinShardNanos = 20e3;
// Work is in at least two shards from here on. Handing one to a worker that
// spins takes a microsecond or two.
constexpr double kMinSharedNanos = 8e3;
// Shorter work is shared with who happens to be awake, and nobody is woken to
// be so the next time.
constexpr double kMinAskedNanos = 40e3;
// Waking a thread costs 5 to 50 us, so workers that sleep share no less.
constexpr double kMinWokenNanos = 100e3;
// A cancelled kernel stops at the end of a shard.
constexpr double kMaxShardNanos = 100e6;
constexpr int kShardsPerThread = 4;
constexpr int64_t kSpinNanos = 3000;
// Who waits for the last worker of a job spins so long: to sleep and be woken
// takes as much.
constexpr int64_t kJobSpinNanos = 20'000;
// A worker spins for this part of what its last job took, too, and for so long
// at most: kernels that are worth sharing follow each other, and to wake it for
// each costs more than its core (a worker is often woken where its caller
// runs).
constexpr int64_t kSpinPart = 16;
constexpr int64_t kMostSpinNanos = 50'000;
// A prepared worker spins so long, from when it was prepared or last used, if
// ReserveAwake was asked so lately; and not on cores that others want, which
// show by a yield that takes so long.
constexpr int64_t kPreparedNanos = 250'000;
constexpr int64_t kWantedNanos = 20'000'000;
// Calls of ReserveAwake that follow each other so soon are a series: the steps
// of a recurrent network, one layer after the other. On a slow machine a
// product that gets no worker takes half of that.
constexpr int64_t kSeriesNanos = 1'000'000;
constexpr int64_t kContestedYieldNanos = 10'000;
constexpr int64_t kContestedNanos = 100'000;

// A piece of work of a team, on the caller's stack.
struct Job {
  static constexpr uint32_t kAsleep = uint32_t{1} << 31;

  TeamFunction fn;
  int width;
  // Workers that have not finished; with kAsleep when the caller must be woken.
  std::atomic<uint32_t> remaining;
  const bool limited = ScopedMemoryLimit::active();  // on the caller
  const int core = CurrentCore();                    // of the caller
  std::atomic<bool> failed{false};
  std::exception_ptr exception;  // the first one; owned by who set `failed`

  // Keeps what `fn` throws for the caller, under whom the job must not go.
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
    // From here on the job may be gone: only its address is used.
    if (before == (kAsleep | 1)) internal::FutexWake(&remaining);
  }

  void Wait() {
    const int64_t until = NowNanos() + kJobSpinNanos;
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

}  // namespace

struct alignas(64) IntraOpPool::Worker {
  static constexpr uint32_t kAsleep = 1;  // in `signal`; signals count by twos

  std::atomic<uint32_t> signal{0};
  std::atomic<Job*> job{nullptr};  // what a signal is for, if anything
  std::atomic<int64_t> spin_until{0};
  std::atomic<bool> awake{false};  // running, not only woken
  int index = 0;                   // in the team; published by `job`
  int number = 0;                  // in the pool
  bool started = false;            // owned by who took the idle bit
  Thread thread;

  void Wake() {
    // Counts the signal and clears kAsleep in one step.
    uint32_t before = signal.load(std::memory_order_relaxed);
    while (!signal.compare_exchange_weak(before, (before | kAsleep) + 1,
                                         std::memory_order_acq_rel)) {
    }
    if (before & kAsleep) internal::FutexWake(&signal);
  }

  // Returns when the count differs from `seen` (even); gives the new count.
  // `contested` is called when others wanted this thread's core.
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

IntraOpPool::IntraOpPool(absl::string_view name, int width,
                         const ThreadPool* callers)
    : name_(name), width_(width), callers_(callers), idle_((width + 62) / 64) {
  MR_CHECK(width >= 1, "an intra-op pool counts its caller: ", width);
  for (int i = 0; i < width - 1; ++i) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->number = i;
    idle_[i / 64].fetch_or(uint64_t{1} << (i % 64), std::memory_order_relaxed);
  }
}

IntraOpPool::~IntraOpPool() {
  stopping_.store(true, std::memory_order_release);
  for (const auto& worker : workers_) {
    if (!worker->started) continue;
    worker->Wake();
    worker->thread.Join();
  }
}

IntraOpPool::Team IntraOpPool::Begin() {
  Team team;
  team.pool_ = this;
  if (callers_ != nullptr && !callers_->IsPoolThread()) {
    team.is_outsider_ = true;
    outsiders_.fetch_add(1, std::memory_order_relaxed);
  }
  return team;
}

int IntraOpPool::FreeCores() const {
  return callers_ == nullptr ? width_ : width_ - Others();
}

int IntraOpPool::Others() const {
  if (callers_ == nullptr) return 0;
  // The one with the team is counted, too.
  return callers_->awake() + outsiders_.load(std::memory_order_relaxed) - 1;
}

int IntraOpPool::TakeIdle(Sleepers sleepers) {
  for (size_t word = 0; word < idle_.size(); ++word) {
    uint64_t bits = idle_[word].load(std::memory_order_relaxed);
    uint64_t left = bits;  // not looked at
    while ((left &= bits) != 0) {
      const uint64_t lowest = left & (~left + 1);
      const int i = static_cast<int>(word) * 64 + std::countr_zero(lowest);
      if (sleepers == Sleepers::kLeftOut &&
          !workers_[i]->awake.load(std::memory_order_relaxed)) {
        left &= ~lowest;
      } else if (idle_[word].compare_exchange_weak(bits, bits & ~lowest,
                                                   std::memory_order_acquire)) {
        return i;
      }
    }
  }
  return -1;
}

void IntraOpPool::GiveBack(int worker) {
  idle_[worker / 64].fetch_or(uint64_t{1} << (worker % 64),
                              std::memory_order_release);
}

IntraOpPool::Worker& IntraOpPool::Started(int i) {
  Worker& worker = *workers_[i];
  if (!worker.started) {
    worker.started = true;
    worker.thread =
        Thread(absl::StrCat(name_, "-", i), [this, &worker] { Loop(worker); });
  }
  return worker;
}

IntraOpPool::Team IntraOpPool::Reserve(int width) {
  if (internal::InSim()) return {};
  Team team = Begin();
  AddIdle(&team, width);
  return team;
}

void IntraOpPool::AddIdle(Team* team, int width) {
  width = std::min({width, width_, FreeCores()});
  while (team->width() < width) {
    const int i = TakeIdle(Sleepers::kIncluded);
    if (i < 0) break;
    Started(i);
    team->workers_.push_back(i);
  }
}

void IntraOpPool::AddAwake(Team* team, int width) {
  width = std::min({width, width_, FreeCores()});
  while (team->width() < width) {
    const int i = TakeIdle(Sleepers::kLeftOut);
    if (i < 0) break;
    team->workers_.push_back(i);
  }
}

IntraOpPool::Team IntraOpPool::ReserveSpinning(int width) {
  if (internal::InSim() || width_ == 1) return {};
  Team team = Begin();
  AddAwake(&team, width);
  return team;
}

IntraOpPool::Team IntraOpPool::ReserveAwake(int width, int woken) {
  if (internal::InSim() || width_ == 1) return {};
  Team team = Begin();
  wanted_width_.store(width, std::memory_order_relaxed);
  const int64_t now = NowNanos();
  const int64_t before = wanted_nanos_.exchange(now, std::memory_order_relaxed);
  AddAwake(&team, width);
  AddIdle(&team, std::min(width, woken));
  width = std::min({width, width_, FreeCores()});
  // Too late for this one, but not for the next.
  if (team.width() < width && now - before < kSeriesNanos) WakeWanted(now);
  return team;
}

void IntraOpPool::Prepare() {
  if (internal::InSim() || width_ == 1) return;
  const Team self = Begin();  // keeps its core for what comes
  WakeWanted(NowNanos());
}

void IntraOpPool::WakeWanted(int64_t now) {
  if (now - wanted_nanos_.load(std::memory_order_relaxed) > kWantedNanos ||
      now < contested_until_.load(std::memory_order_relaxed)) {
    return;
  }
  const int width = std::min(
      {wanted_width_.load(std::memory_order_relaxed), width_, FreeCores()});
  std::vector<int> taken;
  while (static_cast<int>(taken.size()) < width - 1) {
    const int i = TakeIdle(Sleepers::kIncluded);
    if (i < 0) break;
    taken.push_back(i);
    Worker& worker = Started(i);
    worker.spin_until.store(now + kPreparedNanos, std::memory_order_relaxed);
    if (!worker.awake.load(std::memory_order_relaxed)) worker.Wake();
  }
  for (const int i : taken) GiveBack(i);
}

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
    if (spin > kSpinNanos) {
      worker.spin_until.store(now + spin, std::memory_order_relaxed);
    }
  }
}

IntraOpPool::Team::Team(Team&& o) noexcept
    : pool_(o.pool_),
      is_outsider_(std::exchange(o.is_outsider_, false)),
      workers_(std::exchange(o.workers_, {})) {}

IntraOpPool::Team& IntraOpPool::Team::operator=(Team&& o) noexcept {
  if (this != &o) {
    Release();
    pool_ = o.pool_;
    is_outsider_ = std::exchange(o.is_outsider_, false);
    workers_ = std::exchange(o.workers_, {});
  }
  return *this;
}

void IntraOpPool::Team::Run(TeamFunction fn) { RunJob<true>(fn); }

void IntraOpPool::Team::Share(TeamFunction fn) { RunJob<false>(fn); }

template <bool kAll>
void IntraOpPool::Team::RunJob(TeamFunction fn) {
  if (workers_.empty()) return fn(0, 1);
  Job job{fn, width(), {static_cast<uint32_t>(workers_.size())}};
  for (size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = *pool_->workers_[workers_[i]];
    worker.index = static_cast<int>(i) + 1;
    worker.job.store(&job, std::memory_order_release);
    worker.Wake();
  }
  job.Work(0);
  if constexpr (!kAll) {
    // Takes the job from those who have not taken it: nothing is left of it.
    for (const int i : workers_) {
      Job* left = &job;
      if (pool_->workers_[i]->job.compare_exchange_strong(
              left, nullptr, std::memory_order_acq_rel)) {
        job.FinishOne();
      }
    }
  }
  job.Wait();
  if (job.exception) std::rethrow_exception(job.exception);
}

void IntraOpPool::Team::Release() {
  for (const int i : workers_) pool_->GiveBack(i);
  workers_.clear();
  if (std::exchange(is_outsider_, false)) {
    pool_->outsiders_.fetch_sub(1, std::memory_order_relaxed);
  }
}

int64_t IntraOpPool::ShardSize(int64_t total, int64_t cost_per_unit_nanos,
                               int width) {
  const double work =
      static_cast<double>(total) *
      static_cast<double>(std::max<int64_t>(1, cost_per_unit_nanos));
  double shards = 1;
  if (width > 1 && work >= kMinSharedNanos) {
    shards = std::min<double>(width * kShardsPerThread,
                              std::max(2.0, work / kMinShardNanos));
  }
  shards = std::max(shards, work / kMaxShardNanos);
  if (shards >= static_cast<double>(total)) return 1;
  const int64_t n = static_cast<int64_t>(shards);
  return total / n + (total % n != 0);
}

Status IntraOpPool::ParallelFor(int64_t total, int64_t cost_per_unit_nanos,
                                const CancelScope* scope,
                                absl::FunctionRef<void(int64_t, int64_t)> fn) {
  if (total <= 0) return OkStatus();
  const int64_t size = ShardSize(total, cost_per_unit_nanos, width_);
  const int64_t shards = total / size + (total % size != 0);
  std::atomic<int64_t> next{0};
  const auto work = [&](int, int) {
    while (true) {
      const int64_t shard = next.fetch_add(1, std::memory_order_relaxed);
      if (shard >= shards || (scope && scope->cancelled())) return;
      const int64_t begin = shard * size;
      try {
        fn(begin, std::min(total - begin, size) + begin);
      } catch (...) {
        next.store(shards, std::memory_order_relaxed);  // the rest is in vain
        throw;
      }
    }
  };
  if (shards == 1 || width_ == 1) {
    work(0, 1);
  } else {
    const int most = static_cast<int>(std::min<int64_t>(width_, shards));
    const double cost =
        static_cast<double>(total) * static_cast<double>(cost_per_unit_nanos);
    (cost < kMinAskedNanos   ? ReserveSpinning(most)
     : cost < kMinWokenNanos ? ReserveAwake(most)
                             : Reserve(most))
        .Share(work);
  }
  return scope ? scope->status() : OkStatus();
}

void ParallelFor(int64_t total, int64_t cost_per_unit_nanos,
                 absl::FunctionRef<void(int64_t begin, int64_t end)> fn) {
  Lanes::Process().intra_op.ParallelFor(total, cost_per_unit_nanos, fn);
}

}  // namespace millrace
