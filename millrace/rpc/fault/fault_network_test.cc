#include "millrace/rpc/fault/fault_network.h"

#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "millrace/base/sim/sim.h"
#include "millrace/rpc/loopback/loopback.h"
#include "millrace/rpc/testing/transport_suite_server.h"

namespace millrace {
namespace {

using ::testing::HasSubstr;

constexpr int kAlways = 1'000'000;
constexpr int64_t kSecond = 1'000'000'000;

// A call of GetStatus, or of RecvTensor that waits.
class TestCall {
 public:
  TestCall(Caller& caller, bool waits, Deadline deadline = {}) {
    context_.deadline = deadline;
    context_.cancel = &scope;
    const auto done = [this](Status s) {
      status_ = std::move(s);
      done_.Notify();
    };
    request_.rendezvous_key = "wait";
    const auto stub = MakeWorkerStub(&caller);
    if (waits) {
      stub->RecvTensor(context_, request_, &tensor_, done);
    } else {
      stub->GetStatus(context_, {}, &reply_, done);
    }
  }
  ~TestCall() { done_.Wait(); }
  const Status& Wait() {
    done_.Wait();
    return status_;
  }
  bool done() const { return done_.HasBeenNotified(); }

  CancelScope scope;

 private:
  CallContext context_;
  RecvTensorRequest request_;
  RecvTensorReply tensor_;
  GetStatusReply reply_;
  Status status_;
  Notification done_;
};

Status Ask(Caller& caller, Deadline deadline = {}) {
  TestCall call(caller, false, deadline);
  return call.Wait();
}

// A server "ps" and a client "worker" in a simulation.
struct Pair {
  explicit Pair(FaultOptions options)
      : network(std::make_shared<LoopbackNetwork>(), std::move(options)),
        worker("ps") {
    SimProcessScope process(SimWorld::Current()->AddProcess("ps"));
    listener = *network.Endpoint("ps")->Listen({}, {.worker = &worker});
    caller = network.Endpoint("worker")->Connect(listener->address());
  }
  FaultNetwork network;
  SuiteWorker worker;
  std::unique_ptr<Listener> listener;
  std::shared_ptr<Caller> caller;
};

void InSim(const FaultOptions& options,
           const std::function<void(Pair&)>& body) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const SimResult r = SimWorld({.seed = seed}).Run([&] {
      Pair pair(options);
      body(pair);
    });
    ASSERT_TRUE(r.status.ok()) << r.Report();
  }
}

TEST(FaultNetworkTest, LostRequestNeverArrives) {
  InSim({.request_lost = kAlways}, [](Pair& p) {
    const int64_t start = NowNanos();
    const Status status = Ask(*p.caller);
    EXPECT_EQ(status.code(), StatusCode::kUnavailable);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(p.listener->address()));
    EXPECT_LE(NowNanos() - start, 3 * kSecond);
    EXPECT_EQ(p.worker.calls(), 0);
    EXPECT_EQ(p.network.count(Fault::kRequestLost, MethodId::kGetStatus), 1);
    EXPECT_EQ(p.network.Report(), "calls 1\nrequest_lost GetStatus 1\n");
  });
}

TEST(FaultNetworkTest, LostReplyLeavesItsEffect) {
  InSim({.reply_lost = kAlways}, [](Pair& p) {
    EXPECT_EQ(Ask(*p.caller).code(), StatusCode::kUnavailable);
    EXPECT_EQ(p.worker.calls(), 1);
    EXPECT_EQ(p.network.count(Fault::kReplyLost), 1);
  });
}

TEST(FaultNetworkTest, DuplicatesRunTwiceAndAnswerOnce) {
  InSim({.duplicated = kAlways}, [](Pair& p) {
    const Status status = Ask(*p.caller);
    EXPECT_TRUE(status.ok()) << status;
    const Deadline deadline = Deadline::After(10 * kSecond);
    while (p.worker.calls() < 2 && !deadline.expired()) {
      SleepUntil(Deadline::After(kSecond / 10));
    }
    EXPECT_EQ(p.worker.calls(), 2);
  });
}

TEST(FaultNetworkTest, DelaysTakeVirtualTime) {
  int64_t longest = 0;
  InSim({.request_delayed = kAlways, .reply_delayed = kAlways}, [&](Pair& p) {
    const int64_t start = NowNanos();
    EXPECT_TRUE(Ask(*p.caller).ok());
    const int64_t took = NowNanos() - start;
    EXPECT_GT(took, 0);
    EXPECT_LE(took, 2 * kSecond);
    longest = std::max(longest, took);
    EXPECT_EQ(p.network.count(Fault::kRequestDelayed), 1);
    EXPECT_EQ(p.network.count(Fault::kReplyDelayed), 1);
    // The deadline is not delayed.
    const int64_t before = NowNanos();
    static_cast<void>(Ask(*p.caller, Deadline::AfterMillis(10)));
    EXPECT_LE(NowNanos() - before, 10'000'000);
  });
  EXPECT_GT(longest, kSecond / 2);
}

TEST(FaultNetworkTest, OnlyChosenMethods) {
  InSim({.request_lost = kAlways, .methods = {MethodId::kRunGraph}},
        [](Pair& p) { EXPECT_TRUE(Ask(*p.caller).ok()); });
  InSim({.request_lost = kAlways}, [](Pair& p) {
    p.network.set_options({});
    EXPECT_TRUE(Ask(*p.caller).ok());
  });
}

