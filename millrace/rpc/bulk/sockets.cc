#include "millrace/rpc/bulk/sockets.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "millrace/rpc/poller.h"

namespace millrace {
namespace {

constexpr int kBacklog = 128;
constexpr int kKeepAliveSeconds = 5;
constexpr int kBufferBytes = 4 << 20;

Status SocketError(absl::string_view what) {
  return Unavailable(what, ": ", ErrnoText(errno));
}

struct FreeAddresses {
  void operator()(addrinfo* info) const { freeaddrinfo(info); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

StatusOr<Addresses> Resolve(std::string host, int port) {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) return Unavailable(host, ": ", gai_strerror(error));
  return Addresses(found);
}

socklen_t LocalAddress(const std::string& name, sockaddr_un* address) {
  *address = {};
  address->sun_family = AF_UNIX;
  const size_t size = std::min(name.size(), sizeof(address->sun_path) - 1);
  // The first byte stays 0, which makes the name abstract: outside the file
  // system.
  std::memcpy(address->sun_path + 1, name.data(), size);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size);
}

// Closes `fd` and returns the error.
Status Failed(int fd, absl::string_view what) {
  const Status status = SocketError(what);
  close(fd);
  return status;
}

Status SetTimeouts(int fd, int64_t timeout_ms) {
  timeval time{};
  time.tv_sec = timeout_ms / 1000;
  time.tv_usec = timeout_ms % 1000 * 1000;
  if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time)) != 0 ||
      setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)) != 0) {
    return SocketError("setsockopt");
  }
  return OkStatus();
}

}  // namespace

StatusOr<int> ListenLocally(const std::string& name) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return SocketError("socket");
  sockaddr_un address;
  const socklen_t size = LocalAddress(name, &address);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(fd, kBacklog) != 0) {
    return Failed(fd, "bind");
  }
  return fd;
}

StatusOr<int> ConnectToTcp(const std::string& host, int port,
                           int64_t timeout_ms) {
  MR_ASSIGN_OR_RETURN(const Addresses addresses, Resolve(host, port));
  Status last = Unavailable(host, " has no address");
  for (const addrinfo* a = addresses.get(); a != nullptr; a = a->ai_next) {
    const int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return SocketError("socket");
    last = SetTimeouts(fd, timeout_ms);
    if (last.ok() && connect(fd, a->ai_addr, a->ai_addrlen) == 0) return fd;
    last = Failed(fd, "connect");
  }
  return last;
}

StatusOr<int> ConnectLocally(const std::string& name, int64_t timeout_ms) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return SocketError("socket");
  const Status timeouts = SetTimeouts(fd, timeout_ms);
  sockaddr_un address;
  const socklen_t size = LocalAddress(name, &address);
  if (!timeouts.ok() ||
      connect(fd, reinterpret_cast<sockaddr*>(&address), size) != 0) {
    return Failed(fd, "connect");
  }
  return fd;
}

Status SendAll(int fd, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t n = send(fd, data, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return SocketError("send");
    data += n;
    size -= static_cast<size_t>(n);
  }
  return OkStatus();
}

Status ReceiveAll(int fd, char* data, size_t size) {
  while (size > 0) {
    const ssize_t n = recv(fd, data, size, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) return Unavailable("closed by the other end");
    if (n < 0) return SocketError("recv");
    data += n;
    size -= static_cast<size_t>(n);
  }
  return OkStatus();
}

Status PrepareForPolling(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
    return SocketError("fcntl");
  }
  // The options that follow are optional; a unix socket has no use for half of
  // them.
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  // A peer that owes us a reply may be gone without our having bytes to send.
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &kKeepAliveSeconds,
             sizeof(kKeepAliveSeconds));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &kKeepAliveSeconds,
             sizeof(kKeepAliveSeconds));
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeoutMs,
             sizeof(kUserTimeoutMs));
  int domain = 0;
  socklen_t size = sizeof(domain);
  // TCP grows its buffers by itself.
  if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
      domain == AF_UNIX) {
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kBufferBytes, sizeof(kBufferBytes));
  }
  return OkStatus();
}

}  // namespace millrace
