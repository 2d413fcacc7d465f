#include "millrace/cluster/peers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/base/sim/sim.h"
#include "millrace/cluster/testing/worker_suite.h"

namespace millrace {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kSecond = 1'000'000'000;

// Answers GetStatus with one device; its RecvTensor waits until it is
// cancelled.
class FakeWorker final : public WorkerApi {
 public:
  explicit FakeWorker(std::string device) : device_(std::move(device)) {}

  std::atomic<uint64_t> incarnation{1};
  std::atomic<int> calls{0};

  void GetStatus(CallContext&, const GetStatusRequest&, GetStatusReply* reply,
                 Done done) override {
    ++calls;
    DeviceAttributes device;
    device.name = device_;
    device.incarnation = incarnation;
    reply->device_attributes.push_back(device);
    std::move(done)(OkStatus());
  }
  void RecvTensor(CallContext& context, const RecvTensorRequest&,
                  RecvTensorReply*, Done done) override {
    ++calls;
    auto shared = std::make_shared<Done>(std::move(done));
    const auto registration =
        context.cancel->Register([shared, scope = context.cancel] {
          std::move (*shared)(scope->status());
        });
    if (!registration.ok()) std::move (*shared)(registration.status);
  }
#define MR_FAKE(Name)                                                    \
  void Name(CallContext&, const Name##Request&, Name##Reply*, Done done) \
      override {                                                         \
    ++calls;                                                             \
    std::move(done)(OkStatus());                                         \
  }
  MR_FAKE(CreateWorkerSession)
  MR_FAKE(DeleteWorkerSession)
  MR_FAKE(RegisterGraph)
  MR_FAKE(DeregisterGraph)
  MR_FAKE(RunGraph)
  MR_FAKE(CleanupGraph)
  MR_FAKE(CleanupAll)
  MR_FAKE(RecvBuf)
  MR_FAKE(Logging)
  MR_FAKE(Tracing)
  MR_FAKE(CompleteGroup)
  MR_FAKE(CompleteInstance)
  MR_FAKE(GetStepSequence)
  MR_FAKE(MarkRecvFinished)
#undef MR_FAKE

 private:
  const std::string device_;
};

// Fails the first calls of each caller.
class FlakyTransport final : public Transport {
 public:
  FlakyTransport(std::shared_ptr<Transport> inner, int failures)
      : inner_(std::move(inner)), failures_(failures) {}

  std::shared_ptr<Caller> Connect(const std::string& address) override {
    struct FlakyCaller final : Caller {
      void Call(const Method& method, CallContext& context, ByteChunks request,
                ByteChunks* reply, Done done) override {
        if (left-- > 0) {
          Lanes::Process().control.Schedule([done = std::move(done)]() mutable {
            std::move(done)(Unavailable("lost on the way"));
          });
          return;
        }
        caller->Call(method, context, std::move(request), reply,
                     std::move(done));
      }
      std::shared_ptr<Caller> caller;
      std::atomic<int> left{0};
    };
    auto flaky = std::make_shared<FlakyCaller>();
    flaky->caller = inner_->Connect(address);
    flaky->left = failures_;
    return flaky;
  }
  StatusOr<std::unique_ptr<Listener>> Listen(
      const ListenOptions& options, const Services& services) override {
    return inner_->Listen(options, services);
  }

 private:
  const std::shared_ptr<Transport> inner_;
  const int failures_;
};

void Simulate(absl::AnyInvocable<void()> body, uint64_t seed = 1) {
  const SimResult r = SimWorld({.seed = seed}).Run(std::move(body));
  EXPECT_TRUE(r.status.ok()) << r.Report();
}

// A cluster of two tasks as the master sees it, which is worker:0 itself.
struct World {
  explicit World(int failures = 0, bool rename = false)
      : network(std::make_shared<LoopbackNetwork>()),
        ps("/job:ps/replica:0/task:0/device:CPU:0") {
    PeersOptions options;
    options.self = {"worker", 0};
    options.cluster = ClusterSpec::Parse("ps=ps0:1;worker=w0:1").value();
    options.transport = std::make_shared<FlakyTransport>(network, failures);
    options.rename_devices = rename;
    peers = MakePeers(std::move(options));
    peer = peers->Find({"ps", 0}).value();
  }
  void Listen(WorkerApi* api) {
    listener =
        network->Listen({.host = "ps0", .port = 1}, {.worker = api}).value();
  }
  Status Identify(int64_t timeout_ms) {
    CallContext context;
    context.deadline = Deadline::AfterMillis(timeout_ms);
    Status status;
    Notification done;
    peer->Identify(context, [&](Status s) {
      status = std::move(s);
      done.Notify();
    });
    done.Wait();
    return status;
  }

