// Tests what the transports' common suite does not see: frames, tokens,
// fallbacks.
#include <dirent.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "millrace/base/memory/memory_budget.h"
#include "millrace/rpc/bulk/bulk_transport.h"
#include "millrace/rpc/bulk/caller_connection.h"
#include "millrace/rpc/bulk/frame.h"
#include "millrace/rpc/bulk/sockets.h"
#include "millrace/rpc/call_status.h"
#include "millrace/rpc/loopback/loopback.h"
#include "millrace/rpc/testing/transport_calls_suite.h"

namespace millrace {
namespace {

constexpr int64_t kTimeoutMs = 60'000;

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

std::string Frame(FrameHeader header, const std::string& payload) {
  std::string frame(kFrameHeaderBytes, '\0');
  header.size = payload.size();
  EncodeFrameHeader(header, frame.data());
  return frame + payload;
}

// Sends bytes and returns the first part of the answer: a frame's kind, or 0 if
// the server closes the connection.
int Exchange(int fd, const std::string& bytes) {
  if (!SendAll(fd, bytes.data(), bytes.size()).ok()) return 0;
  std::array<char, kFrameHeaderBytes> header;
  if (!ReceiveAll(fd, header.data(), header.size()).ok()) return 0;
  return static_cast<int>(DecodeFrameHeader(header.data())->kind);
}

TEST(FrameTest, HeadersComeBack) {
  const FrameHeader header{.kind = FrameKind::kCall,
                           .method = 7,
                           .lead = 63,
                           .call = ~uint64_t{0},
                           .aux = -1,
                           .size = 123};
  std::array<char, kFrameHeaderBytes> bytes;
  EncodeFrameHeader(header, bytes.data());
  const StatusOr<FrameHeader> back = DecodeFrameHeader(bytes.data());
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->kind, FrameKind::kCall);
  EXPECT_EQ(back->method, 7);
  EXPECT_EQ(back->lead, 63);
  EXPECT_EQ(back->call, ~uint64_t{0});
  EXPECT_EQ(back->aux, -1);
  EXPECT_EQ(back->size, 123u);
  // Kind, lead, size and the reserved byte are checked.
  for (const auto& [at, value] : {std::pair{0, 'X'},
                                  {4, '\0'},
                                  {4, '\x06'},
                                  {6, '\x40'},
                                  {7, '\1'},
                                  {31, '\x7f'}}) {
    auto wrong = bytes;
    wrong[at] = value;
    EXPECT_FALSE(DecodeFrameHeader(wrong.data()).ok()) << at;
  }
}

TEST(FrameTest, StatusesKeepTheirMarks) {
  const Status status = MarkDerived(Aborted("the step has failed"));
  EXPECT_EQ(
      DecodeStatus(static_cast<int64_t>(status.code()), EncodeStatus(status)),
      status);
  EXPECT_EQ(DecodeStatus(99, EncodeStatus(status)).code(),
            StatusCode::kDataLoss);
  EXPECT_EQ(DecodeStatus(3, "\xff").code(), StatusCode::kDataLoss);
}

TEST(FrameTest, LeadIsWhatComesBeforeTheTensor) {
  ByteChunks payload(std::string(70, 'a'));
  payload.Append(*HostAllocator()->Allocate(4096),
                 absl::string_view("x", 1));  // small: no tensor
  const Ref<Buffer> big = *HostAllocator()->Allocate(4096);
  payload.Append(big, {big->data(), 4096});
  EXPECT_EQ(PayloadLead(payload), 71 % 64);
}

TEST(BulkTest, ATokenOpensOneConnection) {
  Served served;
  const HelloReply hello = served.Hello();
  const std::string open = Frame({.kind = FrameKind::kOpen}, hello.bulk_token);
  const int first = *ConnectLocally(hello.local_address, kTimeoutMs);
  EXPECT_EQ(Exchange(first, open), static_cast<int>(FrameKind::kOpened));
  const int second = *ConnectLocally(hello.local_address, kTimeoutMs);
  EXPECT_EQ(Exchange(second, open), 0);
  close(first);
  close(second);
}

TEST(BulkTest, OthersQuestionsTakeNobodysToken) {
  Served served;
  const std::string token = served.Hello().bulk_token;
  HelloReply last;
  for (int i = 0; i < 3'000; ++i) last = served.Hello();
  for (const std::string& one : {token, last.bulk_token}) {
    const int fd = *ConnectLocally(last.local_address, kTimeoutMs);
    EXPECT_EQ(Exchange(fd, Frame({.kind = FrameKind::kOpen}, one)),
              static_cast<int>(FrameKind::kOpened));
    close(fd);
  }
}

TEST(BulkTest, ATokenOfAnotherServerOpensNothing) {
  Served served, other;
  const HelloReply hello = served.Hello();
  const int fd = *ConnectLocally(hello.local_address, kTimeoutMs);
  EXPECT_EQ(
      Exchange(fd, Frame({.kind = FrameKind::kOpen}, other.Hello().bulk_token)),
      0);
  close(fd);
}

TEST(BulkTest, WhoBringsNoTokenIsSentAway) {
  Served served;
  const HelloReply hello = served.Hello();
  const std::string call = Frame({.kind = FrameKind::kCall}, "");
  for (const std::string& bytes :
       {std::string(1000, 'x'), call,
        Frame({.kind = FrameKind::kOpen}, "guess"),
        Frame({.kind = FrameKind::kOpen}, std::string(100'000, 'a')),
        std::string("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")}) {
    const int fd = *ConnectLocally(hello.local_address, kTimeoutMs);
    EXPECT_EQ(Exchange(fd, bytes), 0);
    close(fd);
  }
  // No other connection was disturbed.
  EXPECT_EQ(*AskLabel(*served.bulk->Connect(served.server.address())), "one");
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

int OpenDescriptors() {
  int n = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++n;
  closedir(folder);
  return n;
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

// Counts the calls that reach the inner transport.
class CountedTransport final : public Transport {
 public:
  std::shared_ptr<Caller> Connect(const std::string& address) override {
    return std::make_shared<CountedCaller>(*this, network_.Connect(address));
  }
  StatusOr<std::unique_ptr<Listener>> Listen(
      const ListenOptions& options, const Services& services) override {
    return network_.Listen(options, services);
  }
  int count(MethodId id) const {
    return counts_[static_cast<size_t>(id)].load();
  }

 private:
  class CountedCaller final : public Caller {
   public:
    CountedCaller(CountedTransport& all, std::shared_ptr<Caller> inner)
        : all_(all), inner_(std::move(inner)) {}
    void Call(const Method& method, CallContext& context, ByteChunks request,
              ByteChunks* reply, Done done) override {
      ++all_.counts_[static_cast<size_t>(method.id)];
      inner_->Call(method, context, std::move(request), reply, std::move(done));
    }

   private:
    CountedTransport& all_;
    const std::shared_ptr<Caller> inner_;
  };

  LoopbackNetwork network_;
  std::array<std::atomic<int>, kNumMethods> counts_{};
};

// Behind a tensor on its way over a slow network the reply would come late, and
// the server would count as lost.
TEST(BulkTest, ProbesDoNotTravelWithTensors) {
  const auto inner = std::make_shared<CountedTransport>();
  const auto bulk = MakeBulkTransport(inner, {.first_calls_wait = true});
  SuiteServer server(*bulk, "one");
  const auto caller = bulk->Connect(server.address());
  SuiteCall call(*caller, "bytes:1000000");
  ASSERT_TRUE(call.Wait().ok()) << call.Wait();
  EXPECT_EQ(inner->count(MethodId::kRecvTensor), 0);
  EXPECT_EQ(*AskLabel(*caller), "one");
  EXPECT_EQ(inner->count(MethodId::kGetStatus), 1);
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

TEST(BulkTest, WrongFramesCloseTheConnectionAndNoMore) {
  Served served;
  for (const std::string& bytes :
       {Frame({.kind = FrameKind::kReply, .call = 1}, ""),
        Frame({.kind = FrameKind::kOpen}, "again"),
        Frame({.kind = FrameKind::kCall, .method = 250, .call = 1}, ""),
        Frame({.kind = FrameKind::kCall,
        .method = static_cast<uint8_t>(MethodId::kRunStep),
        .call = 1},
              ""),
        std::string(64, '\xff')}) {
    const HelloReply hello = served.Hello();
    const int fd = *ConnectLocally(hello.local_address, kTimeoutMs);
    ASSERT_EQ(Exchange(fd, Frame({.kind = FrameKind::kOpen}, hello.bulk_token)),
              static_cast<int>(FrameKind::kOpened));
    EXPECT_EQ(Exchange(fd, bytes), 0);
    close(fd);
  }
  EXPECT_EQ(*AskLabel(*served.bulk->Connect(served.server.address())), "one");
}

TEST(BulkTest, GarbageInACallIsItsError) {
  Served served;
  const HelloReply hello = served.Hello();
  const int fd = *ConnectLocally(hello.local_address, kTimeoutMs);
  ASSERT_EQ(Exchange(fd, Frame({.kind = FrameKind::kOpen}, hello.bulk_token)),
            static_cast<int>(FrameKind::kOpened));
  EXPECT_EQ(
      Exchange(fd, Frame({.kind = FrameKind::kCall,
                          .method = static_cast<uint8_t>(MethodId::kRecvTensor),
                          .call = 5,
                          .aux = -1},
                         std::string(100, '\xff'))),
      static_cast<int>(FrameKind::kReply));
  close(fd);
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

TEST(BulkTest, TcpWorksToo) {
  Served served;
  const HelloReply hello = served.Hello();
  const size_t colon = hello.bulk_address.rfind(':');
  const int port = std::stoi(hello.bulk_address.substr(colon + 1));
  const int fd = *ConnectToTcp("127.0.0.1", port, kTimeoutMs);
  EXPECT_EQ(Exchange(fd, Frame({.kind = FrameKind::kOpen}, hello.bulk_token)),
            static_cast<int>(FrameKind::kOpened));
  close(fd);
}

TEST(BulkTest, AnotherVersionIsNotSpoken) {
  Served served;
  const HelloReply hello = served.Hello(99, StatusCode::kUnimplemented);
  EXPECT_EQ(hello.bulk_token, "");
}

TEST(BulkTest, AServerWithoutHelloIsServedByTheInnerTransport) {
  const auto inner = std::make_shared<LoopbackNetwork>();
  SuiteServer server(*inner, "plain");
  const auto bulk = MakeBulkTransport(inner, {.first_calls_wait = true});
  const auto caller = bulk->Connect(server.address());
  EXPECT_EQ(*AskLabel(*caller), "plain");
  EXPECT_EQ(*AskLabel(*caller), "plain");
}

TEST(BulkTest, TensorsArriveAlignedAndUncopied) {
  Served served;
  const auto caller = served.bulk->Connect(served.server.address());
  const int64_t before = MemoryBudget::Process().used();
  SuiteCall call(*caller, "bytes:1000000");
  ASSERT_TRUE(call.Wait().ok()) << call.Wait();
  EXPECT_EQ(
      reinterpret_cast<uintptr_t>(call.reply.tensor.data()) % kPayloadAlignment,
      0u);
  // At most one copy as the server's tensor and one as ours.
  EXPECT_LE(MemoryBudget::Process().used() - before, 2'100'000);
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

// Calls of one step time out together, which says nothing about other calls.
TEST(BulkTest, CallsThatTimeOutTogetherEndNoOther) {
  Served served;
  const auto caller = served.bulk->Connect(served.server.address());
  EXPECT_EQ(*AskLabel(*caller), "one");
  SuiteCall other(*caller, "wait");
  const Deadline soon = Deadline::AfterMillis(20);
  std::vector<std::unique_ptr<SuiteCall>> calls;
  for (int i = 0; i < 20; ++i) {
    calls.push_back(std::make_unique<SuiteCall>(*caller, "wait", soon));
  }
  for (const auto& call : calls) {
    EXPECT_EQ(call->Wait().code(), StatusCode::kDeadlineExceeded)
        << call->Wait();
  }
  served.server.worker.AwaitWaiting(1);
  served.server.worker.Release();
  EXPECT_TRUE(other.Wait().ok()) << other.Wait();
}

}  // namespace
}  // namespace millrace
