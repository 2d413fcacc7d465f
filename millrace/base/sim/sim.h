// SimWorld: runs threads deterministically from a seed, in virtual time.
//
// Threads are real, but exactly one holds the baton. Every wait (Mutex,
// CondVar, SharedMutex, Notification, Join, SleepUntil, and so timers and
// pools) is a switch point at which the seed decides who goes on; taking a
// lock is one with a seeded probability. Virtual time stands still while any
// thread can run and then jumps to the earliest deadline, so hours pass in
// milliseconds. The same seed and program give the same hash of events.
//
//   SimResult r = SimWorld({.seed = 7}).Run([] { ... });
//   EXPECT_TRUE(r.status.ok()) << r.Report();
//
// A thread started inside belongs to the world. Threads outside are untouched;
// they must not wait for threads inside or be waited for. State that outlives
// a run (statics, thread_local) must not influence it: threads of the operating
// system are reused. One world runs at a time in a process; another Run waits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace {

struct SimOptions {
  uint64_t seed = 1;
  // Chance that taking a free lock is a switch point.
  double lock_switch_probability = 0.1;
  // Chance that a condition variable wakes its waiter without notification.
  double spurious_wakeup_probability = 0.01;
  // Virtual time that each switch point costs. 0: time passes only when all
  // wait. Above 0 endless loops meet their deadlines.
  int64_t nanos_per_switch = 0;
  // Limits; a run that exceeds one fails with RESOURCE_EXHAUSTED.
  int64_t max_virtual_nanos = int64_t{24} * 3600 * 1'000'000'000;
  uint64_t max_events = 20'000'000;
  // Fault points (fault_point.h) may fire.
  bool fault_points = false;
  bool log_to_stderr = false;
  // How many of the last events and log lines are kept for the report.
  size_t trace_limit = 2000;
};

struct SimResult {
  // OK if main returned and all threads ended. INTERNAL names every waiter of
  // a deadlock. After an error the threads of the run and what they own are
  // left behind, parked for ever.
  Status status;
  uint64_t seed = 0;
  uint64_t hash = 0;    // of all (event kind, thread, virtual time)
  uint64_t events = 0;  // number of switch points and recorded events
  int64_t virtual_nanos = 0;
  std::vector<std::string> trace;  // the last events, filled on error only

  // Status, seed and trace as text.
  std::string Report() const;
};

// A group of threads that stands for a process of the operating system.
// 0 is the group that main starts in.
using SimProcess = int;

class SimWorld {
 public:
  explicit SimWorld(SimOptions options);
  ~SimWorld();
  SimWorld(const SimWorld&) = delete;
  SimWorld& operator=(const SimWorld&) = delete;

  // Runs `main` as the first thread of the world, then destroys what is local
  // to the world (lanes, files), waits for all threads; processes still frozen
  // then are thawed. Once per world, called from outside.
  SimResult Run(absl::AnyInvocable<void()> main);

  // The world of the calling thread, null outside.
  static SimWorld* Current();

  // All below: only from threads of the world.
  const SimOptions& options() const;
  // The hash so far.
  uint64_t hash() const;

  // Processes. New threads belong to the process of the thread that starts
  // them.
  SimProcess AddProcess(absl::string_view name);
  SimProcess CurrentProcess() const;
  const std::string& ProcessName(SimProcess process) const;
  // Threads of a frozen process are not scheduled until Thaw, or until the
  // virtual time `thaw_nanos`; timeouts go on passing. Freezing one's own
  // process takes effect at once.
  void Freeze(SimProcess process);
  void FreezeUntil(SimProcess process, int64_t thaw_nanos);
  void Thaw(SimProcess process);
  bool IsFrozen(SimProcess process) const;

  // The object of the world (of the process) under `key`, made at the first
  // call, destroyed in reverse order after main. `key`: an address that stands
  // for the type.
  void* Local(const void* key, SimProcess process,
              absl::FunctionRef<std::shared_ptr<void>()> make);

  struct Impl;

 private:
  friend class SimProcessScope;
  Impl* impl_;
};

// The calling thread belongs to `process` within the scope. No effect outside
// a simulation.
class SimProcessScope {
 public:
  explicit SimProcessScope(SimProcess process);
  ~SimProcessScope();
  SimProcessScope(const SimProcessScope&) = delete;
  SimProcessScope& operator=(const SimProcessScope&) = delete;

 private:
  SimProcess previous_ = 0;
  SimWorld* world_;
};

// Uniform in [0, n), from the seed. Outside a simulation always 0, so that
// `SimRandom(100) == 1` is a fault that never happens there. n > 0.
uint64_t SimRandom(uint64_t n);

// Mixes `text` into the hash and keeps it in the trace. Outside: nothing.
void RecordEvent(absl::string_view text);

// The process of the calling thread; 0 outside a simulation.
SimProcess CurrentSimProcess();

}  // namespace millrace
