// Preparing a run: compile the session's graph for it, register the parts.
#pragma once

#include "millrace/cluster/master/master_session.h"

namespace millrace {

// In a turn of the session's graph: prune, partition; then RegisterGraph on
// every task that has nodes, in parallel; then `run` is ready. Independent of
// the call that asked for it first, ends with the session. A run that failed
// is forgotten by the session.
void PrepareRun(Ref<MasterSession> session, Ref<PreparedRun> run);

// The options under which `session` splits its graph for `run`; with a turn.
struct RunPartsOptions;
RunPartsOptions PartsOptions(MasterSession& session, const PreparedRun& run);

}  // namespace millrace
