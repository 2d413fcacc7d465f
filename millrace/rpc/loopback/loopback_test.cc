#include "millrace/rpc/loopback/loopback.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "millrace/base/sim/sim.h"
#include "millrace/rpc/testing/transport_suite_server.h"

namespace millrace {
namespace {

StatusOr<std::string> Ask(Caller& caller, Deadline deadline,
                          CallContext* context) {
  context->deadline = deadline;
  GetStatusReply reply;
  Status status;
  Notification done;
  MakeWorkerStub(&caller)->GetStatus(*context, {}, &reply, [&](Status s) {
    status = std::move(s);
    done.Notify();
  });
  done.Wait();
  MR_RETURN_IF_ERROR(status);
  return reply.device_attributes.at(0).name;
}

StatusOr<std::string> Ask(LoopbackNetwork& network, const std::string& address,
                          Deadline deadline = Deadline::Infinite()) {
  CallContext context;
  return Ask(*network.Connect(address), deadline, &context);
}

TEST(LoopbackTest, HostsAreNames) {
  LoopbackNetwork network;
  SuiteWorker a("a"), b("b"), any("any");
  const auto la = network.Listen({.host = "ps0", .port = 2222}, {.worker = &a});
  const auto lb = network.Listen({.host = "ps1", .port = 2222}, {.worker = &b});
  const auto lc =
      network.Listen({.host = "0.0.0.0", .port = 7}, {.worker = &any});
  ASSERT_TRUE(la.ok() && lb.ok() && lc.ok());
  EXPECT_EQ((*la)->address(), "ps0:2222");
  EXPECT_EQ(*Ask(network, "ps0:2222"), "a");
  EXPECT_EQ(*Ask(network, "ps1:2222"), "b");
  EXPECT_EQ(*Ask(network, "localhost:7"), "any");
  EXPECT_EQ((*lc)->address(), "127.0.0.1:7");
  EXPECT_EQ(Ask(network, "ps2:2222").status().code(), StatusCode::kUnavailable);
}

TEST(LoopbackTest, UnixSocketsAreNames) {
  LoopbackNetwork network;
  SuiteWorker a("a");
  const auto listener =
      network.Listen({.unix_socket = "/tmp/a.sock"}, {.worker = &a});
  ASSERT_TRUE(listener.ok());
  EXPECT_EQ(*Ask(network, "unix:/tmp/a.sock"), "a");
  EXPECT_FALSE(network.Listen({.unix_socket = "/tmp/a.sock"}, {}).ok());
  EXPECT_FALSE(network.Listen({.port = 70000}, {}).ok());
}

TEST(LoopbackTest, BorrowedRequestsAreCopied) {
  LoopbackNetwork network;
  SuiteWorker worker("a");
  const auto listener = network.Listen({}, {.worker = &worker});
  const auto caller = network.Connect((*listener)->address());
  CallContext context;
  ByteChunks reply;
  Notification done;
  {
    std::string bytes;  // encodes an empty message with an unknown field
    bytes = {'\x78', '\x01'};
    caller->Call(GetMethod(MethodId::kGetStatus), context,
                 ByteChunks::Borrow(bytes), &reply, [&](Status s) {
                   EXPECT_TRUE(s.ok()) << s;
                   done.Notify();
                 });
    bytes = {'\xff', '\xff'};
  }
  done.Wait();
}

TEST(LoopbackTest, FrozenServerIsSilentAndAnswersWhenItThaws) {
  const SimResult r = SimWorld({}).Run([] {
    SimWorld* world = SimWorld::Current();
    const SimProcess ps = world->AddProcess("ps0");
    LoopbackNetwork network;
    SuiteWorker worker("a");
    StatusOr<std::unique_ptr<Listener>> listener;
    {
      SimProcessScope scope(ps);
      listener = network.Listen({}, {.worker = &worker});
    }
    const std::string address = (*listener)->address();
    EXPECT_TRUE(Ask(network, address).ok());
    EXPECT_EQ(worker.last().peer(), world->ProcessName(0));
    const int64_t start = NowNanos();
    world->FreezeUntil(ps, start + 10'000'000'000);
    // The deadline is the caller's own.
    EXPECT_EQ(
        Ask(network, address, Deadline::AfterMillis(1000)).status().code(),
        StatusCode::kDeadlineExceeded);
    EXPECT_EQ(NowNanos(), start + 1'000'000'000);
    EXPECT_EQ(worker.calls(), 1);
    EXPECT_EQ(*Ask(network, address), "a");
    EXPECT_GE(NowNanos(), start + 10'000'000'000);
    EXPECT_EQ(worker.calls(), 2) << "the call past its deadline never ran";
  });
  EXPECT_TRUE(r.status.ok()) << r.Report();
}

TEST(LoopbackTest, FrozenCallersKeepNoServerFromItsEnd) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const SimResult r =
        SimWorld({.seed = seed, .lock_switch_probability = 0.5}).Run([] {
          SimWorld* world = SimWorld::Current();
          LoopbackNetwork network;
          SuiteWorker worker("a");
          StatusOr<std::unique_ptr<Listener>> listener;
          {
            SimProcessScope scope(world->AddProcess("ps0"));
            listener = network.Listen({}, {.worker = &worker});
          }
          const std::string address = (*listener)->address();
          const SimProcess client = world->AddProcess("client");
          Thread caller;
          {
            SimProcessScope scope(client);
            caller = Thread("caller", [&] {
              Ask(network, address).status().IgnoreError();
            });
          }
          for (uint64_t i = SimRandom(20); i > 0; --i) Yield();
          world->Freeze(client);
          (*listener)->Kill();
          listener->reset();  // waits for the open calls
          world->Thaw(client);
          caller.Join();
        });
    ASSERT_TRUE(r.status.ok()) << r.Report();
  }
}

TEST(LoopbackTest, SameSeedSameRun) {
  const auto run = [](uint64_t seed) {
    return SimWorld({.seed = seed}).Run([] {
      LoopbackNetwork network;
      SuiteWorker worker("a");
      const auto listener = network.Listen({}, {.worker = &worker});
      for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(Ask(network, (*listener)->address()).ok());
      }
    });
  };
  EXPECT_EQ(run(3).hash, run(3).hash);
  EXPECT_NE(run(3).hash, run(4).hash);
}

}  // namespace
}  // namespace millrace
