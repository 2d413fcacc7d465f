// PartialStep: a step whose feeds and fetches come in several calls
// (Session.partial_run_setup, Session.partial_run).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/cluster/master/master_session.h"
#include "millrace/cluster/master/serial_queue.h"

namespace millrace {

// The graph keeps running while no call is in flight: nodes wait for feeds that
// have not come. Each call sends RunGraph to every task of the run. The step
// ends with the call after which all is fed and fetched, with the first error
// of a call, or with its session. Thread-safe; calls may overlap.
class PartialStep final : public RefCounted {
 public:
  // Receives the fetches in the order of the call.
  using CallDone = absl::AnyInvocable<void(Status, std::vector<Tensor>) &&>;
  using SetupDone = absl::AnyInvocable<void(StatusOr<std::string>) &&>;

  // Prepares the run and passes `done` a handle for it, which the session
  // keeps. Returns RESOURCE_EXHAUSTED if the session has kMaxPerSession of
  // them.
  static void Setup(Ref<MasterSession> session,
                    const PartialRunSetupRequest& request, SetupDone done);

  // Handles one call. Returns INVALID_ARGUMENT, and changes nothing, for a feed
  // or fetch that was not announced or came before, and for a fetch that needs
  // a feed which has not come. `context` and `request` must live until `done`,
  // which may run before this returns.
  void Run(CallContext& context, const RunStepRequest& request, CallDone done);

  const std::string& handle() const { return handle_; }
  int64_t step_id() const { return step_id_; }
  // Returns when the oldest call in flight began; 0 if there is none.
  int64_t waiting_since_nanos();

  static constexpr size_t kMaxPerSession = 1000;

 private:
  friend class PartialSteps;
  class Call;

  PartialStep(Ref<MasterSession> session, Ref<PreparedRun> run);
  ~PartialStep() override = default;
  static StatusOr<std::string> Begin(const Ref<MasterSession>& session,
                                     const Ref<PreparedRun>& run,
                                     SerialQueue::Turn turn);
  Status FindNeeds(const Graph& graph);
  Status Take(const RunStepRequest& request, int64_t start_nanos,
              std::vector<int>* feeds, std::vector<int>* fetches,
              bool* is_last);
  void RemoveCall(int64_t start_nanos);
  void End(const Status& reason);

  const Ref<MasterSession> session_;
  const Ref<PreparedRun> run_;
  const int64_t step_id_;
  std::string handle_;
  CancelScope scope_;
  // Indices in the run's signature, by name.
  absl::flat_hash_map<std::string, int> feeds_;
  absl::flat_hash_map<std::string, int> fetches_;
  // By fetch: the feeds on which it depends.
  std::vector<std::vector<int>> needs_;

  Mutex mu_;  // guards all below
  std::vector<bool> fed_;
  std::vector<bool> fetched_;
  bool ended_ = false;
  std::multiset<int64_t> calls_;  // in flight, by the times at which they began
};

}  // namespace millrace
