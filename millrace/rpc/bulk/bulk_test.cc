// Tests what the transports' common suite does not see: frames, tokens,
// fallbacks.
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "millrace/base/memory/memory_budget.h"
#include "millrace/rpc/call_status.h"
#include "millrace/rpc/testing/bulk_served.h"

namespace millrace {
namespace {

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
