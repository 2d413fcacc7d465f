// Runs the suite on gRPC.
#include "millrace/rpc/grpc/grpc_transport.h"

#include "millrace/base/random.h"
#include "millrace/rpc/bulk/bulk_transport.h"
#include "millrace/rpc/testing/transport_suite.h"

namespace millrace {
namespace {

INSTANTIATE_TEST_SUITE_P(
    Grpc, TransportSuite,
    ::testing::Values(
        TransportCase{
            .name = "OneThread",
            .make = [] { return MakeGrpcTransport({.server_threads = 1}); }},
        TransportCase{.name = "TwoThreads",
                      .make = [] { return MakeGrpcTransport(); }},
        TransportCase{.name = "WithBulk",
                      .make =
                          [] {
                            return MakeBulkTransport(
                                MakeGrpcTransport(),
                                {.first_calls_wait = true});
                          }}),
    [](const auto& info) { return info.param.name; });

TEST(GrpcTransportTest, HealthAndReflectionOverTheWire) {
  const auto transport = MakeGrpcTransport();
  SuiteServer server(*transport, "one");
  const auto caller = transport->Connect(server.address());
  Method check = GetMethod(MethodId::kGetStatus);
  check.path = "/grpc.health.v1.Health/Check";
  CallContext context;
  ByteChunks reply;
  Notification done;
  caller->Call(check, context,
               ByteChunks(std::string("\x0a\x18tensorflow.WorkerService")),
               &reply, [&](Status s) {
                 EXPECT_TRUE(s.ok()) << s;
                 done.Notify();
               });
  done.Wait();
  EXPECT_EQ(reply.Flatten(), "\x08\x01");

  // A stream keeps no listener from closing, whether its client has given up or
  // goes on. (Our caller is unary: it takes one message and no second.)
  Method watch = check;
  watch.path = "/grpc.health.v1.Health/Watch";
  for (const bool cancel : {true, false}) {
    CancelScope scope;
    CallContext watched;
    watched.cancel = &scope;
    ByteChunks answer;
    Status status;
    Notification over;
    caller->Call(watch, watched, {}, &answer, [&](Status s) {
      status = std::move(s);
      over.Notify();
    });
    EXPECT_EQ(*AskLabel(*caller), "one");
    if (!cancel) server.listener->Shutdown(Deadline::AfterMillis(60'000));
    scope.Cancel(Aborted("enough"));
    over.Wait();
    EXPECT_FALSE(status.ok());
  }
}

TEST(GrpcTransportTest, UnixSocketsAndBothServiceNames) {
  const auto transport = MakeGrpcTransport();
  SuiteWorker worker("unix");
  const std::string path =
      absl::StrCat(::testing::TempDir(), "/millrace_rpc_", RandomUint64());
  const auto listener =
      transport->Listen({.unix_socket = path}, {.worker = &worker});
  ASSERT_TRUE(listener.ok()) << listener.status();
  const auto caller = transport->Connect(absl::StrCat("unix:", path));
  EXPECT_EQ(*AskLabel(*caller), "unix");
  Method other = GetMethod(MethodId::kGetStatus);
  other.path = "/tensorflow.grpc.WorkerService/GetStatus";
  CallContext context;
  ByteChunks reply;
  Notification done;
  caller->Call(other, context, {}, &reply, [&](Status s) {
    EXPECT_TRUE(s.ok()) << s;
    done.Notify();
  });
  done.Wait();
  EXPECT_EQ(worker.calls(), 2);
}

TEST(GrpcTransportTest, BadAddressesAreErrors) {
  const auto transport = MakeGrpcTransport();
  const Status host =
      transport->Listen({.host = "no.such.host.invalid"}, {}).status();
  EXPECT_EQ(host.code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(host.message()),
              ::testing::HasSubstr("no.such.host.invalid"));
  EXPECT_EQ(transport->Listen({.port = 99999}, {}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(transport->Listen({.unix_socket = "/no/such/folder/socket"}, {})
                .status()
                .code(),
            StatusCode::kUnavailable);
  const auto caller = transport->Connect("no.such.host.invalid:1");
  EXPECT_EQ(AskLabel(*caller).status().code(), StatusCode::kUnavailable);
}

TEST(GrpcTransportTest, AServerThatComesBackIsReachedByTheNextCall) {
  // The channel's own attempts would come too late.
  const auto transport = MakeGrpcTransport({.initial_backoff_ms = 600'000,
                                            .max_backoff_ms = 600'000,
                                            .reconnect_wait_ms = 1});
  const auto patient = MakeGrpcTransport({.initial_backoff_ms = 600'000,
                                          .max_backoff_ms = 600'000,
                                          .reconnect_wait_ms = 60'000});
  SuiteWorker worker("back");
  int port = 0;
  std::vector<std::shared_ptr<Caller>> callers;
  {
    const auto listener = transport->Listen({}, {.worker = &worker});
    ASSERT_TRUE(listener.ok()) << listener.status();
    port = (*listener)->port();
    for (const auto& t : {transport, patient}) {
      callers.push_back(t->Connect((*listener)->address()));
      EXPECT_EQ(*AskLabel(*callers.back()), "back");
    }
  }
  // The first call finds no server; later ones know it.
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(AskLabel(*callers[0]).status().code(), StatusCode::kUnavailable);
  }
  EXPECT_EQ(AskLabel(*callers[1]).status().code(), StatusCode::kUnavailable);
  const auto again = transport->Listen({.port = port}, {.worker = &worker});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*AskLabel(*callers[1]), "back");
}

// Answers a call when the test says so, whether or not the call has ended.
class DeafWorker final : public UnimplementedWorker {
 public:
  void RecvTensor(CallContext&, const RecvTensorRequest&, RecvTensorReply*,
                  Done done) override {
    done_ = std::move(done);
    arrived_.Notify();
  }
  void AwaitCall() { arrived_.Wait(); }
  void Answer() { std::move(done_)(OkStatus()); }

 private:
  Notification arrived_;
  Done done_;
};

// A server that ends without waiting breaks the connections to it; another
// server of the process may have the same port at another address.
TEST(GrpcTransportTest, TheEndOfAServerEndsNoOthersConnections) {
  const auto transport = MakeGrpcTransport();
  DeafWorker deaf;
  SuiteWorker worker("other");
  std::unique_ptr<Listener> ending, other;
  for (int i = 0; i < 20 && !other; ++i) {
    ending = *transport->Listen({.host = "127.0.0.1"}, {.worker = &deaf});
    auto same_port = transport->Listen(
        {.host = "127.0.0.2", .port = ending->port()}, {.worker = &worker});
    if (same_port.ok()) other = *std::move(same_port);  // else it was taken
  }
  ASSERT_NE(other, nullptr);
  const auto to_ending = transport->Connect(ending->address());
  const auto to_other = transport->Connect(other->address());
  SuiteCall broken(*to_ending, "wait"), whole(*to_other, "wait");
  deaf.AwaitCall();
  worker.AwaitWaiting(1);
  Thread ender("ender", [&] { ending->Shutdown(Deadline::AfterMillis(0)); });
  EXPECT_EQ(broken.Wait().code(), StatusCode::kUnavailable) << broken.Wait();
  deaf.Answer();
  ender.Join();
  worker.Release();
  EXPECT_TRUE(whole.Wait().ok()) << whole.Wait();
  EXPECT_EQ(worker.calls(), 1);
}

TEST(GrpcTransportTest, LocalhostByName) {
  const auto transport = MakeGrpcTransport();
  SuiteServer server(*transport, "one");
  const auto caller =
      transport->Connect(absl::StrCat("localhost:", server.listener->port()));
  const auto label = AskLabel(*caller);
  ASSERT_TRUE(label.ok()) << label.status();
  EXPECT_EQ(*label, "one");
}

}  // namespace
}  // namespace millrace
