// SimWorld: runs threads deterministically from a seed, in virtual time.
//
// Threads are real, but only the one that holds the baton runs. Every wait
// (Mutex, CondVar, SharedMutex, Notification, Join, SleepUntil, and so timers
// and pools) is a switch point at which the seed decides which thread runs
// next; taking a lock is one with a seeded probability. Virtual time stands
// still while any thread can run and then jumps to the earliest deadline, so
// hours pass in milliseconds. The same seed and program give the same hash of
// events.
//
//   SimResult r = SimWorld({.seed = 7}).Run([] { ... });
//   EXPECT_TRUE(r.status.ok()) << r.Report();
//
// A thread started inside belongs to the world. Threads outside are untouched;
// they must not wait for threads inside or be waited for. State that outlives a
// run (statics, thread_local) must not influence it: threads of the operating
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
  // The probability that taking a free lock is a switch point.
  double lock_switch_probability = 0.1;
  // The probability that a condition variable wakes its waiter without
  // notification.
  double spurious_wakeup_probability = 0.01;
  // The virtual time that each switch point takes. With 0, time passes only
  // when all threads wait; above 0, endless loops reach their deadlines.
  int64_t nanos_per_switch = 0;
  // A run that exceeds one of these limits fails with RESOURCE_EXHAUSTED.
  int64_t max_virtual_nanos = int64_t{24} * 3600 * 1'000'000'000;
  uint64_t max_events = 20'000'000;
  // Whether fault points (fault_point.h) may fire.
  bool fault_points = false;
  bool log_to_stderr = false;
  // The number of events and log lines that are kept for the report.
  size_t trace_limit = 2000;
};

struct SimResult {
  // OK if main returned and all threads ended. INTERNAL names every waiter of a
  // deadlock. After an error the run's threads stay parked for ever, and the
  // objects that they own are leaked.
  Status status;
  uint64_t seed = 0;
  uint64_t hash = 0;    // of all (event kind, thread, virtual time)
  uint64_t events = 0;  // number of switch points and recorded events
  int64_t virtual_nanos = 0;
  std::vector<std::string> trace;  // the last events, filled on error only

  // Returns the status, the seed and the trace as text.
  std::string Report() const;
};

// A group of threads that stands for a process of the operating system. 0 is
// the group of the thread that runs main.
using SimProcess = int;

class SimWorld {
 public:
  explicit SimWorld(SimOptions options);
  ~SimWorld();
  SimWorld(const SimWorld&) = delete;
  SimWorld& operator=(const SimWorld&) = delete;

  // Runs `main` as the first thread of the world, then destroys the objects
  // that are local to the world (thread pools, files) and waits for all
  // threads; processes that are still frozen are thawed. Must be called once
  // per world, from outside.
  SimResult Run(absl::AnyInvocable<void()> main);

  // Returns the world of the calling thread; null outside a simulation.
  static SimWorld* Current();

  // The following may be called only from threads of the world.
  const SimOptions& options() const;
  // Returns the hash of the events so far.
  uint64_t hash() const;

  // A new thread belongs to the process of the thread that starts it.
  SimProcess AddProcess(absl::string_view name);
  SimProcess CurrentProcess() const;
  const std::string& ProcessName(SimProcess process) const;
  // Threads of a frozen process are not scheduled until Thaw, or until the
  // virtual time `thaw_nanos`; their timeouts continue to run. A thread that
  // freezes its own process stops at once.
  void Freeze(SimProcess process);
  void FreezeUntil(SimProcess process, int64_t thaw_nanos);
  void Thaw(SimProcess process);
  bool IsFrozen(SimProcess process) const;

  // Returns the object of the world (or of the process) under `key`. It is made
  // by the first call and destroyed after main, in reverse order. `key` is an
  // address that identifies the type.
  void* Local(const void* key, SimProcess process,
              absl::FunctionRef<std::shared_ptr<void>()> make);

  struct Impl;

 private:
  friend class SimProcessScope;
  Impl* impl_;
};

// Makes the calling thread belong to `process` within the scope. Has no effect
// outside a simulation.
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

// Returns a uniform number in [0, n), derived from the seed. Outside a
// simulation it is always 0, so a fault under `SimRandom(100) == 1` never
// happens there. Requires: n > 0.
uint64_t SimRandom(uint64_t n);

// Mixes `text` into the hash and keeps it in the trace. Does nothing outside a
// simulation.
void RecordEvent(absl::string_view text);

// Returns the process of the calling thread; 0 outside a simulation.
SimProcess CurrentSimProcess();

}  // namespace millrace
