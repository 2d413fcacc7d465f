// IntraOpPool: the threads that share the work of one kernel. Kernels use
// several threads by ParallelFor or by a DnnlRun (device/cpu/dnnl.h), which
// runs oneDNN's OpenMP regions on a team of the same threads.
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

// Thread-safe. After work, a worker spins for some microseconds, longer after
// longer work, or for some hundred where work is likely to follow (Prepare),
// then sleeps. All workers flush denormals. In a simulation there are no
// workers: the calling thread runs everything.
class IntraOpPool {
 public:
  // `width` counts the calling thread: at most width - 1 workers are started.
  // Each awake thread of `callers` takes a core, and so does each other thread
  // that holds a team; a kernel gets that many workers fewer, since on a busy
  // machine they would only wait for each other.
  IntraOpPool(absl::string_view name, int width,
              const ThreadPool* callers = nullptr);
  ~IntraOpPool();
  IntraOpPool(const IntraOpPool&) = delete;
  IntraOpPool& operator=(const IntraOpPool&) = delete;

  int width() const { return width_; }

  // Calls fn(begin, end) for consecutive shards of [0, total), on this thread
  // and on idle workers; returns after the last. The shards depend on total,
  // cost and width only, never on which workers are idle, so a reduction by
  // shards gives the same bits. Work of less than about 8 us is one shard, and
  // no shard takes much longer than 100 ms. An exception of a shard is thrown
  // here when the running shards have ended; no others begin.
  void ParallelFor(int64_t total, int64_t cost_per_unit_nanos,
                   absl::FunctionRef<void(int64_t begin, int64_t end)> fn) {
    ParallelFor(total, cost_per_unit_nanos, nullptr, fn).IgnoreError();
  }
  // Does the same, but shards that have not started when `scope` is cancelled
  // do not run, and its reason is returned.
  Status ParallelFor(int64_t total, int64_t cost_per_unit_nanos,
                     const CancelScope* scope,
                     absl::FunctionRef<void(int64_t, int64_t)> fn);
  // Returns the length of a shard in units; the last one may be shorter.
  static int64_t ShardSize(int64_t total, int64_t cost_per_unit_nanos,
                           int width);

  // Workers reserved for one caller, which is member 0.
  class Team {
   public:
    Team() = default;
    Team(Team&& o) noexcept;
    Team& operator=(Team&& o) noexcept;
    ~Team() { Release(); }

    // Returns the number of members, including the caller; at least 1.
    int width() const { return 1 + static_cast<int>(workers_.size()); }
    // Calls fn(index, width) on every member at the same time (members may
    // wait for each other by spinning) and returns after the last; then throws
    // the first exception of a member, if any.
    void Run(absl::FunctionRef<void(int index, int width)> fn);
    // Runs work in pieces that any free member takes: calls fn on the caller
    // and on the members that arrive before the caller's call of fn returns,
    // and returns after the last. A member that sleeps and wakes too late is
    // not waited for. Throws as Run does.
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
  // Reserves a team of up to `width` members from the workers that are idle
  // now, and no more than the cores that `callers` leaves; never blocks.
  Team Reserve(int width);
  // Does the same with workers that are awake, for work that ends about when a
  // sleeping worker would start. If that gives fewer than `woken` members,
  // sleeping workers fill the team up to that number.
  Team ReserveAwake(int width, int woken = 1);
  // Does the same for work that is too short to be counted as demand: Prepare
  // does not take it into account.
  Team ReserveSpinning(int width);
  // Announces that work may come within some 100 us: wakes as many workers as
  // recent calls of ReserveAwake would have used, and lets them spin for a
  // while. Does nothing where ReserveAwake was not called, or where other
  // processes wanted the cores. Cheap; never blocks.
  void Prepare();

 private:
  struct Job;
  struct Worker;
  // How long a worker spins after it was prepared; also after its last use, if
  // ReserveAwake was called that recently.
  static constexpr int64_t kPreparedNanos = 250'000;
  // Returns a team for the calling thread, without workers yet.
  Team Begin();
  // Returns the number of cores for the calling thread and its workers.
  int FreeCores() const;
  // Returns the number of other threads that run kernels while one holds a
  // team.
  int OtherKernelThreads() const;
  enum class Sleepers { kIncluded, kLeftOut };
  // Reserves an idle worker; -1 if there is none.
  int TakeIdle(Sleepers sleepers);
  // Adds workers that are awake, until the team has `width` members or no core
  // is free.
  void AddAwake(Team* team, int width);
  // Does the same including workers that sleep.
  void AddIdle(Team* team, int width);
  // Implements Prepare for a thread that holds a team.
  void WakeIdleWorkers(int64_t now);
  void GiveBack(int worker);
  Worker& Started(int worker);
  void Loop(Worker& worker);

  const std::string name_;
  const int width_;
  const ThreadPool* const callers_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::atomic<uint64_t>> idle_;  // one bit per worker
  std::atomic<bool> stopping_{false};
  // Teams of threads that are not in `callers`.
  std::atomic<int> outsiders_{0};
  // When ReserveAwake was called last, and with what width.
  std::atomic<int64_t> wanted_nanos_{INT64_MIN / 2};
  std::atomic<int> wanted_width_{1};
  // No workers are prepared before this time: the cores were busy.
  std::atomic<int64_t> contested_until_{INT64_MIN};
};

// Runs on Lanes::Process().intra_op.
void ParallelFor(int64_t total, int64_t cost_per_unit_nanos,
                 absl::FunctionRef<void(int64_t begin, int64_t end)> fn);

}  // namespace millrace
