#include "millrace/rpc/grpc/front_door.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "millrace/base/random.h"
#include "millrace/rpc/grpc/accepted_connections.h"
#include "millrace/rpc/grpc/grpc_transport.h"
#include "millrace/rpc/listening_sockets.h"
#include "millrace/rpc/testing/transport_calls_suite.h"

namespace millrace {
namespace {

using ::testing::HasSubstr;

class OwnSocket {
 public:
  explicit OwnSocket(int fd) : fd_(fd) {}
  OwnSocket(OwnSocket&& o) noexcept : fd_(std::exchange(o.fd_, -1)) {}
  ~OwnSocket() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

  // Returns the next byte, or -1 when the other end has closed.
  int Next() const {
    unsigned char byte;
    return recv(fd_, &byte, 1, 0) == 1 ? byte : -1;
  }
  bool ended() const {
    pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
    return poll(&waiting, 1, 0) == 1;  // no end sends anything
  }

 private:
  int fd_;
};

OwnSocket ConnectTo(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  OwnSocket made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(connect(made.fd(), reinterpret_cast<const sockaddr*>(&address),
                    sizeof(address)),
            0);
  return made;
}

TEST(FrontDoorTest, MoreThanTheMostAreClosedUntilOthersEnd) {
  const auto transport = MakeGrpcTransport({.max_connections = 3});
  SuiteServer server(*transport, "one");
  std::vector<OwnSocket> guests;
  for (int i = 0; i < 3; ++i) {
    guests.push_back(ConnectTo(server.listener->port()));
    // A server of HTTP/2 speaks first.
    EXPECT_GE(guests.back().Next(), 0);
  }
  EXPECT_EQ(ConnectTo(server.listener->port()).Next(), -1);
  const auto caller = transport->Connect(server.address());
  EXPECT_EQ(AskLabel(*caller).status().code(), StatusCode::kUnavailable);
  guests.clear();
  // The server sees their ends some time later.
  StatusOr<std::string> label = AskLabel(*caller);
  while (!label.ok()) label = AskLabel(*caller);
  EXPECT_EQ(*label, "one");
}

TEST(FrontDoorTest, APortBelongsToOneServer) {
  const auto transport = MakeGrpcTransport();
  SuiteWorker worker("first");
  const auto first = transport->Listen({}, {.worker = &worker});
  ASSERT_TRUE(first.ok()) << first.status();
  const int port = (*first)->port();
  for (const char* host : {"127.0.0.1", "0.0.0.0", "localhost"}) {
    const Status status =
        transport->Listen({.host = host, .port = port}, {}).status();
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << host;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("address already in use"));
  }
}

TEST(FrontDoorTest, ASocketThatWasLeftIsReplacedAndNothingElse) {
  const std::string path =
      absl::StrCat(::testing::TempDir(), "/millrace_door_", RandomUint64());
  const StatusOr<int> left = ListenAtPath(path);
  ASSERT_TRUE(left.ok()) << left.status();
  close(*left);
  const auto transport = MakeGrpcTransport();
  SuiteWorker worker("unix");
  {
    const auto listener =
        transport->Listen({.unix_socket = path}, {.worker = &worker});
    ASSERT_TRUE(listener.ok()) << listener.status();
    EXPECT_EQ(*AskLabel(*transport->Connect(absl::StrCat("unix:", path))),
              "unix");
  }
  struct stat there;
  EXPECT_NE(stat(path.c_str(), &there), 0);
  ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
  const Status status = transport->Listen({.unix_socket = path}, {}).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(path));
  rmdir(path.c_str());
  const Status long_path =
      transport->Listen({.unix_socket = std::string(200, 'p')}, {}).status();
  EXPECT_THAT(std::string(long_path.message()), HasSubstr("too long"));
}

TEST(FrontDoorTest, AllAddressesAreOfBothKinds) {
  const auto transport = MakeGrpcTransport();
  for (const char* host : {"", "0.0.0.0", "::"}) {
    SuiteWorker worker("all");
    const auto listener =
        transport->Listen({.host = host}, {.worker = &worker});
    ASSERT_TRUE(listener.ok()) << host << ": " << listener.status();
    const int port = (*listener)->port();
    EXPECT_EQ(*AskLabel(*transport->Connect(absl::StrCat("127.0.0.1:", port))),
              "all")
        << host;
  }
}

TEST(AcceptedConnectionsTest, WhatIsClosedIsNotCountedNorEnded) {
  AcceptedConnections connections;
  std::vector<OwnSocket> peers;
  std::vector<int> own;
  for (int i = 0; i < 200; ++i) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    connections.Add(ends[0]);
    own.push_back(ends[0]);
    peers.emplace_back(ends[1]);
  }
  EXPECT_EQ(connections.CountOpen(), 200u);
  for (int i = 0; i < 200; i += 2) close(own[static_cast<size_t>(i)]);
  EXPECT_EQ(connections.known(), 200u);
  EXPECT_EQ(connections.CountOpen(), 100u);
  EXPECT_EQ(connections.known(), 100u);
  // Another one gets the descriptor of one that is closed.
  int others[2];
  close(own[1]);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, others), 0);
  const OwnSocket one(others[0]), other(others[1]);
  connections.End();
  EXPECT_FALSE(other.ended());
  EXPECT_TRUE(peers[3].ended());
  for (size_t i = 3; i < 200; i += 2) close(own[i]);
  EXPECT_EQ(connections.CountOpen(), 0u);
}

}  // namespace
}  // namespace millrace
