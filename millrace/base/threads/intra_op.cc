// Assigns workers to threads: those that are idle, as far as there are cores
// for them.
#include "millrace/base/threads/intra_op.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/base/check.h"
#include "millrace/base/clock.h"
#include "millrace/base/threads/intra_op_worker.h"

namespace millrace {
namespace {

// Workers are prepared if ReserveAwake was called this recently.
constexpr int64_t kWantedNanos = 20'000'000;
// Calls of ReserveAwake that follow each other this closely are a series: the
// steps of a recurrent network, one layer after the other. On a slow machine a
// product that gets no worker takes half of that.
constexpr int64_t kSeriesNanos = 1'000'000;

}  // namespace

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
  return callers_ == nullptr ? width_ : width_ - OtherKernelThreads();
}

int IntraOpPool::OtherKernelThreads() const {
  if (callers_ == nullptr) return 0;
  // Minus the thread that holds the team, which is counted, too.
  return callers_->awake() + outsiders_.load(std::memory_order_relaxed) - 1;
}

int IntraOpPool::TakeIdle(Sleepers sleepers) {
  for (size_t word = 0; word < idle_.size(); ++word) {
    uint64_t bits = idle_[word].load(std::memory_order_relaxed);
    uint64_t left = bits;  // not examined yet
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
  // Too late for this call, but not for the next.
  if (team.width() < width && now - before < kSeriesNanos) WakeIdleWorkers(now);
  return team;
}

void IntraOpPool::Prepare() {
  if (internal::InSim() || width_ == 1) return;
  const Team self = Begin();  // keeps its core for the coming work
  WakeIdleWorkers(NowNanos());
}

void IntraOpPool::WakeIdleWorkers(int64_t now) {
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

void IntraOpPool::Team::Run(absl::FunctionRef<void(int, int)> fn) {
  RunJob<true>(fn);
}

void IntraOpPool::Team::Share(absl::FunctionRef<void(int, int)> fn) {
  RunJob<false>(fn);
}

template <bool kAll>
void IntraOpPool::Team::RunJob(absl::FunctionRef<void(int, int)> fn) {
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
    // Takes the job back from workers that have not taken it: no work is left.
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

}  // namespace millrace
