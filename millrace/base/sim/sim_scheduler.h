// The implementation of SimWorld: which thread holds the baton, which threads
// wait for what, and virtual time. Only the thread that holds the baton touches
// this state, so nothing is locked. Not for use outside millrace/base.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "millrace/base/random.h"
#include "millrace/base/sim/sim.h"
#include "millrace/base/sim/sim_hooks.h"

namespace millrace::internal {

// A thread of the operating system that runs one simulated thread after another
// and never ends. It starts its job when it first receives the baton.
struct OsThread {
  std::atomic<uint32_t> baton{0};
  absl::AnyInvocable<void()> job;
  OsThread* next_idle = nullptr;

  void Give();  // the baton, to this thread
  void Await();
  // Returns an idle thread or a new one, with `job` to do.
  static OsThread* Take(absl::AnyInvocable<void()> job);
};

struct SimThread {
  enum State { kRunnable, kRunning, kBlocked, kFinished };

  SimWorld::Impl* world = nullptr;
  OsThread* os = nullptr;
  int id = 0;
  SimProcess process = 0;
  State state = kRunnable;
  std::string name;
  absl::AnyInvocable<void()> body;

  // Valid while the thread is blocked.
  const void* object = nullptr;
  const char* waits_for = nullptr;
  const std::atomic<uint64_t>* owner = nullptr;
  int64_t deadline = 0;
  bool timed_out = false;
};

}  // namespace millrace::internal

namespace millrace {

struct SimWorld::Impl {
  using SimThread = internal::SimThread;
  // Virtual time does not start at 0, which code may take for "never".
  static constexpr int64_t kStartNanos = 1'000'000'000'000;

  enum Kind : uint8_t {
    kStart,
    kRun,
    kBlock,
    kWake,
    kTimeout,
    kSwitch,
    kFinish,
    kText,
    kLogged,
  };
  struct Event {
    Kind kind;
    int thread;
    int64_t nanos;
    std::string text;
  };
  struct Process {
    std::string name;
    bool frozen = false;
    int64_t thaw_nanos = 0;
  };
  struct Local {
    const void* key;
    SimProcess process;
    std::shared_ptr<void> object;
  };
  // The state that Run waits for. It is shared, because the last thread still
  // touches it after Run has returned.
  struct End {
    std::mutex mu;
    std::condition_variable changed;
    bool over = false;
    Status status;
  };

  explicit Impl(const SimOptions& o);

  SimThread* Self() const { return internal::current_sim_thread; }
  SimThread* AddThread(absl::string_view name, SimProcess process,
                       absl::AnyInvocable<void()> body);
  // Gives the baton to the first thread.
  void Start(SimThread* first);
  void Finish(SimThread* self);
  // Passes the baton on; `self` is already in its new state.
  void Switch(SimThread* self);
  SimThread* PickNext();
  // Requires: `thread` is blocked.
  void Wake(SimThread* thread);
  void MakeRunnable(SimThread* thread);
  void CountFrozen();
  // Returns the earliest deadline or thaw; the maximum if there is none.
  int64_t NextTime() const;
  void WakeDue();

  void Record(Kind kind, int thread, absl::string_view text = "");
  void RecordText(absl::string_view text);
  void Keep(Kind kind, int thread, absl::string_view text);
  std::vector<std::string> TraceLines() const;

  // Ends the run; the calling thread parks for ever.
  [[noreturn]] void Fail(Status status);
  void EndRun(Status status);
  std::string DescribeThreads() const;

  SimWorld* world = nullptr;
  const uint64_t id;
  const SimOptions options;
  Rng rng;
  int64_t now = kStartNanos;
  uint64_t hash = 0;
  uint64_t events = 0;
  bool failed = false;
  int live = 0;
  int frozen = 0;
  std::vector<std::unique_ptr<SimThread>> threads;
  std::vector<SimThread*> runnable;
  // Only looked up, never iterated over: addresses differ from run to run.
  std::unordered_map<const void*, std::vector<SimThread*>> waiters;
  std::set<std::pair<int64_t, int>> deadlines;  // nanoseconds, thread
  std::vector<Process> processes{{.name = "world"}};
  std::vector<Local> locals;
  std::deque<Event> trace;
  std::shared_ptr<End> end = std::make_shared<End>();
};

}  // namespace millrace
