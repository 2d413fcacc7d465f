#include "millrace/rpc/bulk/caller_connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

#include "millrace/rpc/bulk/sockets.h"

namespace millrace {
namespace {

// A connection whose other end the test is.
class LateAnswersTest : public ::testing::Test {
 protected:
  LateAnswersTest() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    server_ = ends[1];
    EXPECT_TRUE(PrepareForPolling(ends[0]).ok());
    connection_ = *CallerConnection::Start(ends[0], "server", {});
  }
  ~LateAnswersTest() override { close(server_); }

  // A call that is not answered by its deadline.
  void TimeOut() {
    CallContext context;
    context.deadline = Deadline::AfterMillis(moves_ ? 50 : 10);
    ByteChunks request, reply;
    Status status;
    Notification ended;
    Done done([&](Status s) {
      status = std::move(s);
      ended.Notify();
    });
    ASSERT_TRUE(connection_->Call(GetMethod(MethodId::kCleanupGraph), context,
                                  request, &reply, done));
    std::array<char, kFrameHeaderBytes> header;
    ASSERT_TRUE(ReceiveAll(server_, header.data(), header.size()).ok());
    if (moves_) {
      const std::string part(100, 'a');
      ASSERT_TRUE(SendAll(server_, part.data(), part.size()).ok());
    }
    ended.Wait();
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status;
    ASSERT_TRUE(ReceiveAll(server_, header.data(), header.size()).ok());
    EXPECT_EQ(DecodeFrameHeader(header.data())->kind, FrameKind::kCancel);
  }

  int server_ = -1;
  Ref<CallerConnection> connection_;
  bool moves_ = false;
};

TEST_F(LateAnswersTest, SilenceClosesTheConnection) {
  for (int i = 0; i < 3; ++i) TimeOut();
  char byte;
  EXPECT_FALSE(ReceiveAll(server_, &byte, 1).ok());
}

TEST_F(LateAnswersTest, AFrameThatIsOnItsWayDoesNot) {
  std::string begin(kFrameHeaderBytes, '\0');
  EncodeFrameHeader({.kind = FrameKind::kReply, .call = 99, .size = 1'000'000},
                    begin.data());
  ASSERT_TRUE(SendAll(server_, begin.data(), begin.size()).ok());
  moves_ = true;
  for (int i = 0; i < 5; ++i) TimeOut();
  EXPECT_FALSE(connection_->closed());
  connection_->Close(OkStatus());
}

}  // namespace
}  // namespace millrace
