#include "millrace/rpc/grpc/bind_error.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace millrace {
namespace {

// Returns the text of an error in lower case, since it ends a sentence.
std::string Text(int error) {
  char buffer[128];
  return absl::AsciiStrToLower(strerror_r(error, buffer, sizeof(buffer)));
}

// Returns "" if it works.
std::string TryBind(const sockaddr* address, socklen_t size) {
  const int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return Text(errno);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const bool good = bind(fd, address, size) == 0 && listen(fd, 1) == 0;
  const int error = errno;
  close(fd);
  return good ? "" : Text(error);
}

}  // namespace

std::string BindError(absl::string_view host, int port,
                      absl::string_view unix_socket) {
  absl::ConsumePrefix(&host, "[");
  absl::ConsumeSuffix(&host, "]");
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(std::string(host).c_str(),
                                absl::StrCat(port).c_str(), &hints, &found);
  if (error != 0) return absl::AsciiStrToLower(gai_strerror(error));
  std::string text;
  for (addrinfo* a = found; a && text.empty(); a = a->ai_next) {
    text = TryBind(a->ai_addr, a->ai_addrlen);
  }
  freeaddrinfo(found);
  if (!text.empty()) return text;
  if (!unix_socket.empty()) {
    sockaddr_un path = {};
    path.sun_family = AF_UNIX;
    if (unix_socket.size() >= sizeof(path.sun_path)) {
      return absl::StrCat("the path of the unix socket is too long: ",
                          unix_socket);
    }
    std::memcpy(path.sun_path, unix_socket.data(), unix_socket.size());
    text = TryBind(reinterpret_cast<const sockaddr*>(&path), sizeof(path));
    if (!text.empty()) return absl::StrCat(unix_socket, ": ", text);
  }
  return "gRPC refused";
}

}  // namespace millrace
