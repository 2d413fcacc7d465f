// Poller: a thread that waits for sockets.
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
  // On the poller's thread, with epoll's event bits.
  virtual void OnReady(uint32_t events) = 0;

 protected:
  ~PollHandler() override = default;
};

// Thread-safe but for Remove. Level-triggered. A process has as many as half
// of its cores, at least one and four at most; never destroyed.
class Poller {
 public:
  // One of the process's, in turn.
  static Poller& Next();

  // Holds `handler` until Remove. The descriptor stays the caller's.
  Status Add(int fd, uint32_t events, const Ref<PollHandler>& handler);
  void Modify(int fd, uint32_t events, PollHandler* handler);
  // Only in a handler's OnReady. Nothing comes for `fd` afterwards.
  void Remove(int fd);

 private:
  Poller();
  void Loop();

  int epoll_ = -1;
  Mutex mu_;  // guards handlers_
  absl::flat_hash_map<int, Ref<PollHandler>> handlers_;
  Thread thread_;
};

// Names for messages: "Connection refused" of ECONNREFUSED.
std::string ErrnoText(int error);

}  // namespace millrace
