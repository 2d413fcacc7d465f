#include "millrace/rpc/grpc/grpc_transport.h"

#include <grpc/grpc.h>

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"  // NOLINT(layers): sets an option
#include "millrace/base/threads/thread.h"
#include "millrace/rpc/grpc/grpc_channel.h"
#include "millrace/rpc/grpc/grpc_listener.h"
#include "millrace/rpc/grpc/grpc_log.h"

namespace millrace {
namespace {

// Keeps the library initialized as long as the process lives: gRPC would shut
// down with the last of its objects, and block there, for up to ten seconds,
// for a thread of its own that still polls a connection whose peer does not
// read.
void KeepLibrary() {
  static const bool kept = [] {
    grpc_init();
    return true;
  }();
  (void)kept;
}

class GrpcTransport final : public Transport {
 public:
  explicit GrpcTransport(const GrpcOptions& options) : options_(options) {
    KeepLibrary();
    RouteGrpcLog();
    // Debian enables deadlock detection: each lock of gRPC's would be looked up
    // in a graph.
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  }

  std::shared_ptr<Caller> Connect(const std::string& address) override {
    MutexLock lock(mu_);
    std::weak_ptr<GrpcChannel>& known = channels_[address];
    std::shared_ptr<GrpcChannel> channel = known.lock();
    if (!channel) {
      channel = std::make_shared<GrpcChannel>(address, options_);
      known = channel;
    }
    return channel;
  }

  StatusOr<std::unique_ptr<Listener>> Listen(
      const ListenOptions& options, const Services& services) override {
    return ListenOnGrpc(options, options_, services);
  }

 private:
  const GrpcOptions options_;
  Mutex mu_;
  absl::flat_hash_map<std::string, std::weak_ptr<GrpcChannel>> channels_;
};

}  // namespace

std::shared_ptr<Transport> MakeGrpcTransport(const GrpcOptions& options) {
  return std::make_shared<GrpcTransport>(options);
}

}  // namespace millrace
