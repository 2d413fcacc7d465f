#include "millrace/rpc/loopback/loopback.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "millrace/base/sim/sim.h"
#include "millrace/rpc/call_status.h"
#include "millrace/rpc/loopback/loopback_call.h"

namespace millrace {
namespace {

// "localhost:1" and "127.0.0.1:1" are one address.
std::string Canonical(absl::string_view address) {
  constexpr absl::string_view kLocal = "localhost:";
  if (absl::StartsWith(address, kLocal)) {
    return absl::StrCat("127.0.0.1:", address.substr(kLocal.size()));
  }
  return std::string(address);
}

// Returns the address that stands for every host with this port.
std::string AnyHost(absl::string_view address) {
  const size_t colon = address.rfind(':');
  if (colon == absl::string_view::npos) return "";
  return absl::StrCat("*", address.substr(colon));
}

bool IsAnyHost(absl::string_view host) {
  return host.empty() || host == "0.0.0.0" || host == "::" || host == "[::]";
}

std::string CallerName() {
  const SimWorld* world = SimWorld::Current();
  return world ? world->ProcessName(world->CurrentProcess()) : "loopback";
}

}  // namespace

// The listeners by their addresses.
struct LoopbackNetwork::Names {
  Ref<LoopbackDoor> Find(const std::string& address) {
    const std::string any = AnyHost(address);
    MutexLock lock(mu);
    auto it = doors.find(address);
    if (it == doors.end()) it = doors.find(any);
    return it == doors.end() ? nullptr : it->second;
  }

  Mutex mu;
  absl::flat_hash_map<std::string, Ref<LoopbackDoor>> doors;  // by address
  int next_port = 20000;
};

namespace {

using Names = LoopbackNetwork::Names;

class LoopbackCaller final : public Caller {
 public:
  LoopbackCaller(std::shared_ptr<Names> names, std::string address)
      : names_(std::move(names)), address_(std::move(address)) {}

  void Call(const Method& method, CallContext& context, ByteChunks request,
            ByteChunks* reply, Done done) override {
    const Ref<LoopbackDoor> door = names_->Find(address_);
    const auto call = MakeRef<LoopbackCall>(
        method, address_, context, CallerName(), reply, std::move(done), door);
    if (call->Begin()) call->Send(std::move(request));
  }

 private:
  const std::shared_ptr<Names> names_;
  const std::string address_;
};

class LoopbackListener final : public Listener {
 public:
  LoopbackListener(std::shared_ptr<Names> names, Ref<LoopbackDoor> door,
                   int port, std::vector<std::string> keys)
      : names_(std::move(names)),
        door_(std::move(door)),
        port_(port),
        keys_(std::move(keys)) {}
  ~LoopbackListener() override { Shutdown(Deadline::At(0)); }

  const std::string& address() const override { return door_->address(); }
  int port() const override { return port_; }
  void Shutdown(Deadline deadline) override {
    Leave();
    door_->Shutdown(deadline);
  }
  void Kill() override {
    Leave();
    door_->Kill();
  }

 private:
  void Leave() {
    MutexLock lock(names_->mu);
    for (const std::string& key : keys_) {
      const auto it = names_->doors.find(key);
      if (it != names_->doors.end() && it->second == door_) {
        names_->doors.erase(it);
      }
    }
  }

  const std::shared_ptr<Names> names_;
  const Ref<LoopbackDoor> door_;
  const int port_;
  const std::vector<std::string> keys_;
};

}  // namespace

LoopbackNetwork::LoopbackNetwork() : names_(std::make_shared<Names>()) {}
LoopbackNetwork::~LoopbackNetwork() = default;

std::shared_ptr<Caller> LoopbackNetwork::Connect(const std::string& address) {
  return std::make_shared<LoopbackCaller>(names_, Canonical(address));
}

StatusOr<std::unique_ptr<Listener>> LoopbackNetwork::Listen(
    const ListenOptions& options, const Services& services) {
  const bool any = IsAnyHost(options.host);
  const std::string host = any ? "127.0.0.1" : options.host;
  int port = options.port;
  if (port < 0 || port > 65535) {
    return InvalidArgument("a port is a number from 0 to 65535, not ", port);
  }
  Lanes* lanes = &Lanes::Process();
  MutexLock lock(names_->mu);
  const auto key = [&](int p) {
    return any ? absl::StrCat("*:", p)
               : Canonical(absl::StrCat(options.host, ":", p));
  };
  const auto taken = [&](const std::string& name) {
    return names_->doors.contains(name);
  };
  if (port == 0) {
    do {
      port = names_->next_port++;
    } while (taken(key(port)));
  }
  std::vector<std::string> keys = {key(port)};
  if (!options.unix_socket.empty()) {
    keys.push_back(absl::StrCat("unix:", options.unix_socket));
  }
  for (const std::string& name : keys) {
    if (taken(name)) {
      return Unavailable("cannot listen on ", name, ": address already in use");
    }
  }
  auto door =
      MakeRef<LoopbackDoor>(absl::StrCat(host, ":", port), services, lanes);
  for (const std::string& name : keys) names_->doors[name] = door;
  lock.Unlock();
  return std::make_unique<LoopbackListener>(names_, std::move(door), port,
                                            std::move(keys));
}

}  // namespace millrace
