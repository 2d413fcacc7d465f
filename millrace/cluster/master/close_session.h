// The end of a session.
#pragma once

#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "millrace/cluster/master/master_session.h"

namespace millrace {

// How long the end of a session waits for the workers' answers; they get the
// call for ten seconds all the same.
inline constexpr int64_t kCloseWaitMs = 1'000;

// DeleteWorkerSession on each of `tasks`. `done` comes after the last answer,
// whatever it is, at the latest after `wait_ms`; maybe before this returns.
void DeleteWorkerSessions(MasterEnvironment& environment,
                          const std::string& handle,
                          const std::vector<Ref<Peer>>& tasks,
                          absl::AnyInvocable<void()> done,
                          int64_t wait_ms = kCloseWaitMs);

// Steps in progress end with `reason`, later ones fail with it, the workers'
// sessions are deleted. Idempotent; `done` as above.
void CloseSession(const Ref<MasterSession>& session, const Status& reason,
                  absl::AnyInvocable<void()> done,
                  int64_t wait_ms = kCloseWaitMs);

}  // namespace millrace
