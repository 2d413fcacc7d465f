// Tests what callers of bulk can take of a server: memory, descriptors, time.
#include <dirent.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "millrace/base/memory/memory_budget.h"
#include "millrace/rpc/testing/bulk_served.h"

namespace millrace {
namespace {

int OpenDescriptors() {
  int n = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++n;
  closedir(folder);
  return n;
}

TEST(BulkTest, WithoutATokenNobodyTakesMemory) {
  Served served;
  const HelloReply hello = served.Hello();
  const int64_t before = MemoryBudget::Process().used();
  std::string announcement(kFrameHeaderBytes, '\0');
  EncodeFrameHeader({.kind = FrameKind::kOpen, .size = uint64_t{1} << 30},
                    announcement.data());
  const int fd = *ConnectLocally(hello.local_address, kTimeoutMs);
  // The header alone closed the connection: nothing of the payload was sent.
  EXPECT_EQ(Exchange(fd, announcement), 0);
  EXPECT_LT(MemoryBudget::Process().peak(), before + (int64_t{1} << 30));
  close(fd);
}

TEST(BulkTest, WhatIsOnlyAnnouncedTakesNoMemoryFromOthers) {
  Served served;
  const HelloReply hello = served.Hello();
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t before = budget.used();
  const int fd = *ConnectLocally(hello.local_address, kTimeoutMs);
  ASSERT_EQ(Exchange(fd, Frame({.kind = FrameKind::kOpen}, hello.bulk_token)),
            static_cast<int>(FrameKind::kOpened));
  constexpr uint64_t kAnnounced = uint64_t{256} << 20;
  std::string call(kFrameHeaderBytes, '\0');
  EncodeFrameHeader({.kind = FrameKind::kCall,
                     .method = static_cast<uint8_t>(MethodId::kRecvTensor),
                     .call = 5,
                     .aux = -1,
                     .size = kAnnounced},
                    call.data());
  ASSERT_TRUE(SendAll(fd, call.data(), call.size()).ok());
  // When the server has read twice as much as it charges ahead, it has long
  // since read the header.
  const std::string part(16 << 20, 'a');
  ASSERT_TRUE(SendAll(fd, part.data(), part.size()).ok());
  EXPECT_LT(budget.used() - before, int64_t{64} << 20);
  close(fd);
  EXPECT_EQ(*AskLabel(*served.bulk->Connect(served.server.address())), "one");
}

TEST(BulkTest, WhoAnnouncesALotKeepsNobodyElseFromSending) {
  Served served;
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit();
  const int64_t before = budget.used();
  budget.set_limit(before + (int64_t{300} << 20));
  std::vector<int> fds;
  for (int i = 0; i < 12; ++i) {
    const HelloReply hello = served.Hello();
    fds.push_back(*ConnectLocally(hello.local_address, kTimeoutMs));
    ASSERT_EQ(Exchange(fds.back(),
                       Frame({.kind = FrameKind::kOpen}, hello.bulk_token)),
              static_cast<int>(FrameKind::kOpened));
    std::string call(kFrameHeaderBytes, '\0');
    EncodeFrameHeader({.kind = FrameKind::kCall,
                       .method = static_cast<uint8_t>(MethodId::kRecvTensor),
                       .call = 5,
                       .aux = -1,
                       .size = uint64_t{256} << 20},
                      call.data());
    // Some of it, too: its reader has read the header before the others' turn.
    call.resize(call.size() + (64 << 10));
    ASSERT_TRUE(SendAll(fds.back(), call.data(), call.size()).ok());
  }
  {
    const auto caller = served.bulk->Connect(served.server.address());
    SuiteCall call(*caller, "bytes:1000000");
    EXPECT_TRUE(call.Wait().ok()) << call.Wait();
  }
  for (const int fd : fds) close(fd);
  budget.set_limit(limit);
}

TEST(BulkTest, DescriptorsOfClosedConnectionsAreFreeAtOnce) {
  Served served;
  const HelloReply hello = served.Hello();
  const int before = OpenDescriptors();
  for (int i = 0; i < 100; ++i) {
    const int fd = *ConnectLocally(hello.local_address, kTimeoutMs);
    ASSERT_TRUE(SendAll(fd, "x", 1).ok());
    close(fd);
  }
  // Less than what a connection has to bring a token or go on with a frame.
  const Deadline deadline = Deadline::AfterMillis(4'000);
  while (OpenDescriptors() > before && !deadline.expired()) {
    SleepUntil(Deadline::AfterMillis(1));
  }
  EXPECT_LE(OpenDescriptors(), before);
}

TEST(BulkTest, AFrameThatDoesNotGoOnEndsItsConnection) {
  Served served(/*stall_ms=*/50);
  const HelloReply hello = served.Hello();
  const int fd = *ConnectLocally(hello.local_address, kTimeoutMs);
  ASSERT_EQ(Exchange(fd, Frame({.kind = FrameKind::kOpen}, hello.bulk_token)),
            static_cast<int>(FrameKind::kOpened));
  std::string half =
      Frame({.kind = FrameKind::kCall,
             .method = static_cast<uint8_t>(MethodId::kRecvTensor),
             .call = 5,
             .aux = -1},
            std::string(100'000, 'a'));
  half.resize(half.size() / 2);
  EXPECT_EQ(Exchange(fd, half), 0);
  close(fd);
  EXPECT_EQ(*AskLabel(*served.bulk->Connect(served.server.address())), "one");
}

// Replies do not pile up for a caller that does not read them; once it reads,
// all arrive.
TEST(BulkTest, WhoReadsNoAnswersIsNotReadFrom) {
  Served served;
  const HelloReply hello = served.Hello();
  const int fd = *ConnectLocally(hello.local_address, kTimeoutMs);
  ASSERT_EQ(Exchange(fd, Frame({.kind = FrameKind::kOpen}, hello.bulk_token)),
            static_cast<int>(FrameKind::kOpened));
  std::string calls;
  const auto add = [&](uint64_t number) {
    calls += Frame({.kind = FrameKind::kCall,
                    .method = static_cast<uint8_t>(MethodId::kRecvTensor),
                    .call = number,
                    .aux = -1},
                   "\xff");
  };
  constexpr uint64_t kLeast = 1 << 16, kMany = 1'000'000;
  uint64_t sent = 0;  // whole calls that the socket accepted
  size_t offset = 0;
  while (sent < kMany) {
    if (offset == calls.size()) {
      calls.clear();
      offset = 0;
      for (int i = 0; i < 64; ++i) add(sent + static_cast<uint64_t>(i));
    }
    const ssize_t n =
        send(fd, calls.data() + offset, calls.size() - offset, MSG_DONTWAIT);
    if (n < 0) {
      pollfd waiting{.fd = fd, .events = POLLOUT, .revents = 0};
      // It accepts no more, or, before it has accepted many, is only slow.
      if (poll(&waiting, 1, sent > kLeast ? 300 : kTimeoutMs) == 0) break;
      continue;
    }
    offset += static_cast<size_t>(n);
    if (offset == calls.size()) sent += 64;
  }
  EXPECT_LT(sent, kMany);
  EXPECT_GT(sent, kLeast);
  std::array<char, kFrameHeaderBytes> header;
  for (uint64_t i = 0; i < sent; ++i) {
    ASSERT_TRUE(ReceiveAll(fd, header.data(), header.size()).ok()) << i;
    std::string text(DecodeFrameHeader(header.data())->size, '\0');
    ASSERT_TRUE(ReceiveAll(fd, text.data(), text.size()).ok()) << i;
  }
  close(fd);
}

TEST(BulkTest, APayloadThatDoesNotFitFailsItsCallAlone) {
  Served served;
  const auto caller = served.bulk->Connect(served.server.address());
  EXPECT_EQ(*AskLabel(*caller), "one");
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit();
  // Leaves room for the server's tensor, not for a second one.
  budget.set_limit(budget.used() + 30'000'000);
  {
    SuiteCall call(*caller, "bytes:20000000");
    EXPECT_EQ(call.Wait().code(), StatusCode::kResourceExhausted)
        << call.Wait();
  }
  budget.set_limit(limit);
  EXPECT_EQ(*AskLabel(*caller), "one");
}

}  // namespace
}  // namespace millrace
