// Growing a session's graph: CreateSession and ExtendSession.
#pragma once

#include <optional>

#include "absl/functional/any_invocable.h"
#include "millrace/cluster/master/master_session.h"

namespace millrace {

// Gets the graph's new version.
using ExtendDone = absl::AnyInvocable<void(StatusOr<int64_t>) &&>;

// In a turn of the session's graph: checks `expected_version` (if given;
// ABORTED on a mismatch, and the version is counted up only then), waits for
// the tasks that `def` names and that have not joined yet, makes worker
// sessions on them, adds and places the nodes. An error leaves the graph as it
// was. Waits at most until the call's deadline or
// MasterOptions::session_wait_ms (DEADLINE_EXCEEDED); see join_tasks.h.
// A client whose answer was lost sends the same again: the last extension, with
// the version that it expected, gets the version that it led to and changes
// nothing. `context` and `def` live until `done`, which may be called before
// this returns.
void ExtendGraph(Ref<MasterSession> session, CallContext& context,
                 const GraphDef& def, std::optional<int64_t> expected_version,
                 ExtendDone done);

}  // namespace millrace