  std::shared_ptr<LoopbackNetwork> network;
  FakeWorker ps;
  std::unique_ptr<Peers> peers;
  Ref<Peer> peer;
  std::unique_ptr<Listener> listener;
};

TEST(Peers, FindAndAll) {
  World w;
  EXPECT_EQ(w.peers->All().size(), 2u);
  EXPECT_EQ(w.peers->Find({"ps", 0}).value(), w.peer);
  EXPECT_EQ(w.peer->address(), "ps0:1");
  EXPECT_FALSE(w.peer->is_self());
  EXPECT_EQ(w.peers->Find({"ps", 1}).status().code(), StatusCode::kNotFound);
}

// A task that has answered any call may hold state when it is lost.
TEST(Peers, AnyAnswerIsOne) {
  Simulate([] {
    World w;
    w.Listen(&w.ps);
    CallContext context;
    CleanupAllReply reply;
    Notification done;
    w.peer->worker().CleanupAll(context, {}, &reply, [&](const Status& s) {
      EXPECT_TRUE(s.ok()) << s;
      done.Notify();
    });
    done.Wait();
    EXPECT_TRUE(w.peer->has_answered());
    EXPECT_TRUE(w.peer->devices().empty());
  });
}

TEST(Peers, IdentifyWaitsForTheTask) {
  Simulate([] {
    World w;
    const Status refused = w.Identify(1000);
    EXPECT_EQ(refused.code(), StatusCode::kDeadlineExceeded);
    EXPECT_THAT(refused.message(),
                AllOf(HasSubstr("task /job:ps/replica:0/task:0 (ps0:1)"),
                      HasSubstr("connection refused")));
    EXPECT_EQ(w.peer->last_error().code(), StatusCode::kUnavailable);
    EXPECT_EQ(w.peer->incarnation(), 0u);
    EXPECT_FALSE(w.peer->has_answered());
    Thread late("late", [&] {
      SleepUntil(Deadline::AfterMillis(30'000));
      w.Listen(&w.ps);
    });
    EXPECT_TRUE(w.Identify(60'000).ok());
    late.Join();
    EXPECT_TRUE(w.peer->last_error().ok());
    EXPECT_EQ(w.peer->incarnation(), 1u);
    EXPECT_EQ(w.peer->devices().size(), 1u);
  });
}

TEST(Peers, IdentifyEndsWithItsCall) {
  Simulate([] {
    World w;
    CancelScope scope;
    CallContext context;
    context.cancel = &scope;
    Status status;
    Notification done;
    w.peer->Identify(context, [&](Status s) {
      status = std::move(s);
      done.Notify();
    });
    SleepUntil(Deadline::AfterMillis(5'000));
    const int64_t start = NowNanos();
    scope.Cancel(Cancelled("no longer needed"));
    done.Wait();
    EXPECT_EQ(NowNanos(), start);
    EXPECT_EQ(status.code(), StatusCode::kCancelled);
    EXPECT_THAT(status.message(), HasSubstr("connection refused"));
  });
}

TEST(Peers, AnotherTaskAtTheAddress) {
  Simulate([] {
    FakeWorker other("/job:chief/replica:0/task:3/device:CPU:0");
    World w;
    w.Listen(&other);
    const Status status = w.Identify(3000);
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
    EXPECT_THAT(
        status.message(),
        HasSubstr(
            "The server at ps0:1 is /job:chief/replica:0/task:3 and not"));
    // The right one may come yet.
    w.listener->Kill();
    w.Listen(&w.ps);
    EXPECT_TRUE(w.Identify(3000).ok());
    World renaming(0, /*rename=*/true);
    renaming.Listen(&other);
    ASSERT_TRUE(renaming.Identify(3000).ok());
    EXPECT_EQ(renaming.peer->devices()[0].name,
              "/job:ps/replica:0/task:0/device:CPU:0");
  });
}

TEST(Peers, AnotherTaskTakesTheAddressOver) {
  Simulate([] {
    FakeWorker other("/job:chief/replica:0/task:3/device:CPU:0");
    World w;
    w.Listen(&w.ps);
    ASSERT_TRUE(w.Identify(3000).ok());
    PendingReply call(w.peer->worker(), &WorkerApi::RecvTensor,
                      RecvTensorRequest());
    SleepUntil(Deadline::AfterMillis(1'500));
    w.listener->Kill();
    w.Listen(&other);
    EXPECT_EQ(call.Wait().code(), StatusCode::kUnavailable);
    // As JoinTasks ends the wait for a task that is lost.
    CancelScope scope;
    CallContext context;
    context.cancel = &scope;
    Status status;
    Notification done;
    w.peer->Identify(context, [&](Status s) {
      status = std::move(s);
      done.Notify();
    });
    SleepUntil(Deadline::AfterMillis(4'000));
    scope.Cancel(Aborted("Lost a task that answered before"));
    done.Wait();
    EXPECT_EQ(status.code(), StatusCode::kAborted);
    EXPECT_THAT(status.message(), HasSubstr("The server at ps0:1 is"));
  });
}

TEST(Peers, OnlyRetriedMethodsAreSentAgain) {
  Simulate([] {
    World w(/*failures=*/3);
    w.Listen(&w.ps);
    EXPECT_TRUE(Ask(w.peer->worker(), &WorkerApi::CreateWorkerSession,
                    CreateWorkerSessionRequest())
                    .ok());
    EXPECT_EQ(w.ps.calls, 1);
    World once(/*failures=*/1);
    once.Listen(&once.ps);
    const Status status =
        Ask(once.peer->worker(), &WorkerApi::RunGraph, RunGraphRequest())
            .status();
    EXPECT_EQ(status.code(), StatusCode::kUnavailable);
    EXPECT_EQ(
        status.message(),
        "Unavailable: task /job:ps/replica:0/task:0 (ps0:1): lost on the way");
    EXPECT_EQ(once.ps.calls, 0);
    // Not beyond the deadline.
    World down;
    CallContext context;
    context.deadline = Deadline::AfterMillis(5000);
    const int64_t start = NowNanos();
    EXPECT_EQ(Ask(down.peer->worker(), &WorkerApi::CleanupGraph,
                  CleanupGraphRequest(), context)
                  .status()
                  .code(),
              StatusCode::kUnavailable);
    EXPECT_LE(NowNanos() - start, 5 * kSecond);
    EXPECT_GE(NowNanos() - start, 2 * kSecond);
  });
}

TEST(Peers, AFrozenTaskFailsItsOpenCalls) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Simulate(
        [] {
          const SimProcess process = SimWorld::Current()->AddProcess("ps");
          World w;
          {
            SimProcessScope scope(process);
            w.Listen(&w.ps);
          }
          PendingReply call(w.peer->worker(), &WorkerApi::RecvTensor,
                            RecvTensorRequest());
          SleepUntil(Deadline::AfterMillis(20'000));
          EXPECT_FALSE(call.done.HasBeenNotified());
          const int64_t start = NowNanos();
          SimWorld::Current()->FreezeUntil(process, start + 100 * kSecond);
          EXPECT_EQ(call.Wait().code(), StatusCode::kUnavailable);
          EXPECT_THAT(call.status.message(),
                      AllOf(HasSubstr("task /job:ps/replica:0/task:0 (ps0:1)"),
                            HasSubstr("has not answered 3 times in a row")));
          EXPECT_LE(NowNanos() - start, 5 * kSecond);
          EXPECT_GE(NowNanos() - start, 2 * kSecond);
        },
        seed);
  }
}

// Expects that `method` ends soon after its task froze, though its own
// deadline, if it has one, is far away.
template <class Request, class Reply>
void ExpectWatched(void (WorkerApi::*method)(CallContext&, const Request&,
                                             Reply*, Done)) {
  Simulate([method] {
    const SimProcess process = SimWorld::Current()->AddProcess("ps");
    World w;
    {
      SimProcessScope scope(process);
      w.Listen(&w.ps);
    }
    ASSERT_TRUE(w.Identify(1'000).ok());
    const int64_t start = NowNanos();
    SimWorld::Current()->FreezeUntil(process, start + 100 * kSecond);
    PendingReply call(w.peer->worker(), method, Request());
    EXPECT_EQ(call.Wait().code(), StatusCode::kUnavailable) << call.status;
    EXPECT_THAT(call.status.message(),
                AllOf(HasSubstr("task /job:ps/replica:0/task:0 (ps0:1)"),
                      HasSubstr("has not answered 3 times in a row")));
    EXPECT_LE(NowNanos() - start, 4 * kSecond);
  });
}

TEST(Peers, AFrozenTaskFailsAllCallsThatSomebodyWaitsFor) {
  ExpectWatched(&WorkerApi::RegisterGraph);
  ExpectWatched(&WorkerApi::CreateWorkerSession);
  ExpectWatched(&WorkerApi::CleanupAll);
  ExpectWatched(&WorkerApi::Tracing);
  ExpectWatched(&WorkerApi::RunGraph);
  ExpectWatched(&WorkerApi::CompleteGroup);
  ExpectWatched(&WorkerApi::CompleteInstance);
}

TEST(Peers, ACleanUpReachesATaskThatThaws) {
  Simulate([] {
    const SimProcess process = SimWorld::Current()->AddProcess("ps");
    World w;
    {
      SimProcessScope scope(process);
      w.Listen(&w.ps);
    }
    SimWorld::Current()->FreezeUntil(process, NowNanos() + 8 * kSecond);
    EXPECT_TRUE(
        Ask(w.peer->worker(), &WorkerApi::CleanupGraph, CleanupGraphRequest())
            .ok());
  });
}

TEST(Peers, ABrokenConnectionFailsItsOpenCallsAtOnce) {
  Simulate([] {
    World w;
    w.Listen(&w.ps);
    PendingReply call(w.peer->worker(), &WorkerApi::RecvTensor,
                      RecvTensorRequest());
    SleepUntil(Deadline::AfterMillis(1'500));
    const int64_t start = NowNanos();
    w.listener->Kill();
    EXPECT_EQ(call.Wait().code(), StatusCode::kUnavailable);
    EXPECT_THAT(call.status.message(),
                HasSubstr("task /job:ps/replica:0/task:0 (ps0:1)"));
    EXPECT_EQ(NowNanos(), start);
    EXPECT_FALSE(w.peer->last_error().ok());
  });
}

TEST(Peers, ANewIncarnationAbortsTheCallsOfTheOld) {
  Simulate([] {
    World w;
    w.Listen(&w.ps);
    RecvTensorRequest old, fresh;
    old.rendezvous_key =
        "/job:ps/replica:0/task:0/device:CPU:0;0000000000000001;x;y;0:0";
    fresh.rendezvous_key =
        "/job:ps/replica:0/task:0/device:CPU:0;0000000000000002;x;y;0:0";
    PendingReply first(w.peer->worker(), &WorkerApi::RecvTensor, old);
    SleepUntil(Deadline::AfterMillis(3'000));
    EXPECT_FALSE(first.done.HasBeenNotified());
    w.ps.incarnation = 2;
    PendingReply second(w.peer->worker(), &WorkerApi::RecvTensor, fresh);
    EXPECT_EQ(first.Wait().code(), StatusCode::kAborted);
    EXPECT_THAT(first.status.message(), HasSubstr("It was probably restarted"));
    SleepUntil(Deadline::AfterMillis(3'000));
    EXPECT_FALSE(second.done.HasBeenNotified());
    second.scope.Cancel(Cancelled("enough"));
    EXPECT_EQ(second.Wait().code(), StatusCode::kCancelled);
  });
}

TEST(Peers, NobodyIsAskedWhileNoCallIsOpen) {
  Simulate([] {
    World w;
    w.Listen(&w.ps);
    EXPECT_TRUE(
        Ask(w.peer->worker(), &WorkerApi::RunGraph, RunGraphRequest()).ok());
    SleepUntil(Deadline::AfterMillis(100'000));
    EXPECT_EQ(w.ps.calls, 1);
  });
}

}  // namespace
}  // namespace millrace
