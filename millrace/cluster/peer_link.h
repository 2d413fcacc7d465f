// PeerLink: a Peer that is reached by a transport, or is in this process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "millrace/cluster/peers.h"
#include "millrace/cluster/retrying_caller.h"
#include "millrace/rpc/heartbeat.h"

namespace millrace {

// See peers.h. Calls and probes in flight keep it alive.
class PeerLink final : public Peer, private Heartbeat::Watcher {
 public:
  // Copies what it needs from `options`.
  PeerLink(const PeersOptions& options, TaskName task, std::string address);
  ~PeerLink() override;

  const TaskName& task() const override { return task_; }
  const std::string& address() const override { return address_; }
  WorkerApi& worker() override { return *worker_; }
  bool is_self() const override { return is_self_; }
  Status last_error() const override;
  bool has_answered() const override;
  std::vector<DeviceAttributes> devices() const override;
  uint64_t incarnation() const override;
  void Identify(CallContext& context, Done done) override;

  // A call that may wait, watched by failure detection from construction until
  // Finished.
  class OpenCall : public RefCounted {
   public:
    // `incarnation` is that of the device for which the call is meant; 0: that
    // of the task as known now.
    OpenCall(Ref<PeerLink> link, const CallContext& context,
             uint64_t incarnation);
    CallContext& context() { return context_; }
    Traffic& traffic() { return *link_->traffic_; }
    // Ends the watch. Returns the outcome for the caller.
    Status Finished(Status status);

   private:
    friend class PeerLink;
    const Ref<PeerLink> link_;
    CancelScope scope_;
    CallContext context_;
    uint64_t number_ = 0;
    // Guarded by the link's lock.
    uint64_t incarnation_;
    Status failure_;
  };

 private:
  class Front;
  class Identification;

  Ref<RefCounted> Keep() override { return Ref<RefCounted>::Share(this); }
  bool Waits() override { return !open_.empty(); }
  WorkerApi& ProbeTarget() override { return *direct_; }
  void OnAnswer(const Heartbeat::Answer& answer) override;
  // Handles a reply of GetStatus: checks the names and stores the devices.
  // Returns the calls that were meant for another incarnation, which the caller
  // must end.
  StatusOr<std::vector<Ref<OpenCall>>> StoreDevices(
      std::vector<DeviceAttributes> devices);
  void Observe(const Status& status);
  static void Fail(const std::vector<Ref<OpenCall>>& calls,
                   const Status& reason);
  Status Restarted() const;

  const TaskName task_;
  const std::string address_;
  const std::string who_;  // "task /job:... (host:port)"
  const bool is_self_;
  const bool rename_devices_;
  const int64_t probe_interval_ms_;
  Lanes& lanes_;
  const std::shared_ptr<Transport> transport_;
  const std::shared_ptr<Traffic> traffic_;  // never null
  std::shared_ptr<Caller> caller_;
  std::unique_ptr<RetryingCaller> retrying_;
  std::unique_ptr<WorkerApi> once_;   // calls that are not retried
  std::unique_ptr<WorkerApi> stub_;   // over retrying_
  std::unique_ptr<WorkerApi> front_;  // watches calls that wait
  WorkerApi* worker_ = nullptr;       // front_, or this process's own
  WorkerApi* direct_ = nullptr;       // once_, or this process's own

  mutable Mutex mu_;  // guards all below
  Status last_error_;
  bool has_answered_ = false;
  std::vector<DeviceAttributes> devices_;
  absl::btree_map<uint64_t, Ref<OpenCall>> open_;
  uint64_t next_number_ = 1;
  Heartbeat heartbeat_;  // while calls are open
  Misses misses_;
};

}  // namespace millrace
