// JoinTasks: waits for tasks, by asking each for its devices until it answers.
#pragma once

#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "millrace/cluster/master/environment.h"

namespace millrace {

struct JoinOptions {
  std::vector<Ref<Peer>> peers;
  Deadline deadline;
  // The waiting operation, for the log: "session 0123456789abcdef".
  std::string who;
  // Whether a task that answered before and does not answer for
  // lost_task_wait_ms ends the wait with ABORTED. Otherwise such a task is
  // waited for like any other.
  bool abort_for_lost_tasks = true;
};

// Receives, in the order of `peers`, OK for each that answered (Peer::devices
// then returns its devices), otherwise its error.
using JoinDone = absl::AnyInvocable<void(std::vector<Status>) &&>;

// Asks all tasks in parallel. Every 10 s the log names those that have not
// answered, with the last error. `cancel` (may be null) ends the wait and must
// live until `done`, which may run before this returns.
void JoinTasks(MasterEnvironment& environment, JoinOptions options,
               CancelScope* cancel, JoinDone done);

// Returns one status for a wait that needs all tasks: OK, the one error, or a
// text with all of them.
Status JoinStatus(const std::vector<Status>& statuses);

}  // namespace millrace
