#include "millrace/rpc/bulk/bulk_door.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/base/random.h"
#include "millrace/rpc/bulk/served_connection.h"
#include "millrace/rpc/bulk/sockets.h"
#include "millrace/rpc/call_status.h"
#include "millrace/rpc/listening_sockets.h"

namespace millrace {
namespace {

constexpr size_t kMaxConnections = 10'000;
constexpr int64_t kFarewellMs = 200;

std::string RandomName() {
  return absl::StrCat(absl::Hex(RandomUint64(), absl::kZeroPad16),
                      absl::Hex(RandomUint64(), absl::kZeroPad16));
}

}  // namespace

BulkDoor::BulkDoor(const Services& services, int64_t stall_ms)
    : services_(services), stall_ms_(stall_ms), lanes_(Lanes::Process()) {}
BulkDoor::~BulkDoor() = default;

Status BulkDoor::Open(const std::string& host) {
  int port = 0;
  MR_ASSIGN_OR_RETURN(std::vector<int> fds,
                      ListenAt(host, kUserTimeoutMs, &port));
  bulk_address_ = absl::StrCat(host, ":", port);
  local_name_ = absl::StrCat("millrace-", RandomName());
  const StatusOr<int> local = ListenLocally(local_name_);
  if (local.ok()) {
    fds.push_back(*local);
  } else {
    local_name_.clear();
  }
  std::vector<Ref<Acceptor>> acceptors;
  for (const int fd : fds) {
    acceptors.push_back(MakeRef<Acceptor>(
        fd, [door = Ref<BulkDoor>::Share(this)](int connection) {
          door->Welcome(connection);
        }));
  }
  for (const Ref<Acceptor>& acceptor : acceptors) {
    MR_RETURN_IF_ERROR(acceptor->Start());
    MutexLock lock(mu_);
    acceptors_.push_back(acceptor);
  }
  return OkStatus();
}

void BulkDoor::Welcome(int fd) {
  if (!PrepareForPolling(fd).ok()) {
    close(fd);
    return;
  }
  const auto connection =
      MakeRef<ServedConnection>(Ref<BulkDoor>::Share(this), fd);
  if (Add(connection) && !connection->Start().ok()) Remove(connection.get());
}

void BulkDoor::Hello(CallContext&, const HelloRequest& request,
                     HelloReply* reply, Done done) {
  if (request.protocol_version != kPeerProtocolVersion) {
    std::move(done)(Unimplemented("version ", request.protocol_version,
                                  " of Hello is not spoken here, only ",
                                  kPeerProtocolVersion));
    return;
  }
  reply->protocol_version = kPeerProtocolVersion;
  reply->bulk_address = bulk_address_;
  reply->local_address = local_name_;
  reply->bulk_token = tokens_.Make(NowNanos());
  std::move(done)(OkStatus());
}

bool BulkDoor::TakeToken(const std::string& token) {
  return tokens_.Take(token, NowNanos());
}

bool BulkDoor::Enter() {
  MutexLock lock(mu_);
  if (refusing_) return false;
  ++open_calls_;
  return true;
}

void BulkDoor::Leave() {
  MutexLock lock(mu_);
  if (--open_calls_ == 0) changed_.NotifyAll();
}

bool BulkDoor::Add(const Ref<ServedConnection>& connection) {
  MutexLock lock(mu_);
  return !refusing_ && connections_.size() < kMaxConnections &&
         connections_.emplace(connection.get(), connection).second;
}

void BulkDoor::Remove(ServedConnection* connection) {
  Ref<ServedConnection> removed;  // destroyed after the lock is released
  MutexLock lock(mu_);
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return;
  removed = std::move(found->second);
  connections_.erase(found);
  if (connections_.empty()) changed_.NotifyAll();
}

std::vector<Ref<ServedConnection>> BulkDoor::Connections() {
  std::vector<Ref<ServedConnection>> all;
  MutexLock lock(mu_);
  for (const auto& [key, connection] : connections_) all.push_back(connection);
  return all;
}

void BulkDoor::CloseAcceptors() {
  std::vector<Ref<Acceptor>> acceptors;
  {
    MutexLock lock(mu_);
    acceptors.swap(acceptors_);
  }
  for (const Ref<Acceptor>& acceptor : acceptors) acceptor->Close();
}

void BulkDoor::Refuse() {
  MutexLock lock(mu_);
  refusing_ = true;
}

void BulkDoor::Shutdown(Deadline deadline) {
  Refuse();
  CloseAcceptors();
  bool late = false;
  {
    MutexLock lock(mu_);
    while (open_calls_ > 0 && !late) late = changed_.WaitUntil(mu_, deadline);
  }
  const Status reason = ShuttingDown(address_);
  if (late) handlers_.Cancel(reason);
  AwaitCalls();
  for (const auto& connection : Connections()) {
    connection->CloseAfterWriting(reason);
  }
  {
    const Deadline farewell = Deadline::AfterMillis(kFarewellMs);
    MutexLock lock(mu_);
    while (!connections_.empty() && !changed_.WaitUntil(mu_, farewell)) {
    }
  }
  for (const auto& connection : Connections()) connection->Close(reason);
}

void BulkDoor::Kill() {
  Refuse();
  CloseAcceptors();
  const Status reason = Unavailable("killed");
  for (const auto& connection : Connections()) connection->Close(reason);
  handlers_.Cancel(reason);
}

void BulkDoor::AwaitCalls() {
  MutexLock lock(mu_);
  while (open_calls_ > 0) changed_.Wait(mu_);
}

}  // namespace millrace
