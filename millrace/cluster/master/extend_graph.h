// ExtendGraph: grows a session's graph, for CreateSession and ExtendSession.
#pragma once

#include <optional>

#include "absl/functional/any_invocable.h"
#include "millrace/cluster/master/master_session.h"

namespace millrace {

// Receives the graph's new version.
using ExtendDone = absl::AnyInvocable<void(StatusOr<int64_t>) &&>;

// Runs in a turn of the session's graph: checks `expected_version` (if given;
// ABORTED on a mismatch, and only then is the version incremented at the end),
// waits for the tasks that `def` names and that have not joined yet, creates
// worker sessions on them, adds and places the nodes. An error leaves the graph
// unchanged. Waits at most until the call's deadline or for
// MasterOptions::session_wait_ms (DEADLINE_EXCEEDED); see join_tasks.h.
// Idempotent for a client whose reply was lost and that retries: the last
// extension, with the version that it expected, returns the version that it led
// to and changes nothing. `context` and `def` must live until `done`, which may
// run before this returns.
void ExtendGraph(Ref<MasterSession> session, CallContext& context,
                 const GraphDef& def, std::optional<int64_t> expected_version,
                 ExtendDone done);

}  // namespace millrace
