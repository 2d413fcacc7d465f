// Poller: a thread that waits for sockets to become ready.
#pragma once

#include <atomic>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/memory/ref.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/batch.h"
#include "millrace/base/threads/thread.h"

namespace millrace {

class PollHandler : public Flushable {
 public:
  // Called on the poller's thread, with epoll's event bits.
  virtual void OnReady(uint32_t events) = 0;

 protected:
  ~PollHandler() override = default;
};

// Thread-safe except for Remove. Level-triggered. A process has one poller for
// every two cores, at least one and at most four; they are never destroyed.
class Poller {
 public:
  // Returns the process's pollers in turn.
  static Poller& Next();

  // Watches `fd` and holds `handler` until Remove. The caller keeps ownership
  // of the descriptor.
  Status Add(int fd, uint32_t events, const Ref<PollHandler>& handler);
  void Modify(int fd, uint32_t events, PollHandler* handler);
  // Stops watching; no further events are delivered for `fd`. Requires: called
  // in the handler's OnReady.
  void Remove(int fd);

 private:
  Poller();
  void Loop();

  int epoll_ = -1;
  Mutex mu_;  // guards handlers_
  absl::flat_hash_map<int, Ref<PollHandler>> handlers_;
  Thread thread_;
};

// Returns the text of an errno: "Connection refused" for ECONNREFUSED.
std::string ErrnoText(int error);

}  // namespace millrace
