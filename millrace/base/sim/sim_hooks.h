// The calls by which the waiting primitives of this room report to the
// simulation. Not for use outside millrace/base; see sim.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "millrace/base/clock.h"

namespace millrace::internal {

struct SimThread;

// Null for threads outside a simulation; reading it is all that the simulation
// costs them.
extern constinit thread_local SimThread* current_sim_thread
    __attribute__((tls_model("initial-exec")));

inline bool InSim() { return current_sim_thread != nullptr; }

// All of the following require InSim(). The calling thread holds the baton.

// Passes the baton to a thread that the seed chooses (possibly the calling
// one): always, or with the run's lock-switch probability.
void SimSwitch(const char* what);
void SimMaybeSwitch(const char* what);
// Blocks until a SimWake of `object` or the deadline; returns true if it timed
// out. A null object waits for the deadline alone. `owner`, if given, holds the
// ThreadTag of the thread that is waited for, for the report of a deadlock.
bool SimBlock(const void* object, const char* what, Deadline deadline,
              const std::atomic<uint64_t>* owner = nullptr);
// Makes one waiter of `object`, chosen by the seed, runnable, or all of them.
void SimWakeOne(const void* object);
void SimWakeAll(const void* object);
// Returns true with the probability that a condition variable wakes without
// notification.
bool SimSpurious();
int64_t SimNow();
uint64_t SimSeed();
// Returns a number that identifies the world within this process. May also be
// called outside a simulation, where it is 0.
uint64_t SimWorldId();
// Returns the next 64 random bits of the run.
uint64_t SimBits();
// Keeps a line in the trace without mixing it into the hash.
void SimTrace(absl::string_view line);
bool SimLogsToStderr();

// The following start threads, wait for their end and describe the calling
// thread.
SimThread* SimStartThread(absl::string_view name,
                          absl::AnyInvocable<void()> body);
void SimJoin(SimThread* thread);
const std::string& SimThreadName();
int64_t SimThreadId();

}  // namespace millrace::internal
