// RemoteRendezvous: the rendezvous of a step that spans several tasks.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "millrace/cluster/peers.h"
#include "millrace/exec/local_rendezvous.h"
#include "millrace/exec/step_stats.h"

namespace millrace {

// Sends and receives of this task's own devices meet in `local`, which also
// serves other tasks' RecvTensor calls; a receive from a device of another task
// is a RecvTensor to that task. Errors of those calls name the task:
// UNAVAILABLE if it does not answer, ABORTED if it was restarted; an error that
// only follows from the failure of the step at that task carries the derived
// mark. Thread-safe.
class RemoteRendezvous final : public Rendezvous {
 public:
  // `self_prefix` is that of this task's keys. `peers` must outlive this
  // object. Receives end at `deadline`, and record their times in `stats`
  // unless it is null.
  RemoteRendezvous(int64_t step_id,
                   std::shared_ptr<const std::string> self_prefix,
                   Ref<LocalRendezvous> local, Peers* peers, Deadline deadline,
                   std::shared_ptr<StepStatsCollector> stats = nullptr);

  Status Send(absl::string_view key, RendezvousValue value) override;
  void RecvAsync(absl::string_view key, CancelScope* cancel,
                 RecvDone done) override;
  // Also cancels the open RecvTensor calls.
  void StartAbort(const Status& status) override;

 private:
  class Receive;
  StatusOr<Ref<Peer>> FindPeer(absl::string_view key);

  const int64_t step_id_;
  const std::shared_ptr<const std::string>
      self_prefix_;  // "/job:j/replica:0/task:1/"
  const Ref<LocalRendezvous> local_;
  Peers* const peers_;
  const Deadline deadline_;
  const std::shared_ptr<StepStatsCollector> stats_;

  Mutex mu_;                                              // guards all below
  std::vector<std::pair<std::string, Ref<Peer>>> found_;  // by prefix of a key
  absl::btree_map<uint64_t, Ref<Receive>> open_;
  uint64_t next_number_ = 1;
  uint64_t request_base_ = 0;  // of request ids
  Status aborted_;
};

}  // namespace millrace
