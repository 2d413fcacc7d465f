// Acceptor: takes connections from a listening socket.
#pragma once

#include <atomic>
#include <cstdint>

#include "absl/functional/any_invocable.h"
#include "millrace/rpc/poller.h"

namespace millrace {

// Thread-safe. While the process has no descriptors left, connections wait, and
// are taken when it has some again.
class Acceptor final : public PollHandler {
 public:
  // Owns the connection's descriptor, which does not block. Called on a
  // poller's thread; must not block.
  using Welcome = absl::AnyInvocable<void(int fd)>;

  // Owns `fd`, a listening socket that does not block.
  Acceptor(int fd, Welcome welcome);

  Status Start();
  // Stops listening at once, and closes the socket soon. A connection that was
  // taken before may still be welcomed after this.
  void Close();

 private:
  ~Acceptor() override;
  template <class T, class... Args>
  friend Ref<T> MakeRef(Args&&... args);

  void Flush() override {}
  void OnReady(uint32_t events) override;
  void Pause();

  const int fd_;
  Welcome welcome_;
  Poller& poller_;
  int64_t warn_nanos_ = 0;  // of the poller's thread; no warning before
  std::atomic<bool> closed_{false};
};

}  // namespace millrace