TEST(FaultNetworkTest, ResetBreaksAllCallsOfTheConnection) {
  InSim({}, [](Pair& p) {
    const auto other =
        p.network.Endpoint("other")->Connect(p.listener->address());
    TestCall a(*p.caller, true), b(*p.caller, true), c(*other, true);
    p.worker.AwaitWaiting(3);
    p.network.Reset("worker", "ps");
    for (TestCall* call : {&a, &b}) {
      EXPECT_EQ(call->Wait().code(), StatusCode::kUnavailable);
      EXPECT_THAT(std::string(call->Wait().message()),
                  HasSubstr("connection reset"));
    }
    p.worker.AwaitCancelled(2);
    EXPECT_FALSE(c.done());
    p.worker.Release();
    EXPECT_TRUE(c.Wait().ok());
  });
  InSim({.reset = kAlways}, [](Pair& p) {
    TestCall call(*p.caller, true);
    EXPECT_EQ(call.Wait().code(), StatusCode::kUnavailable);
    EXPECT_EQ(p.network.count(Fault::kReset), 1);
  });
}

TEST(FaultNetworkTest, PartitionIsSilenceThatPasses) {
  InSim({}, [](Pair& p) {
    EXPECT_TRUE(Ask(*p.caller).ok());
    p.network.Partition("ps", "worker", Deadline::After(10 * kSecond));
    const int64_t start = NowNanos();
    EXPECT_EQ(Ask(*p.caller, Deadline::After(kSecond)).code(),
              StatusCode::kDeadlineExceeded);
    EXPECT_EQ(NowNanos() - start, kSecond);
    EXPECT_EQ(p.worker.calls(), 1);
    const auto other =
        p.network.Endpoint("other")->Connect(p.listener->address());
    EXPECT_TRUE(Ask(*other).ok()) << "others are not cut off";
    EXPECT_TRUE(Ask(*p.caller).ok()) << "held, and answered then";
    EXPECT_GE(NowNanos() - start, 10 * kSecond);
  });
}

TEST(FaultNetworkTest, CancellingPassesWhenThePartitionHeals) {
  InSim({}, [](Pair& p) {
    TestCall call(*p.caller, true);
    p.worker.AwaitWaiting(1);
    p.network.Partition("*", p.listener->address());
    call.scope.Cancel(Aborted("enough"));
    EXPECT_EQ(call.Wait(), Aborted("enough"));
    SleepUntil(Deadline::After(100 * kSecond));
    EXPECT_TRUE(p.worker.last_cancelled().ok()) << "the server knows nothing";
    p.network.Heal(p.listener->address(), "*");
    p.worker.AwaitCancelled(1);
  });
}

TEST(FaultNetworkTest, WhatIsHeldIsLostIfTheServerIsStartedAgain) {
  InSim({}, [](Pair& p) {
    p.network.Partition("ps", "worker");
    TestCall call(*p.caller, false);
    SleepUntil(Deadline::After(kSecond));
    const int port = p.listener->port();
    p.listener->Kill();
    p.listener.reset();
    SimProcessScope process(SimWorld::Current()->AddProcess("ps"));
    p.listener = *p.network.Endpoint("ps")->Listen({.port = port},
                                                   {.worker = &p.worker});
    p.network.HealAll();
    EXPECT_EQ(call.Wait().code(), StatusCode::kUnavailable);
    EXPECT_EQ(p.worker.calls(), 0);
    EXPECT_TRUE(Ask(*p.caller).ok());
  });
}

TEST(FaultNetworkTest, HeldReplyArrivesAfterHealing) {
  InSim({}, [](Pair& p) {
    TestCall call(*p.caller, true);
    p.worker.AwaitWaiting(1);
    p.network.Partition("ps", "worker");
    p.network.Partition("ps", "*");
    p.worker.Release();
    SleepUntil(Deadline::After(kSecond));
    EXPECT_FALSE(call.done());
    p.network.Heal("worker", "ps");
    SleepUntil(Deadline::After(kSecond));
    EXPECT_FALSE(call.done()) << "the other partition still holds it";
    p.network.HealAll();
    EXPECT_TRUE(call.Wait().ok());
    EXPECT_EQ(p.network.count(Fault::kHeld), 1);
  });
}

TEST(FaultNetworkTest, SeedsDecide) {
  const auto run = [](uint64_t seed, std::string* report) {
    return SimWorld({.seed = seed})
        .Run([&] {
          Pair p({.request_lost = 100'000,
                  .reply_lost = 100'000,
                  .duplicated = 100'000,
                  .request_delayed = 300'000,
                  .reply_delayed = 300'000,
                  .reset = 50'000});
          for (int i = 0; i < 30; ++i) static_cast<void>(Ask(*p.caller));
          *report = p.network.Report();
          SleepUntil(Deadline::After(10 * kSecond));  // late duplicates
        })
        .hash;
  };
  std::string first, again, other;
  EXPECT_EQ(run(1, &first), run(1, &again));
  EXPECT_EQ(first, again);
  EXPECT_NE(run(2, &other), run(1, &again));
  EXPECT_THAT(first, HasSubstr("calls 30\n"));
  EXPECT_THAT(first, HasSubstr("request_delayed GetStatus"));
}

TEST(FaultNetworkTest, NoChanceOutsideASimulation) {
  FaultNetwork network(std::make_shared<LoopbackNetwork>(),
                       {.request_lost = kAlways - 1});
  SuiteWorker worker("ps");
  const auto endpoint = network.Endpoint("ps");
  const auto listener = *endpoint->Listen({}, {.worker = &worker});
  const auto caller = endpoint->Connect(listener->address());
  EXPECT_TRUE(Ask(*caller).ok());
  network.set_options({.request_lost = kAlways});
  EXPECT_EQ(Ask(*caller).code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace millrace
