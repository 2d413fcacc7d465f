// LoopbackNetwork: a transport between servers of one process, without sockets.
#pragma once

#include <memory>
#include <string>

#include "millrace/rpc/transport.h"

namespace millrace {

// Calls pass through the codecs, and requests and replies are owned bytes;
// large tensors are not copied, except in a simulation, where they are, as
// between processes. Works in a simulation: a call is handed to the control
// lane of the process that listens, and returns to the control lane of the
// process that called, so a frozen process is silent.
//
// The network hands out port numbers. A host is a name: "localhost" is
// 127.0.0.1, and a listener on 0.0.0.0 is reached by every name. If nothing
// listens at an address, calls fail with UNAVAILABLE "cannot connect to ...:
// connection refused". Thread-safe; callers and listeners may outlive it.
class LoopbackNetwork final : public Transport {
 public:
  LoopbackNetwork();
  ~LoopbackNetwork() override;

  std::shared_ptr<Caller> Connect(const std::string& address) override;
  // Serves on the control lane of the calling (simulated) process. A unix
  // socket's path is one more name, reached as "unix:PATH".
  StatusOr<std::unique_ptr<Listener>> Listen(const ListenOptions& options,
                                             const Services& services) override;

  struct Names;

 private:
  std::shared_ptr<Names> names_;
};

}  // namespace millrace
