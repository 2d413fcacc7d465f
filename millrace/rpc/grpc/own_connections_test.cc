#include "millrace/rpc/grpc/own_connections.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/base/random.h"

namespace millrace {
namespace {

class OwnSocket {
 public:
  explicit OwnSocket(int fd) : fd_(fd) {}
  OwnSocket(OwnSocket&& o) noexcept : fd_(std::exchange(o.fd_, -1)) {}
  ~OwnSocket() {
    if (fd_ >= 0) close(fd_);
  }

  int fd() const { return fd_; }
  OwnSocket Accept() const { return OwnSocket(accept(fd_, nullptr, nullptr)); }
  bool ended() const {
    pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
    return poll(&waiting, 1, 0) == 1;  // no end sends anything
  }

 private:
  int fd_;
};

sockaddr_in At(const std::string& host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  EXPECT_EQ(inet_pton(AF_INET, host.c_str(), &address.sin_addr), 1);
  return address;
}

// Makes a socket as gRPC does, for listeners and for clients.
OwnSocket NewSocket() {
  OwnSocket made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  setsockopt(made.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  return made;
}

bool Bind(const OwnSocket& socket, const std::string& host, int port) {
  const sockaddr_in address = At(host, port);
  return bind(socket.fd(), reinterpret_cast<const sockaddr*>(&address),
              sizeof(address)) == 0;
}

OwnSocket BoundAt(const std::string& host, int port) {
  OwnSocket made = NewSocket();
  EXPECT_TRUE(Bind(made, host, port)) << strerror(errno);
  return made;
}

int PortOf(const OwnSocket& bound) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  getsockname(bound.fd(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

bool Listen(const OwnSocket& bound) { return listen(bound.fd(), 10) == 0; }

OwnSocket Listening(const std::string& host, int port = 0) {
  OwnSocket made = BoundAt(host, port);
  EXPECT_TRUE(Listen(made)) << strerror(errno);
  return made;
}

// Makes two listeners on one port; `between` is called before the second one
// starts. (If another process has the port there, retries with another one.)
template <class Between>
std::pair<OwnSocket, OwnSocket> TwoOnOnePort(const std::string& first_host,
                                             const std::string& second_host,
                                             Between between) {
  for (;;) {
    OwnSocket first = Listening(first_host);
    between();
    OwnSocket second = NewSocket();
    if (Bind(second, second_host, PortOf(first)) && Listen(second)) {
      return {std::move(first), std::move(second)};
    }
  }
}

void ConnectTo(const OwnSocket& client, const std::string& host, int port) {
  const sockaddr_in address = At(host, port);
  EXPECT_EQ(connect(client.fd(), reinterpret_cast<const sockaddr*>(&address),
                    sizeof(address)),
            0)
      << strerror(errno);
}

TEST(AcceptedConnectionsTest, ThoseOfOneAddress) {
  AcceptedConnections connections;
  // Belong to others: one with the same port at another address, and one with
  // another port.
  const auto [listener, same_port] =
      TwoOnOnePort("127.0.0.1", "127.0.0.2", [] {});
  const int port = PortOf(listener);
  connections.ListenAt("127.0.0.1", port, "");
  const OwnSocket same_host = Listening("127.0.0.1");
  const OwnSocket client = BoundAt("127.0.0.1", 0);
  const OwnSocket client2 = BoundAt("127.0.0.1", 0);
  const OwnSocket client3 = BoundAt("127.0.0.1", 0);
  ConnectTo(client, "127.0.0.1", port);
  ConnectTo(client2, "127.0.0.2", port);
  ConnectTo(client3, "127.0.0.1", PortOf(same_host));
  const OwnSocket accepted = listener.Accept();
  const OwnSocket accepted2 = same_port.Accept();
  const OwnSocket accepted3 = same_host.Accept();
  connections.End();
  EXPECT_TRUE(client.ended());
  EXPECT_FALSE(client2.ended());
  EXPECT_FALSE(client3.ended());
  // The listeners keep working.
  const OwnSocket again = BoundAt("127.0.0.1", 0);
  ConnectTo(again, "127.0.0.1", port);
  const OwnSocket accepted_again = listener.Accept();
  EXPECT_FALSE(again.ended());
}

// The kernel may give a listener an address that a client's connection has.
TEST(AcceptedConnectionsTest, AClientsConnectionFromTheSameAddress) {
  const OwnSocket elsewhere = Listening("127.0.0.2");
  const OwnSocket early = BoundAt("127.0.0.1", 0);
  ConnectTo(early, "127.0.0.2", PortOf(elsewhere));
  const OwnSocket accepted_elsewhere = elsewhere.Accept();
  AcceptedConnections connections;
  const int port = PortOf(early);
  const OwnSocket listener = Listening("127.0.0.1", port);
  connections.ListenAt("127.0.0.1", port, "");
  const OwnSocket client = BoundAt("127.0.0.1", 0);
  ConnectTo(client, "127.0.0.1", port);
  const OwnSocket accepted = listener.Accept();
  connections.End();
  EXPECT_TRUE(client.ended());
  EXPECT_FALSE(early.ended());
  EXPECT_FALSE(accepted_elsewhere.ended());
}

TEST(AcceptedConnectionsTest, AllAddressesAndNames) {
  for (const std::string host : {"0.0.0.0", "::", "[::]", "localhost"}) {
    AcceptedConnections connections;
    const OwnSocket listener =
        Listening(host == "localhost" ? "127.0.0.1" : "0.0.0.0");
    connections.ListenAt(host, PortOf(listener), "");
    const OwnSocket client = BoundAt("127.0.0.1", 0);
    ConnectTo(client, "127.0.0.1", PortOf(listener));
    const OwnSocket accepted = listener.Accept();
    connections.End();
    EXPECT_TRUE(client.ended()) << host;
  }
}

TEST(AcceptedConnectionsTest, ANameIsWhereItBringsAListener) {
  std::optional<AcceptedConnections> connections;
  const auto [other, listener] =
      TwoOnOnePort("127.0.0.2", "127.0.0.1", [&] { connections.emplace(); });
  const int port = PortOf(other);
  connections->ListenAt("localhost", port, "");
  const OwnSocket client = BoundAt("127.0.0.1", 0);
  const OwnSocket client2 = BoundAt("127.0.0.1", 0);
  ConnectTo(client, "127.0.0.1", port);
  ConnectTo(client2, "127.0.0.2", port);
  const OwnSocket accepted = listener.Accept();
  const OwnSocket accepted2 = other.Accept();
  connections->End();
  EXPECT_TRUE(client.ended());
  EXPECT_FALSE(client2.ended());
}

TEST(AcceptedConnectionsTest, UnixSockets) {
  AcceptedConnections connections;
  std::string paths[2];
  std::vector<OwnSocket> sockets;
  for (std::string& path : paths) {
    path = absl::StrCat(::testing::TempDir(), "/millrace_own_", RandomUint64());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    ASSERT_LT(path.size(), sizeof(address.sun_path));
    std::memcpy(address.sun_path, path.data(), path.size());
    const auto* const any = reinterpret_cast<const sockaddr*>(&address);
    OwnSocket listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(bind(listener.fd(), any, sizeof(address)), 0) << strerror(errno);
    ASSERT_EQ(listen(listener.fd(), 1), 0) << strerror(errno);
    sockets.emplace_back(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(connect(sockets.back().fd(), any, sizeof(address)), 0);
    sockets.push_back(listener.Accept());
  }
  connections.ListenAt("127.0.0.1", 0, paths[1]);
  connections.End();
  EXPECT_FALSE(sockets[0].ended());
  EXPECT_TRUE(sockets[2].ended());
  for (const std::string& path : paths) unlink(path.c_str());
}

}  // namespace
}  // namespace millrace
