// IntraOpPool: threads that share the work of one kernel. Kernels use several
// threads by ParallelFor or by a DnnlRun (device/cpu/dnnl.h), on whose team of
// the same threads the OpenMP regions of oneDNN run, too.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/thread.h"
#include "millrace/base/threads/thread_pool.h"

namespace millrace {

// Thread-safe. Workers spin after work for some microseconds, the longer the
// work was, or for some hundred where work is likely to follow (Prepare), then
// sleep; all flush denormals. In a simulation there are no workers: everything
// runs on the caller.
class IntraOpPool {
 public:
  // `width` counts the calling thread: width - 1 workers at most are started.
  // Threads of `callers` that are awake take a core each, and so do others that
  // hold a team: a kernel gets so many workers fewer, since on a busy machine
  // they would only wait for each other.
  IntraOpPool(absl::string_view name, int width,
              const ThreadPool* callers = nullptr);
  ~IntraOpPool();
  IntraOpPool(const IntraOpPool&) = delete;
  IntraOpPool& operator=(const IntraOpPool&) = delete;

  int width() const { return width_; }

  // Calls fn(begin, end) for consecutive shards of [0, total), on this thread
  // and on workers that are idle; returns after the last. The shards depend on
  // total, cost and width only, never on who is idle, so a reduction by shards
  // gives the same bits. Less than about 8 us of work is one shard, and none
  // is much longer than 100 ms. What a shard throws is thrown here, when the
  // shards that run have ended; no others begin.
  void ParallelFor(int64_t total, int64_t cost_per_unit_nanos,
                   absl::FunctionRef<void(int64_t begin, int64_t end)> fn) {
    ParallelFor(total, cost_per_unit_nanos, nullptr, fn).IgnoreError();
  }
  // The same, but shards that have not started when `scope` is cancelled do
  // not run, and its reason is returned.
  Status ParallelFor(int64_t total, int64_t cost_per_unit_nanos,
                     const CancelScope* scope,
                     absl::FunctionRef<void(int64_t, int64_t)> fn);
  // The length of a shard in units, the last one may be shorter.
  static int64_t ShardSize(int64_t total, int64_t cost_per_unit_nanos,
                           int width);

  // Workers reserved for one caller, who is member 0.
  class Team {
   public:
    Team() = default;
    Team(Team&& o) noexcept;
    Team& operator=(Team&& o) noexcept;
    ~Team() { Release(); }

    // Members, the caller included; at least 1.
    int width() const { return 1 + static_cast<int>(workers_.size()); }
    // Calls fn(index, width) on every member at the same time (members may
    // wait for each other by spinning) and returns after the last; then throws
    // the first exception of a member, if any.
    void Run(absl::FunctionRef<void(int index, int width)> fn);
    // For work in pieces that whoever is free takes: calls fn on the caller and
    // on the members that come before the caller's call returns, and returns
    // after the last. A member that sleeps and wakes too late is not waited
    // for. Throws as Run does.
    void Share(absl::FunctionRef<void(int index, int width)> fn);
    void Release();

   private:
    friend class IntraOpPool;
    template <bool kAll>
    void RunJob(absl::FunctionRef<void(int, int)> fn);

    IntraOpPool* pool_ = nullptr;
    bool is_outsider_ = false;  // counted in outsiders_
    std::vector<int> workers_;
  };
  // A team of up to `width` members: what is idle now, and no more than cores
  // that `callers` leaves; never waits.
  Team Reserve(int width);
  // The same of workers that are awake, for work that is over about when a
  // sleeping one would start. Where that gives fewer than `woken` members,
  // others fill the team up to so many.
  Team ReserveAwake(int width, int woken = 1);
  // The same for work that is too short to ask for: Prepare learns nothing.
  Team ReserveSpinning(int width);
  // Work may come in some 100 us: wakes as many workers as ReserveAwake would
  // have liked lately, and they spin for a while. Nothing happens where nobody
  // asked, or where other processes wanted the cores. Cheap; never waits.
  void Prepare();

 private:
  struct Job;
  struct Worker;
  // A prepared worker spins so long from when it was prepared; also from when
  // it was last used, if ReserveAwake was asked so lately.
  static constexpr int64_t kPreparedNanos = 250'000;
  // A team for the calling thread, without workers yet.
  Team Begin();
  // Cores for the calling thread and its workers.
  int FreeCores() const;
  // Threads that run kernels beside one that has a team.
  int Others() const;
  enum class Sleepers { kIncluded, kLeftOut };
  // Reserves a worker that nobody has; -1 if there is none.
  int TakeIdle(Sleepers sleepers);
  // Workers that are awake, until the team has `width` members and takes no
  // core that is not free.
  void AddAwake(Team* team, int width);
  // The same with those that sleep.
  void AddIdle(Team* team, int width);
  // What Prepare does, for a thread that holds a team.
  void WakeWanted(int64_t now);
  void GiveBack(int worker);
  Worker& Started(int worker);
  void Loop(Worker& worker);

  const std::string name_;
  const int width_;
  const ThreadPool* const callers_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::atomic<uint64_t>> idle_;  // a bit a worker
  std::atomic<bool> stopping_{false};
  // Teams of threads that are not of `callers`.
  std::atomic<int> outsiders_{0};
  // Of ReserveAwake: when it was asked last, and for how many.
  std::atomic<int64_t> wanted_nanos_{INT64_MIN / 2};
  std::atomic<int> wanted_width_{1};
  // No workers are prepared before: the cores were busy.
  std::atomic<int64_t> contested_until_{INT64_MIN};
};

// On Lanes::Process().intra_op.
void ParallelFor(int64_t total, int64_t cost_per_unit_nanos,
                 absl::FunctionRef<void(int64_t begin, int64_t end)> fn);

}  // namespace millrace
