#include "millrace/rpc/grpc/own_connections.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace millrace {
namespace {

constexpr std::array<uint8_t, 12> kMapped = {0, 0, 0, 0, 0,    0,
                                             0, 0, 0, 0, 0xff, 0xff};

std::array<uint8_t, 16> HostOf(const sockaddr* address) {
  std::array<uint8_t, 16> host;
  if (address->sa_family == AF_INET) {
    std::memcpy(host.data(), kMapped.data(), kMapped.size());
    std::memcpy(host.data() + kMapped.size(),
                &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, 4);
  } else {
    std::memcpy(host.data(),
                &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, 16);
  }
  return host;
}

// Returns 0 if the socket has no port.
int PortOf(const sockaddr* address) {
  switch (address->sa_family) {
    case AF_INET:
      return ntohs(reinterpret_cast<const sockaddr_in*>(address)->sin_port);
    case AF_INET6:
      return ntohs(reinterpret_cast<const sockaddr_in6*>(address)->sin6_port);
    default:
      return 0;
  }
}

bool IsUnspecified(const std::array<uint8_t, 16>& host) {
  const bool mapped = std::equal(kMapped.begin(), kMapped.end(), host.begin());
  return std::all_of(host.begin() + (mapped ? kMapped.size() : 0), host.end(),
                     [](uint8_t byte) { return byte == 0; });
}

}  // namespace

// A socket that is connected or listens.
struct AcceptedConnections::Socket {
  int fd = -1;
  uint64_t inode = 0;
  bool listens = false;
  sockaddr_storage address = {};  // its own
  socklen_t size = sizeof(sockaddr_storage);

  const sockaddr* any() const {
    return reinterpret_cast<const sockaddr*>(&address);
  }
};

void AcceptedConnections::ForEach(
    absl::FunctionRef<void(const Socket&)> visit) {
  DIR* const list = opendir("/proc/self/fd");
  if (list == nullptr) return;
  while (const dirent* const entry = readdir(list)) {
    char* end = nullptr;
    const long fd = std::strtol(entry->d_name, &end, 10);
    if (end == entry->d_name || *end != '\0') continue;
    Socket socket;
    socket.fd = static_cast<int>(fd);
    if (getsockname(socket.fd, reinterpret_cast<sockaddr*>(&socket.address),
                    &socket.size) != 0) {
      continue;
    }
    int listens = 0;
    socklen_t listens_size = sizeof(listens);
    getsockopt(socket.fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &listens_size);
    socket.listens = listens != 0;
    sockaddr_storage peer;
    socklen_t peer_size = sizeof(peer);
    struct stat status;
    if ((socket.listens ||
         getpeername(socket.fd, reinterpret_cast<sockaddr*>(&peer),
                     &peer_size) == 0) &&
        fstat(socket.fd, &status) == 0) {
      socket.inode = status.st_ino;
      visit(socket);
    }
  }
  closedir(list);
}

AcceptedConnections::AcceptedConnections() {
  ForEach([this](const Socket& socket) { earlier_.push_back(socket.inode); });
  std::sort(earlier_.begin(), earlier_.end());
}

void AcceptedConnections::ListenAt(const std::string& host, int port,
                                   const std::string& unix_socket) {
  port_ = port;
  unix_socket_ = unix_socket;
  hosts_.clear();
  absl::string_view name = host;
  if (absl::ConsumePrefix(&name, "[")) absl::ConsumeSuffix(&name, "]");
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* found = nullptr;
  if (getaddrinfo(std::string(name).c_str(), nullptr, &hints, &found) == 0) {
    hosts_.push_back(HostOf(found->ai_addr));
    freeaddrinfo(found);
  } else {
    ForEach([this](const Socket& socket) {
      if (socket.listens && !IsEarlier(socket) &&
          PortOf(socket.any()) == port_) {
        hosts_.push_back(HostOf(socket.any()));
      }
    });
  }
  if (std::any_of(hosts_.begin(), hosts_.end(), IsUnspecified)) hosts_.clear();
}

bool AcceptedConnections::IsEarlier(const Socket& socket) const {
  return std::binary_search(earlier_.begin(), earlier_.end(), socket.inode);
}

bool AcceptedConnections::IsAt(const Socket& socket) const {
  if (socket.any()->sa_family == AF_UNIX) {
    // The connecting end has no name; abstract names begin with a 0.
    constexpr size_t kBegin = offsetof(sockaddr_un, sun_path);
    const char* path =
        reinterpret_cast<const sockaddr_un*>(&socket.address)->sun_path;
    const size_t most = std::min<size_t>(socket.size, sizeof(sockaddr_un));
    return !unix_socket_.empty() && most > kBegin &&
           unix_socket_ ==
               absl::string_view(path, strnlen(path, most - kBegin));
  }
  return port_ != 0 && PortOf(socket.any()) == port_ &&
         (hosts_.empty() || std::find(hosts_.begin(), hosts_.end(),
                                      HostOf(socket.any())) != hosts_.end());
}

void AcceptedConnections::End() const {
  ForEach([this](const Socket& socket) {
    if (!socket.listens && IsAt(socket) && !IsEarlier(socket)) {
      shutdown(socket.fd, SHUT_RDWR);
    }
  });
}

}  // namespace millrace
