// CloseSession: the end of a session.
#pragma once

#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "millrace/cluster/master/master_session.h"

namespace millrace {

// How long the end of a session waits for the workers' replies. The calls
// themselves go on longer.
inline constexpr int64_t kCloseWaitMs = 1'000;

// Calls DeleteWorkerSession on each of `tasks`. `done` runs after the last
// reply, whatever it is, at the latest after `wait_ms`; it may run before this
// returns.
void DeleteWorkerSessions(MasterEnvironment& environment,
                          const std::string& handle,
                          const std::vector<Ref<Peer>>& tasks,
                          absl::AnyInvocable<void()> done,
                          int64_t wait_ms = kCloseWaitMs);

// Ends the steps in flight with `reason`, makes later ones fail with it, and
// deletes the workers' sessions. Idempotent; `done` as above.
void CloseSession(const Ref<MasterSession>& session, const Status& reason,
                  absl::AnyInvocable<void()> done,
                  int64_t wait_ms = kCloseWaitMs);

}  // namespace millrace
