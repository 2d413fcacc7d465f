// ServerWatch: notices that a server is silent, while calls to it are open.
// Private to client/.
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
// network do not. So the server's GetStatus is asked each second while there
// are calls, and three misses in a row, within four seconds, cancel them all
// with UNAVAILABLE. The first question comes with the first call: its answer
// tells which task that is. Thread-safe.
class ServerWatch final : private Heartbeat::Watcher {
 public:
  static constexpr int64_t kProbeIntervalMs = 1000;
  static constexpr int kMisses = 3;

  ServerWatch(std::string address, std::shared_ptr<Caller> caller);
  // No call is watched any more. Waits for the end of a question.
  ~ServerWatch();
  ServerWatch(const ServerWatch&) = delete;
  ServerWatch& operator=(const ServerWatch&) = delete;

  // "task /job:worker/replica:0/task:0 (host:port)", or "the server at
  // host:port" until it has answered once.
  std::string who() const;

  // A call that is watched, for its lifetime. `scope` is the call's.
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
  WorkerApi& Asked() override { return *worker_; }
  void Told(const Heartbeat::Answer& answer) override;

  const std::string address_;
  const std::shared_ptr<Caller> caller_;
  const std::unique_ptr<WorkerApi> worker_;

  mutable Mutex mu_;  // guards all below
  std::string task_;  // once known
  std::list<std::shared_ptr<CancelScope>> calls_;
  Heartbeat heartbeat_;  // while there are calls
  Misses misses_{kMisses};
};

}  // namespace millrace
