#include "millrace/rpc/grpc/front_door.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "millrace/base/clock.h"
#include "millrace/base/log.h"
#include "millrace/base/threads/wait.h"
#include "millrace/rpc/grpc/accepted_connections.h"
#include "millrace/rpc/listening_sockets.h"

namespace millrace {
namespace {

constexpr size_t kMostConnections = 10'000;
// Between two looks at which connections are open, while there are too many.
constexpr int64_t kLookNanos = 100'000'000;
constexpr int64_t kWarnNanos = 10'000'000'000;

}  // namespace

size_t MostConnections() {
  rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return kMostConnections;
  return std::min<size_t>(kMostConnections, files.rlim_cur / 4 * 3);
}

// What the acceptors hand over to.
class FrontDoor::Guests final : public RefCounted {
 public:
  void Open(
      std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> server,
      size_t most) {
    MutexLock lock(mu_);
    server_ = std::move(server);
    most_ = most;
  }

  void Close() {
    MutexLock lock(mu_);
    server_.reset();
  }

  void Welcome(int fd) {
    MutexLock lock(mu_);
    if (server_ == nullptr || !HasRoom()) {
      close(fd);
      return;
    }
    connections_.Add(fd);
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters
        connection;
    connection.fd = fd;
    server_->HandleNewConnection(&connection);
  }

  void End() {
    MutexLock lock(mu_);
    connections_.End();
  }

 private:
  ~Guests() override = default;
  template <class T, class... Args>
  friend Ref<T> MakeRef(Args&&... args);

  // Requires: mu_ is held.
  bool HasRoom() {
    if (connections_.known() < most_) return true;
    const int64_t now = NowNanos();
    if (now < look_nanos_) return false;
    look_nanos_ = now + kLookNanos;
    const size_t open = connections_.CountOpen();
    if (open < most_) return true;
    if (now >= warn_nanos_) {
      MR_LOG(Warning) << "Connections are refused: " << open
                      << " are open, which is the most";
      warn_nanos_ = now + kWarnNanos;
    }
    return false;
  }

  Mutex mu_;  // guards all below
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> server_;
  AcceptedConnections connections_;
  size_t most_ = 0;
  int64_t look_nanos_ = 0;
  int64_t warn_nanos_ = 0;
};

FrontDoor::FrontDoor() : guests_(MakeRef<Guests>()) {}
FrontDoor::~FrontDoor() { Close(); }

Status FrontDoor::Open(const std::string& host, int port,
                       const std::string& unix_socket, int user_timeout_ms) {
  port_ = port;
  MR_ASSIGN_OR_RETURN(std::vector<int> fds,
                      ListenAt(host, user_timeout_ms, &port_));
  Status status;
  if (!unix_socket.empty()) {
    const StatusOr<int> fd = ListenAtPath(unix_socket);
    if (fd.ok()) {
      fds.push_back(*fd);
      unix_socket_ = unix_socket;
    }
    status = fd.status();
  }
  for (const int fd : fds) {
    acceptors_.push_back(MakeRef<Acceptor>(
        fd, [guests = guests_](int one) { guests->Welcome(one); }));
  }
  return status;
}

Status FrontDoor::Start(
    std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> server,
    size_t most) {
  guests_->Open(std::move(server), most);
  for (const Ref<Acceptor>& acceptor : acceptors_)
    MR_RETURN_IF_ERROR(acceptor->Start());
  return OkStatus();
}

void FrontDoor::Close() {
  std::vector<Ref<Acceptor>> acceptors;
  std::string unix_socket;
  {
    MutexLock lock(mu_);
    acceptors.swap(acceptors_);
    unix_socket.swap(unix_socket_);
  }
  for (const Ref<Acceptor>& acceptor : acceptors) acceptor->Close();
  guests_->Close();
  if (!unix_socket.empty()) unlink(unix_socket.c_str());
}

void FrontDoor::EndConnections() { guests_->End(); }

}  // namespace millrace
