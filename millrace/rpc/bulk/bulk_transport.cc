#include "millrace/rpc/bulk/bulk_transport.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "millrace/rpc/bulk/bulk_channel.h"
#include "millrace/rpc/bulk/bulk_door.h"

namespace millrace {
namespace {

class BulkListener final : public Listener {
 public:
  BulkListener(Ref<BulkDoor> door, std::unique_ptr<Listener> inner)
      : door_(std::move(door)), inner_(std::move(inner)) {
    door_->set_address(inner_->address());
  }
  ~BulkListener() override {
    Shutdown(Deadline::At(0));
    inner_.reset();
    door_->AwaitCalls();
  }

  const std::string& address() const override { return inner_->address(); }
  int port() const override { return inner_->port(); }
  void Shutdown(Deadline deadline) override {
    door_->Refuse();
    inner_->Shutdown(deadline);
    door_->Shutdown(deadline);
  }
  void Kill() override {
    inner_->Kill();
    door_->Kill();
  }

 private:
  const Ref<BulkDoor> door_;
  std::unique_ptr<Listener> inner_;
};

class BulkTransport final : public Transport {
 public:
  BulkTransport(std::shared_ptr<Transport> inner, const BulkOptions& options)
      : inner_(std::move(inner)), options_(options) {}

  std::shared_ptr<Caller> Connect(const std::string& address) override {
    MutexLock lock(mu_);
    std::weak_ptr<BulkChannel>& known = channels_[address];
    std::shared_ptr<BulkChannel> channel = known.lock();
    if (!channel) {
      channel = std::make_shared<BulkChannel>(address, inner_->Connect(address),
                                              options_);
      known = channel;
    }
    return channel;
  }

  StatusOr<std::unique_ptr<Listener>> Listen(
      const ListenOptions& options, const Services& services) override {
    auto door = MakeRef<BulkDoor>(services, options_.stall_ms);
    MR_RETURN_IF_ERROR(door->Open(options.host));
    Services with_hello = services;
    with_hello.peer = door.get();
    StatusOr<std::unique_ptr<Listener>> inner =
        inner_->Listen(options, with_hello);
    if (!inner.ok()) {
      door->Kill();
      return inner.status();
    }
    return std::unique_ptr<Listener>(
        std::make_unique<BulkListener>(std::move(door), *std::move(inner)));
  }

 private:
  const std::shared_ptr<Transport> inner_;
  const BulkOptions options_;
  Mutex mu_;
  absl::flat_hash_map<std::string, std::weak_ptr<BulkChannel>> channels_;
};

}  // namespace

std::shared_ptr<Transport> MakeBulkTransport(std::shared_ptr<Transport> inner,
                                             const BulkOptions& options) {
  return std::make_shared<BulkTransport>(std::move(inner), options);
}

}  // namespace millrace
