// What the waiting primitives of this room tell the simulation. Not for use
// outside millrace/base; see sim.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "millrace/base/clock.h"

namespace millrace::internal {

struct SimThread;

// Null for threads outside a simulation: that is the whole cost they pay.
extern constinit thread_local SimThread* current_sim_thread
    __attribute__((tls_model("initial-exec")));

inline bool InSim() { return current_sim_thread != nullptr; }

// All below: only if InSim(). The calling thread holds the baton.

// Hands the baton to a thread that the seed chooses (maybe to itself): always,
// or with the lock-switch probability of the run.
void SimSwitch(const char* what);
void SimMaybeSwitch(const char* what);
// Waits until a SimWake of `object` or the deadline; true if timed out.
// A null object waits for the deadline alone. `owner`, if given, holds the
// ThreadTag of the thread that is waited for, for the report of a deadlock.
bool SimBlock(const void* object, const char* what, Deadline deadline,
              const std::atomic<uint64_t>* owner = nullptr);
// Makes one waiter of `object`, chosen by the seed, runnable, or all of them.
void SimWakeOne(const void* object);
void SimWakeAll(const void* object);
// True with the probability that a condition wakes without notification.
bool SimSpurious();
int64_t SimNow();
uint64_t SimSeed();
// A number that no other world of this process has; 0 outside, where it may be
// asked, too.
uint64_t SimWorldId();
// The next 64 random bits of the run.
uint64_t SimBits();
// Keeps a line in the trace without mixing it into the hash.
void SimTrace(absl::string_view line);
bool SimLogsToStderr();

// Threads.
SimThread* SimStartThread(absl::string_view name,
                          absl::AnyInvocable<void()> body);
void SimJoin(SimThread* thread);
const std::string& SimThreadName();
int64_t SimThreadId();

}  // namespace millrace::internal
