// PrepareRun: compiles a session's graph for one kind of run, and registers the
// parts with the tasks.
#pragma once

#include "millrace/cluster/master/master_session.h"

namespace millrace {

// Runs in a turn of the session's graph: prunes and partitions it; then calls
// RegisterGraph on every task that has nodes, in parallel; then `run` is ready.
// Does not depend on the call that asked for it first; ends with the session.
// If it fails, the session drops the run.
void PrepareRun(Ref<MasterSession> session, Ref<PreparedRun> run);

// Returns the options under which `session` partitions its graph for `run`.
// Requires: the caller has the turn.
struct RunPartsOptions;
RunPartsOptions PartsOptions(MasterSession& session, const PreparedRun& run);

}  // namespace millrace
