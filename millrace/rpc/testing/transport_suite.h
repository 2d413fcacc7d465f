// The contract of every transport, as tests. A file x_test.cc includes this
// header and instantiates TransportSuite with its cases; one file per test
// program.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "millrace/base/sim/sim.h"
#include "millrace/rpc/testing/transport_calls_suite.h"
#include "millrace/rpc/transport.h"

namespace millrace {

struct TransportCase {
  std::string name;
  std::function<std::shared_ptr<Transport>()> make;
  // If above 0, every test runs in this many simulated worlds.
  int seeds = 0;
  int64_t big_bytes = 32 << 20;
};

inline void PrintTo(const TransportCase& c, std::ostream* out) {
  *out << c.name;
}

class TransportSuite : public ::testing::TestWithParam<TransportCase> {
 protected:
  void Run(const std::function<void(std::shared_ptr<Transport>)>& body) {
    const TransportCase& c = GetParam();
    if (c.seeds == 0) {
      body(c.make());
      return;
    }
    for (int seed = 1; seed <= c.seeds && !HasFailure(); ++seed) {
      const SimResult r =
          SimWorld({.seed = static_cast<uint64_t>(seed)}).Run([&] {
            body(c.make());
          });
      EXPECT_TRUE(r.status.ok()) << r.Report();
    }
  }
};

TEST_P(TransportSuite, AnswersWithWhatWasAskedOnControlLanes) {
  Run([](std::shared_ptr<Transport> t) {
    SuiteServer server(*t, "one");
    const auto caller = t->Connect(server.address());
    EXPECT_EQ(*AskLabel(*caller), "one");
    SuiteCall call(*caller, "bytes:100", Deadline::AfterMillis(60'000));
    ASSERT_TRUE(call.Wait().ok()) << call.Wait();
    EXPECT_TRUE(call.on_control());
    EXPECT_TRUE(server.worker.always_on_control());
    EXPECT_EQ(call.reply.tensor.num_elements(), 100);
    const CallContext seen = server.worker.last();
    EXPECT_EQ(seen.request_id, 77);
    EXPECT_FALSE(seen.peer().empty());
    EXPECT_FALSE(seen.deadline.infinite());
    EXPECT_LE(seen.deadline.remaining_millis(), 60'500);
    EXPECT_EQ(*AskLabel(*caller), "one");
    EXPECT_TRUE(server.worker.last().deadline.infinite());
  });
}

TEST_P(TransportSuite, BigPayloadsBothWays) {
  Run([](std::shared_ptr<Transport> t) {
    SuiteServer server(*t, "one");
    const auto caller = t->Connect(server.address());
    for (const int64_t size :
         {int64_t{0}, int64_t{1}, int64_t{4096}, GetParam().big_bytes}) {
      SuiteCall call(*caller, absl::StrCat("bytes:", size));
      ASSERT_TRUE(call.Wait().ok()) << call.Wait();
      ASSERT_EQ(call.reply.tensor.num_elements(), size);
      const char* data = call.reply.tensor.data();
      int64_t wrong = 0;
      for (int64_t i = 0; i < size; ++i) {
        wrong += data[i] != SuiteWorker::SuiteByte(i);
      }
      EXPECT_EQ(wrong, 0);

      RunGraphRequest request;
      request.send.push_back({"a", call.reply.tensor});
      request.send.push_back({"b", Tensor::Scalar<float>(3)});
      RunGraphReply reply;
      CallContext context;
      Notification done;
      MakeWorkerStub(caller.get())
          ->RunGraph(context, request, &reply, [&](Status s) {
            EXPECT_TRUE(s.ok()) << s;
            done.Notify();
          });
      done.Wait();
      ASSERT_EQ(reply.recv.size(), 2u);
      EXPECT_TRUE(
          IdenticalTensors(reply.recv[0].tensor, request.send[0].tensor));
      EXPECT_EQ(reply.recv[1].tensor.scalar<float>(), 3);
    }
  });
}

TEST_P(TransportSuite, DeadlineEndsBothSides) {
  Run([](std::shared_ptr<Transport> t) {
    SuiteServer server(*t, "one");
    const auto caller = t->Connect(server.address());
    SuiteCall call(*caller, "wait", Deadline::AfterMillis(100));
    EXPECT_EQ(call.Wait().code(), StatusCode::kDeadlineExceeded);
    EXPECT_THAT(std::string(call.Wait().message()),
                ::testing::HasSubstr("RecvTensor"));
    // The call may have been late to reach the handler, in which case nothing
    // waits there; a second one that is in time shows the other case.
    SuiteCall second(*caller, "wait", Deadline::AfterMillis(1000));
    server.worker.AwaitCancelled(1);
    EXPECT_EQ(server.worker.last_cancelled().code(),
              StatusCode::kDeadlineExceeded);
    EXPECT_EQ(second.Wait().code(), StatusCode::kDeadlineExceeded);
    SuiteCall late(*caller, "bytes:1", Deadline::AfterMillis(-1));
    EXPECT_EQ(late.Wait().code(), StatusCode::kDeadlineExceeded);
  });
}

TEST_P(TransportSuite, CancellingEndsBothSides) {
  Run([](std::shared_ptr<Transport> t) {
    SuiteServer server(*t, "one");
    const auto caller = t->Connect(server.address());
    SuiteCall call(*caller, "wait");
    server.worker.AwaitWaiting(1);
    EXPECT_FALSE(call.done());
    call.scope.Cancel(Aborted("another node failed"));
    EXPECT_EQ(call.Wait(), Aborted("another node failed"));
    EXPECT_TRUE(call.on_control());
    server.worker.AwaitCancelled(1);
    EXPECT_EQ(server.worker.last_cancelled().code(), StatusCode::kCancelled);
  });
}

TEST_P(TransportSuite, CancelledBeforeItIsSent) {
  Run([](std::shared_ptr<Transport> t) {
    SuiteServer server(*t, "one");
    const auto caller = t->Connect(server.address());
    CancelScope scope;
    scope.Cancel(Aborted("over"));
    CallContext context;
    context.cancel = &scope;
    GetStatusReply reply;
    Status status;
    Notification done;
    MakeWorkerStub(caller.get())->GetStatus(context, {}, &reply, [&](Status s) {
      status = std::move(s);
      done.Notify();
    });
    done.Wait();
    EXPECT_EQ(status, Aborted("over"));
  });
}

TEST_P(TransportSuite, KilledServerBreaksOpenCalls) {
  Run([](std::shared_ptr<Transport> t) {
    SuiteServer server(*t, "one");
    const auto caller = t->Connect(server.address());
    SuiteCall a(*caller, "wait");
    SuiteCall b(*caller, "wait");
    server.worker.AwaitWaiting(2);
    server.listener->Kill();
    for (SuiteCall* call : {&a, &b}) {
      EXPECT_EQ(call->Wait().code(), StatusCode::kUnavailable);
      EXPECT_THAT(std::string(call->Wait().message()),
                  ::testing::AllOf(::testing::HasSubstr("connection reset"),
                                   ::testing::HasSubstr(server.address())));
    }
    server.worker.AwaitCancelled(2);
  });
}

TEST_P(TransportSuite, RestartedServerIsFoundAtItsAddress) {
  Run([](std::shared_ptr<Transport> t) {
    auto server = std::make_unique<SuiteServer>(*t, "one");
    const int port = server->listener->port();
    const auto caller = t->Connect(server->address());
    EXPECT_EQ(*AskLabel(*caller), "one");
    server->listener->Kill();
    server.reset();
    const StatusOr<std::string> down = AskLabel(*caller);
    EXPECT_EQ(down.status().code(), StatusCode::kUnavailable);
    SuiteServer again(*t, "two", port);
    const Deadline deadline = Deadline::AfterMillis(10'000);
    StatusOr<std::string> label;
    do {
      Notification pause;
      pause.WaitUntil(Deadline::AfterMillis(20));
      label = AskLabel(*caller);
    } while (!label.ok() && !deadline.expired());
    ASSERT_TRUE(label.ok()) << label.status();
    EXPECT_EQ(*label, "two");
  });
}

TEST_P(TransportSuite, NobodyAtTheAddressIsAnErrorAtOnce) {
  Run([](std::shared_ptr<Transport> t) {
    std::string address;
    {
      SuiteServer server(*t, "one");
      address = server.address();
    }
    const auto caller = t->Connect(address);
    for (int i = 0; i < 3; ++i) {
      const Status status = AskLabel(*caller).status();
      EXPECT_EQ(status.code(), StatusCode::kUnavailable);
      EXPECT_THAT(
          std::string(status.message()),
          ::testing::HasSubstr(absl::StrCat("cannot connect to ", address)));
    }
  });
}

TEST_P(TransportSuite, UnknownMethodsAndAbsentServices) {
  Run([](std::shared_ptr<Transport> t) {
    SuiteServer server(*t, "one");
    const auto caller = t->Connect(server.address());
    Method unknown = GetMethod(MethodId::kGetStatus);
    unknown.id = static_cast<MethodId>(200);
    unknown.path = "/tensorflow.WorkerService/NoSuchMethod";
    for (const Method& method : {unknown, GetMethod(MethodId::kHello)}) {
      CallContext context;
      ByteChunks reply;
      Status status;
      Notification done;
      caller->Call(method, context, ByteChunks(), &reply, [&](Status s) {
        status = std::move(s);
        done.Notify();
      });
      done.Wait();
      EXPECT_EQ(status.code(), StatusCode::kUnimplemented) << status;
    }
    EXPECT_EQ(*AskLabel(*caller), "one");
  });
}

TEST_P(TransportSuite, StatusesOfHandlers) {
  Run([](std::shared_ptr<Transport> t) {
    SuiteServer server(*t, "one");
    const auto caller = t->Connect(server.address());
    SuiteCall error(*caller, "error");
    EXPECT_EQ(error.Wait(),
              MarkDerived(Aborted("the step has failed: \xc3\xa4")));
    EXPECT_TRUE(IsDerived(error.Wait()));
    SuiteCall unavailable(*caller, "unavailable");
    EXPECT_EQ(unavailable.Wait(), Unavailable("a peer of mine is gone"));
    SuiteCall overlong(*caller, "long");
    EXPECT_EQ(overlong.Wait().code(), StatusCode::kInternal);
    EXPECT_LE(overlong.Wait().message().size(), kMaxRpcMessageBytes);
    EXPECT_GT(overlong.Wait().message().size(), 1000u);

    RunStepReply reply;
    CallContext context;
    Status status;
    Notification done;
    MakeMasterStub(caller.get())->RunStep(context, {}, &reply, [&](Status s) {
      status = std::move(s);
      done.Notify();
    });
    done.Wait();
    EXPECT_EQ(status, Aborted("a worker is gone"));
  });
}

TEST_P(TransportSuite, ManyCallsAtOnce) {
  Run([](std::shared_ptr<Transport> t) {
    SuiteServer server(*t, "one");
    const auto caller = t->Connect(server.address());
    const int n = GetParam().seeds > 0 ? 50 : 1000;
    std::vector<std::unique_ptr<SuiteCall>> calls;
    for (int i = 0; i < n; ++i) {
      calls.push_back(std::make_unique<SuiteCall>(
          *caller, i % 10 == 0 ? "wait" : absl::StrCat("bytes:", i * 10)));
    }
    server.worker.AwaitWaiting(n / 10);
    server.worker.Release();
    for (int i = 0; i < n; ++i) {
      EXPECT_TRUE(calls[i]->Wait().ok()) << calls[i]->Wait();
      if (i % 10 != 0) {
        EXPECT_EQ(calls[i]->reply.tensor.num_elements(), i * 10);
      }
    }
    EXPECT_EQ(server.worker.calls(), n);
  });
}

TEST_P(TransportSuite, ShutdownLetsCallsEnd) {
  Run([](std::shared_ptr<Transport> t) {
    SuiteServer server(*t, "one");
    const auto caller = t->Connect(server.address());
    SuiteCall call(*caller, "wait");
    server.worker.AwaitWaiting(1);
    Notification down;
    Thread shutdown("shutdown", [&] {
      server.listener->Shutdown(Deadline::AfterMillis(3600'000));
      down.Notify();
    });
    StatusOr<std::string> label;
    do {
      label = AskLabel(*caller);  // until the door is closed
    } while (label.ok());
    EXPECT_EQ(label.status().code(), StatusCode::kUnavailable);
    EXPECT_FALSE(down.HasBeenNotified());
    server.worker.Release();
    EXPECT_TRUE(call.Wait().ok()) << call.Wait();
    down.Wait();
    shutdown.Join();
  });
}

TEST_P(TransportSuite, ShutdownCancelsAtItsDeadlineAndAnswers) {
  Run([](std::shared_ptr<Transport> t) {
    SuiteServer server(*t, "one");
    const auto caller = t->Connect(server.address());
    SuiteCall call(*caller, "wait");
    server.worker.AwaitWaiting(1);
    server.listener->Shutdown(Deadline::AfterMillis(50));
    // These are the handler's own words, so the call was answered and not cut
    // off.
    EXPECT_EQ(call.Wait().code(), StatusCode::kUnavailable);
    EXPECT_THAT(std::string(call.Wait().message()),
                ::testing::HasSubstr("is shutting down"));
    server.worker.AwaitCancelled(1);
    EXPECT_EQ(AskLabel(*caller).status().code(), StatusCode::kUnavailable);
  });
}

TEST_P(TransportSuite, TakenPortIsAnError) {
  Run([](std::shared_ptr<Transport> t) {
    SuiteServer server(*t, "one");
    const auto second =
        t->Listen({.port = server.listener->port()}, Services{});
    EXPECT_EQ(second.status().code(), StatusCode::kUnavailable);
    EXPECT_THAT(std::string(second.status().message()),
                ::testing::AllOf(::testing::HasSubstr("address already in use"),
                                 ::testing::HasSubstr(
                                     absl::StrCat(server.listener->port()))));
  });
}

TEST_P(TransportSuite, CallersOutliveTheirTransport) {
  Run([](std::shared_ptr<Transport> t) {
    SuiteServer server(*t, "one");
    const auto caller = t->Connect(server.address());
    t.reset();
    EXPECT_EQ(*AskLabel(*caller), "one");
  });
}

}  // namespace millrace
