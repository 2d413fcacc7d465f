// For tests: a server behind bulk, and the frames of a caller that is none.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "millrace/rpc/bulk/bulk_transport.h"
#include "millrace/rpc/bulk/frame.h"
#include "millrace/rpc/bulk/sockets.h"
#include "millrace/rpc/loopback/loopback.h"
#include "millrace/rpc/testing/transport_calls_suite.h"

namespace millrace {

inline constexpr int64_t kTimeoutMs = 60'000;

// A server behind bulk, and the network through which Hello travels.
struct Served {
  explicit Served(int64_t stall_ms = 60'000) : stall_ms(stall_ms) {}

  const int64_t stall_ms;
  std::shared_ptr<Transport> inner = std::make_shared<LoopbackNetwork>();
  std::shared_ptr<Transport> bulk = MakeBulkTransport(
      inner, {.first_calls_wait = true, .stall_ms = stall_ms});
  SuiteServer server{*bulk, "one"};

  HelloReply Hello(int32_t version = kPeerProtocolVersion,
                   StatusCode code = StatusCode::kOk) {
    const auto caller = inner->Connect(server.address());
    const auto peer = MakePeerStub(caller.get());
    CallContext context;
    HelloRequest request;
    request.protocol_version = version;
    HelloReply reply;
    Notification done;
    peer->Hello(context, request, &reply, [&](Status s) {
      EXPECT_EQ(s.code(), code) << s;
      done.Notify();
    });
    done.Wait();
    return reply;
  }
};

inline std::string Frame(FrameHeader header, const std::string& payload) {
  std::string frame(kFrameHeaderBytes, '\0');
  header.size = payload.size();
  EncodeFrameHeader(header, frame.data());
  return frame + payload;
}

// Sends bytes and returns the first part of the answer: a frame's kind, or 0 if
// the server closes the connection.
inline int Exchange(int fd, const std::string& bytes) {
  if (!SendAll(fd, bytes.data(), bytes.size()).ok()) return 0;
  std::array<char, kFrameHeaderBytes> header;
  if (!ReceiveAll(fd, header.data(), header.size()).ok()) return 0;
  return static_cast<int>(DecodeFrameHeader(header.data())->kind);
}

}  // namespace millrace
