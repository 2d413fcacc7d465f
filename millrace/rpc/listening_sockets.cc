#include "millrace/rpc/listening_sockets.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "millrace/rpc/poller.h"

namespace millrace {
namespace {

constexpr int kTriesOfPorts = 16;

struct Address {
  sockaddr_storage storage = {};
  socklen_t size = 0;

  sockaddr* any() { return reinterpret_cast<sockaddr*>(&storage); }
  in_port_t& port() {
    return storage.ss_family == AF_INET6
               ? reinterpret_cast<sockaddr_in6*>(&storage)->sin6_port
               : reinterpret_cast<sockaddr_in*>(&storage)->sin_port;
  }
};

// Errors end sentences, so they are in lower case.
Status SystemError(int error) {
  return Unavailable(absl::AsciiStrToLower(ErrnoText(error)));
}

bool IsAllAddresses(absl::string_view host) {
  return host.empty() || host == "0.0.0.0" || host == "::";
}

StatusOr<std::vector<Address>> AddressesOf(absl::string_view host) {
  if (absl::ConsumePrefix(&host, "[")) absl::ConsumeSuffix(&host, "]");
  if (IsAllAddresses(host)) {
    Address all;
    all.storage.ss_family = AF_INET6;
    all.size = sizeof(sockaddr_in6);
    return std::vector<Address>{all};
  }
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(std::string(host).c_str(), nullptr, &hints, &found);
  if (error != 0)
    return Unavailable(absl::AsciiStrToLower(gai_strerror(error)));
  std::vector<Address> addresses;
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
    Address one;
    std::memcpy(&one.storage, a->ai_addr, a->ai_addrlen);
    one.size = a->ai_addrlen;
    const bool is_known =
        std::any_of(addresses.begin(), addresses.end(), [&](const Address& b) {
          return std::memcmp(&b.storage, &one.storage, sizeof(one.storage)) ==
                 0;
        });
    if (!is_known) addresses.push_back(one);
  }
  freeaddrinfo(found);
  return addresses;
}

// Returns a socket that is bound and listens; fails with an errno.
StatusOr<int> ListenOn(Address address, int user_timeout_ms, int* error) {
  const int fd = socket(address.storage.ss_family,
                        SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const auto failed = [&] {
    *error = errno;
    if (fd >= 0) close(fd);
    return SystemError(*error);
  };
  if (fd < 0) return failed();
  const int on = 1, off = 0;
  // A server may come back while its old connections are still being forgotten.
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (address.storage.ss_family == AF_INET6) {
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  }
  if (address.storage.ss_family != AF_UNIX) {
    // Connections have what their listening socket has.
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &user_timeout_ms,
               sizeof(user_timeout_ms));
  }
  if (bind(fd, address.any(), address.size) != 0 || listen(fd, SOMAXCONN) != 0)
    return failed();
  return fd;
}

void CloseAll(std::vector<int>* fds) {
  for (const int fd : *fds) close(fd);
  fds->clear();
}

int PortOf(int fd) {
  Address bound;
  bound.size = sizeof(bound.storage);
  return getsockname(fd, bound.any(), &bound.size) == 0 ? ntohs(bound.port())
                                                        : 0;
}

// Listens at all addresses. Sets `*is_taken` if one fails since another process
// has the port there.
StatusOr<std::vector<int>> ListenOnAll(std::vector<Address> addresses,
                                       int user_timeout_ms, int* port,
                                       bool* is_taken) {
  std::vector<int> fds;
  Status last = Unavailable("the host has no address");
  for (Address& address : addresses) {
    address.port() = htons(static_cast<uint16_t>(*port));
    int error = 0;
    StatusOr<int> fd = ListenOn(address, user_timeout_ms, &error);
    const bool is_any =
        address.storage.ss_family == AF_INET6 &&
        IN6_IS_ADDR_UNSPECIFIED(
            &reinterpret_cast<sockaddr_in6*>(address.any())->sin6_addr);
    if (!fd.ok() && is_any && error != EADDRINUSE) {
      // This machine has no IPv6.
      Address four;
      four.storage.ss_family = AF_INET;
      four.size = sizeof(sockaddr_in);
      four.port() = address.port();
      fd = ListenOn(four, user_timeout_ms, &error);
    }
    if (fd.ok()) {
      fds.push_back(*fd);
      *port = PortOf(*fd);
      continue;
    }
    last = fd.status();
    *is_taken = error == EADDRINUSE;
    // A name may have addresses that this machine does not have.
    if (error != EADDRNOTAVAIL && error != EAFNOSUPPORT) {
      CloseAll(&fds);
      return last;
    }
  }
  if (fds.empty()) return last;
  return fds;
}

}  // namespace

StatusOr<std::vector<int>> ListenAt(const std::string& host,
                                    int user_timeout_ms, int* port) {
  MR_ASSIGN_OR_RETURN(const std::vector<Address> addresses, AddressesOf(host));
  for (int tries = 1;; ++tries) {
    int chosen = *port;
    bool is_taken = false;
    StatusOr<std::vector<int>> fds =
        ListenOnAll(addresses, user_timeout_ms, &chosen, &is_taken);
    // What is free at one address may be taken at the next one.
    if (!fds.ok() && *port == 0 && is_taken && tries < kTriesOfPorts) continue;
    if (fds.ok()) *port = chosen;
    return fds;
  }
}

StatusOr<int> ListenAtPath(const std::string& path) {
  Address address;
  auto* const name = reinterpret_cast<sockaddr_un*>(&address.storage);
  if (path.size() >= sizeof(name->sun_path)) {
    return Unavailable("the path of the unix socket is too long: ", path);
  }
  name->sun_family = AF_UNIX;
  std::memcpy(name->sun_path, path.data(), path.size());
  address.size = sizeof(sockaddr_un);
  struct stat there;
  if (stat(path.c_str(), &there) == 0 && S_ISSOCK(there.st_mode))
    unlink(path.c_str());
  int error = 0;
  const StatusOr<int> fd = ListenOn(address, 0, &error);
  if (!fd.ok()) return Unavailable(path, ": ", fd.status().message());
  return fd;
}

}  // namespace millrace
