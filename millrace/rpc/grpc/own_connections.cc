#include "millrace/rpc/grpc/own_connections.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdlib>

namespace millrace {
namespace {

union SocketAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
  sockaddr_un local;
};

bool IsAt(const SocketAddress& address, socklen_t size, int port,
          const std::string& unix_socket) {
  switch (address.any.sa_family) {
    case AF_INET:
      return port != 0 && ntohs(address.v4.sin_port) == port;
    case AF_INET6:
      return port != 0 && ntohs(address.v6.sin6_port) == port;
    case AF_UNIX:
      return !unix_socket.empty() && size > offsetof(sockaddr_un, sun_path) &&
             unix_socket == address.local.sun_path;
    default:
      return false;
  }
}

}  // namespace

void EndAcceptedConnections(int port, const std::string& unix_socket) {
  DIR* const list = opendir("/proc/self/fd");
  if (list == nullptr) return;
  while (const dirent* const entry = readdir(list)) {
    char* end = nullptr;
    const long fd = std::strtol(entry->d_name, &end, 10);
    if (end == entry->d_name || *end != '\0') continue;
    SocketAddress own{}, peer{};
    socklen_t own_size = sizeof(own), peer_size = sizeof(peer);
    // A listener has no peer.
    if (getsockname(static_cast<int>(fd), &own.any, &own_size) == 0 &&
        getpeername(static_cast<int>(fd), &peer.any, &peer_size) == 0 &&
        IsAt(own, own_size, port, unix_socket)) {
      shutdown(static_cast<int>(fd), SHUT_RDWR);
    }
  }
  closedir(list);
}

}  // namespace millrace
