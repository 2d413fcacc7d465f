// StepLimit: how long a step, or a call of a partial run, may take, and who
// says so when it has taken longer.
//
// The client's call, the step at its master and the calls to its workers would
// all end at the same time, each with an error of its own. It is the master's
// that names the limit, so it comes first.
#pragma once

#include <cstdint>

#include "millrace/base/clock.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/timer.h"
#include "millrace/protocol/config.h"

namespace millrace {

struct StepLimit {
  int64_t timeout_ms = 0;  // 0: only the client's call has a deadline
  Deadline step;   // when the master ends it; infinite without a timeout
  Deadline calls;  // of the calls to workers
};

// Returns the limit of a run with these options, its own or its session's, by
// a client whose call has this deadline. A client that gives its call no more
// time than its step gets the answer a twentieth of that time earlier, at least
// 1 ms and at most 20, so that it still hears of it. The call of a client that
// waits for less time than that ends by itself.
StepLimit LimitOf(const RunOptions& options, const ConfigOptions& session,
                  Deadline client);

// Cancels `scope` with DEADLINE_EXCEEDED when the limit's time is over.
void CancelAtLimit(const StepLimit& limit, CancelScope& scope, Timer& timer);

}  // namespace millrace
