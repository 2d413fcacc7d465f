// ServerWatch: a failure detector for a server, active while calls to it are
// open. Private to client/.
#pragma once

#include <list>
#include <memory>
#include <string>

#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/thread.h"
#include "millrace/protocol/caller.h"
#include "millrace/rpc/heartbeat.h"

namespace millrace {

// A connection that breaks ends its calls at once; a frozen server and a cut
// network do not. So a heartbeat probes the server with GetStatus each second
// while there are calls, and three misses in a row, within four seconds, cancel
// all calls with UNAVAILABLE. The first probe is sent with the first call: its
// reply tells which task the server is. Thread-safe.
class ServerWatch final : private Heartbeat::Watcher {
 public:
  static constexpr int64_t kProbeIntervalMs = 1000;
  static constexpr int kMisses = 3;

  ServerWatch(std::string address, std::shared_ptr<Caller> caller);
  // Requires: no call is watched any more. Blocks until a probe in flight has
  // ended.
  ~ServerWatch();
  ServerWatch(const ServerWatch&) = delete;
  ServerWatch& operator=(const ServerWatch&) = delete;

  // Returns "task /job:worker/replica:0/task:0 (host:port)", or "the server at
  // host:port" until it has answered once.
  std::string who() const;

  // Watches a call during its lifetime. `scope` is the call's.
  class Guard {
   public:
    Guard(ServerWatch& watch, std::shared_ptr<CancelScope> scope);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    ServerWatch& watch_;
    std::list<std::shared_ptr<CancelScope>>::iterator entry_;
  };

 private:
  Ref<RefCounted> Keep() override { return nullptr; }
  bool Waits() override { return !calls_.empty(); }
  WorkerApi& ProbeTarget() override { return *worker_; }
  void OnAnswer(const Heartbeat::Answer& answer) override;

  const std::string address_;
  const std::shared_ptr<Caller> caller_;
  const std::unique_ptr<WorkerApi> worker_;

  mutable Mutex mu_;  // guards all below
  std::string task_;  // once known
  std::list<std::shared_ptr<CancelScope>> calls_;
  Heartbeat heartbeat_;  // active while there are calls
  Misses misses_{kMisses};
};

}  // namespace millrace
