#include "millrace/cluster/master/run/master_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "millrace/cluster/testing/master_suite.h"

namespace millrace {
namespace {

TEST(RunStepTest, FeedsAndFetchesTravelInRunGraph) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create(
        {Placeholder("x", ""), Neg("y", "x", "/job:ps/task:0"),
         Neg("z", "x", "/job:worker/task:1"), Neg("w", "y", "")});
    RunStepRequest request = Fetch(handle, {"z:0", "w:0", "y:0"});
    request.feeds.push_back({"x:0", Tensor::Scalar(3.0f)});
    Step step(master, std::move(request));
    FakeWorker::Run ps = master.ps(0).TakeRun();
    FakeWorker::Run worker = master.worker(1).TakeRun();
    FakeWorker::Run own = master.worker(0).TakeRun();
    ASSERT_EQ(ps.request->send.size(), 1u);
    EXPECT_EQ(ps.request->send[0].tensor.scalar<float>(), 3.0f);
    EXPECT_EQ(worker.request->send.size(), 1u);
    EXPECT_EQ(own.request->send.size(), 0u);
    // Keys name the worker's own device at both ends.
    const std::string key = ps.request->recv_key.at(0);
    EXPECT_EQ(key.substr(0, key.find(';')),
              "/job:ps/replica:0/task:0/device:CPU:0");
    EXPECT_EQ(ps.request->step_id, worker.request->step_id);
    EXPECT_GT(ps.request->step_id, 0);
    EXPECT_LT(ps.request->step_id, int64_t{1} << 56);
    const auto answer = [](FakeWorker::Run& run, float value) {
      for (const std::string& name : run.request->recv_key) {
        run.reply->recv.push_back({name, Tensor::Scalar(value)});
      }
      std::move(run.done)(OkStatus());
    };
    answer(ps, 1);
    answer(own, 2);
    answer(worker, 3);
    ASSERT_TRUE(step.Wait().ok());
    ASSERT_EQ(step.reply.tensors.size(), 3u);
    EXPECT_EQ(step.reply.tensors[0].name, "z:0");
    EXPECT_EQ(step.reply.tensors[0].tensor.scalar<float>(), 3);
    EXPECT_EQ(step.reply.tensors[1].tensor.scalar<float>(), 2);
    EXPECT_EQ(step.reply.tensors[2].tensor.scalar<float>(), 1);
    for (FakeWorker* w :
         {&master.ps(0), &master.worker(0), &master.worker(1)}) {
      w->WaitForCall("CleanupGraph");
      EXPECT_EQ(w->Count("RegisterGraph"), 1);
    }
  });
}

TEST(RunStepTest, EachKindOfRunIsRegisteredOnce) {
  Simulate([] {
    Master master;
    master.RunThemselves();
    const std::string handle = *master.Create(
        {Const("a", "/job:ps/task:0"), Neg("b", "a", "/job:ps/task:0")});
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(Step(master, Fetch(handle, {"b:0"})).Wait().ok());
    }
    EXPECT_EQ(master.ps(0).Count("RegisterGraph"), 1);
    EXPECT_EQ(master.worker(0).Count("RegisterGraph"), 0);
    EXPECT_TRUE(Step(master, Fetch(handle, {"a:0"})).Wait().ok());
    EXPECT_EQ(master.ps(0).Count("RegisterGraph"), 2);
    // An extension keeps the prepared runs.
    ASSERT_TRUE(master.Extend(handle, {Const("c", "")}, 0).ok());
    EXPECT_TRUE(Step(master, Fetch(handle, {"b:0"})).Wait().ok());
    EXPECT_EQ(master.ps(0).Count("RegisterGraph"), 2);
    // A failed preparation is not kept.
    EXPECT_EQ(Step(master, Fetch(handle, {"d:0"})).Wait().code(),
              StatusCode::kNotFound);
    ASSERT_TRUE(master.Extend(handle, {Const("d", "")}, 1).ok());
    EXPECT_TRUE(Step(master, Fetch(handle, {"d:0"})).Wait().ok());
  });
}

TEST(RunStepTest, KindsOfRunsThatAreNotAskedForGo) {
  Simulate([] {
    Master master;
    master.RunThemselves();
    constexpr int kNodes = 40;
    std::vector<NodeDef> nodes;
    for (int i = 0; i < kNodes; ++i) {
      nodes.push_back(Const(absl::StrCat("c", i), "/job:ps/task:0"));
    }
    const std::string handle = *master.Create(std::move(nodes));
    const auto run = [&](int a, int b) {
      return Step(master, Fetch(handle, {absl::StrCat("c", a, ":0"),
                                         absl::StrCat("c", b, ":0")}))
          .Wait();
    };
    int runs = 0;
    for (int a = 0; a < kNodes; ++a) {
      for (int b = 0; b < kNodes; ++b, ++runs) {
        ASSERT_TRUE(run(a, b).ok());
        ASSERT_TRUE(run(0, 0).ok());  // always used
      }
    }
    EXPECT_EQ(master.ps(0).Count("RegisterGraph"), runs);
    master.ps(0).WaitForCall("DeregisterGraph");
    EXPECT_EQ(master.ps(0).Count("DeregisterGraph"),
              runs - static_cast<int>(kMaxPreparedRuns));
    // The second one was evicted and is prepared again.
    ASSERT_TRUE(run(0, 1).ok());
    EXPECT_EQ(master.ps(0).Count("RegisterGraph"), runs + 1);
  });
}

TEST(RunStepTest, TheFirstErrorThatDoesNotFollowFromAnotherWins) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create(
        {Const("a", "/job:ps/task:0"), Neg("b", "a", "/job:worker/task:1")});
    Step step(master, Fetch(handle, {"b:0"}));
    FakeWorker::Run ps = master.ps(0).TakeRun();
    FakeWorker::Run worker = master.worker(1).TakeRun();
    worker.reply->status = MarkDerived(Aborted("the sender's step has failed"));
    std::move(worker.done)(OkStatus());
    EXPECT_FALSE(ps.context->cancel->cancelled());
    ps.reply->status = OutOfRange("queue is empty");
    std::move(ps.done)(OkStatus());
    const Status status = step.Wait();
    EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
    EXPECT_EQ(status.message(),
              "From /job:ps/replica:0/task:0:\nqueue is empty");
  });
}

TEST(RunStepTest, AnErrorCancelsTheOtherParts) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create(
        {Const("a", "/job:ps/task:0"), Neg("b", "a", "/job:worker/task:1")});
    Step step(master, Fetch(handle, {"b:0"}));
    FakeWorker::Run ps = master.ps(0).TakeRun();
    const FakeWorker::Run worker = master.worker(1).TakeRun();
    std::move(ps.done)(
        Unavailable("task /job:ps/replica:0/task:0 (ps0:1): connection reset"));
    const Status status = step.Wait();
    EXPECT_EQ(status.code(), StatusCode::kUnavailable);
    EXPECT_EQ(status.message(),
              "task /job:ps/replica:0/task:0 (ps0:1): connection reset");
    master.ps(0).WaitForCall("CleanupGraph");
    master.worker(1).WaitForCall("CleanupGraph");
  });
}

TEST(RunStepTest, ADerivedErrorAloneEndsTheStepAfterAWhile) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create(
        {Const("a", "/job:ps/task:0"), Neg("b", "a", "/job:worker/task:1")});
    Step step(master, Fetch(handle, {"b:0"}));
    const FakeWorker::Run ps = master.ps(0).TakeRun();
    FakeWorker::Run worker = master.worker(1).TakeRun();
    worker.reply->status = MarkDerived(Aborted("the sender's step has failed"));
    std::move(worker.done)(OkStatus());
    EXPECT_EQ(step.Wait().code(), StatusCode::kAborted);
  });
}

TEST(RunStepTest, TimeLimits) {
  Simulate([] {
    Master master;
    ConfigOptions config;
    config.operation_timeout_ms = 2'000;
    const std::string handle =
        *master.Create({Const("a", "/job:ps/task:0")}, config);
    const int64_t start = Millis();
    EXPECT_EQ(Step(master, Fetch(handle, {"a:0"})).Wait().code(),
              StatusCode::kDeadlineExceeded);
    EXPECT_EQ((Millis() - start) / 1000, 2);
    RunStepRequest request = Fetch(handle, {"a:0"});
    request.options.timeout_ms = 500;
    const Status status = Step(master, std::move(request)).Wait();
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
    EXPECT_NE(status.message().find("500 ms"), absl::string_view::npos);
    // The session is still usable.
    master.RunThemselves();
    EXPECT_TRUE(Step(master, Fetch(handle, {"a:0"})).Wait().ok());
  });
}

// The stock client's call has no more time than its step.
TEST(RunStepTest, TheMasterIsTheFirstToSayThatTheTimeIsOver) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create({Const("a", "/job:ps/task:0")});
    for (const auto& [timeout_ms, earlier_ms] :
         {std::pair(10, 1), std::pair(100, 5), std::pair(5'000, 20)}) {
      RunStepRequest request = Fetch(handle, {"a:0"});
      request.options.timeout_ms = timeout_ms;
      RunStepReply reply;
      const int64_t start = Millis();
      const Status status = master.Call(&MasterApi::RunStep, request, &reply,
                                        Deadline::AfterMillis(timeout_ms));
      EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
      EXPECT_EQ(status.message(),
                absl::StrCat("The step took longer than its timeout of ",
                             timeout_ms, " ms"));
      EXPECT_EQ(Millis() - start, timeout_ms - earlier_ms);
    }
  });
}

TEST(RunStepTest, LimitsOfAnyLength) {
  Simulate([] {
    const int64_t now = Deadline::AfterMillis(0).nanos();
    const auto limit = [](int64_t timeout_ms, Deadline client) {
      RunOptions options;
      options.timeout_ms = timeout_ms;
      return LimitOf(options, ConfigOptions(), client);
    };
    const int64_t longest = std::numeric_limits<int64_t>::max();
    for (const int64_t timeout_ms : {longest, longest / 1'000'000 - 1}) {
      EXPECT_GT(limit(timeout_ms, Deadline::Infinite()).calls.nanos(), now);
      EXPECT_GT(limit(timeout_ms, Deadline::At(longest - 1)).calls.nanos(),
                now);
    }
    EXPECT_TRUE(limit(0, Deadline::AfterMillis(5)).step.infinite());
    // A client that waits for less time ends its call, and the step does not
    // say that its own time were over.
    const StepLimit early = limit(20'000, Deadline::AfterMillis(5));
    EXPECT_EQ(early.step.nanos() - now, 20'000'000'000);
    EXPECT_EQ(early.calls.nanos() - now, 5'000'000);
  });
}

TEST(RunStepTest, TheClientsCancelEndsTheStep) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create({Const("a", "/job:ps/task:0")});
    Step step(master, Fetch(handle, {"a:0"}));
    const FakeWorker::Run run = master.ps(0).TakeRun();
    step.cancel.Cancel(Cancelled("the client has gone"));
    const Status status = step.Wait();
    EXPECT_EQ(status.code(), StatusCode::kCancelled);
    EXPECT_EQ(status.message(), "the client has gone");
    master.ps(0).WaitForCall("CleanupGraph");
    EXPECT_EQ(master.service->counts().running_steps, 0);
  });
}

TEST(RunStepTest, ARequestRunsOnce) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create({Const("a", "/job:ps/task:0")});
    RunStepRequest request = Fetch(handle, {"a:0"});
    request.request_id = -12345;
    Step first(master, request);
    FakeWorker::Run run = master.ps(0).TakeRun();
    Step second(master, request);
    run.reply->recv.push_back({run.request->recv_key[0], Tensor::Scalar(9.0f)});
    std::move(run.done)(OkStatus());
    ASSERT_TRUE(first.Wait().ok());
    ASSERT_TRUE(second.Wait().ok());
    EXPECT_EQ(second.reply.tensors[0].tensor.scalar<float>(), 9.0f);
    EXPECT_EQ(Step(master, request).Wait().code(), StatusCode::kAborted);
    EXPECT_EQ(master.ps(0).Count("RunGraph"), 1);
  });
}

TEST(RunStepTest, ARequestOfOtherFetchesIsAnotherOne) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create({Const("a", "/job:ps/task:0")});
    RunStepRequest request = Fetch(handle, {"a:0"});
    request.request_id = 7;
    Step first(master, request);
    FakeWorker::Run run = master.ps(0).TakeRun();
    request.fetches.clear();
    request.targets = {"a"};
    EXPECT_EQ(Step(master, request).Wait().code(),
              StatusCode::kInvalidArgument);
    run.reply->recv.push_back({run.request->recv_key[0], Tensor::Scalar(9.0f)});
    std::move(run.done)(OkStatus());
    EXPECT_TRUE(first.Wait().ok());
  });
}

TEST(RunStepTest, Callables) {
  Simulate([] {
    Master master;
    master.RunThemselves();
    const std::string handle =
        *master.Create({Placeholder("x", ""), Neg("y", "x", "/job:ps/task:0")});
    MakeCallableRequest make;
    make.session_handle = handle;
    make.options.feeds = {"x:0"};
    make.options.fetches = {"x:0", "y:0"};
    MakeCallableReply made;
    EXPECT_EQ(master.Call(&MasterApi::MakeCallable, make, &made).code(),
              StatusCode::kInvalidArgument);  // both fed and fetched
    make.options.fetches = {"y:0"};
    ASSERT_TRUE(master.Call(&MasterApi::MakeCallable, make, &made).ok());
    RunCallableRequest run;
    run.session_handle = handle;
    run.handle = made.handle;
    run.feeds = {Tensor::Scalar(5.0f)};
    RunCallableReply ran;
    ASSERT_TRUE(master.Call(&MasterApi::RunCallable, run, &ran).ok());
    EXPECT_EQ(ran.fetches.size(), 1u);
    run.feeds = {Tensor::Scalar(5)};
    EXPECT_EQ(master.Call(&MasterApi::RunCallable, run, &ran).code(),
              StatusCode::kInvalidArgument);
    // Not UNAVAILABLE as the status of an RPC: the client would retry it.
    run.feeds = {Tensor::Scalar(5.0f)};
    master.ps(0).errors["RunGraph"] = Unavailable("gone");
    EXPECT_EQ(master.Call(&MasterApi::RunCallable, run, &ran).code(),
              StatusCode::kAborted);
    ReleaseCallableReply released;
    EXPECT_TRUE(
        master
            .Call(&MasterApi::ReleaseCallable, {handle, made.handle}, &released)
            .ok());
    EXPECT_EQ(master.Call(&MasterApi::RunCallable, run, &ran).code(),
              StatusCode::kInvalidArgument);
    // An input that is fed by another tensor.
    make.options = {};
    make.options.fetches = {"y:0"};
    make.options.tensor_connections = {{"other:0", "x:0"}};
    EXPECT_EQ(master.Call(&MasterApi::MakeCallable, make, &made).code(),
              StatusCode::kNotFound);
    ASSERT_TRUE(master.Extend(handle, {Const("other", "")}, 0).ok());
    EXPECT_TRUE(master.Call(&MasterApi::MakeCallable, make, &made).ok());
  });
}

TEST(RunStepTest, NarrowTransfers) {
  Simulate([] {
    Master master;
    ConfigOptions config;
    config.graph_options.enable_bfloat16_sendrecv = true;
    const std::string handle = *master.Create(
        {Placeholder("x", ""), Neg("y", "x", "/job:ps/task:0")}, config);
    RunStepRequest request = Fetch(handle, {"y:0"});
    request.feeds.push_back({"x:0", Tensor::Scalar(1.2345678f)});
    Step step(master, std::move(request));
    FakeWorker::Run run = master.ps(0).TakeRun();
    const Tensor& fed = run.request->send.at(0).tensor;
    ASSERT_EQ(fed.dtype(), DataType::kBfloat16);
    EXPECT_EQ(static_cast<float>(fed.scalar<Bfloat16>()), 1.234375f);
    run.reply->recv.push_back({run.request->recv_key.at(0), fed});
    std::move(run.done)(OkStatus());
    ASSERT_TRUE(step.Wait().ok());
    EXPECT_EQ(step.reply.tensors[0].tensor.scalar<float>(), 1.234375f);
    int casts = 0;
    const auto graphs = master.ps(0).graphs();
    for (const NodeDef& node : graphs.at(0).graph_def.nodes) {
      casts += node.op == "Cast";
    }
    EXPECT_EQ(casts, 2);
  });
}

TEST(RunStepTest, AnErrorOfRegistrationNamesTheTask) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create(
        {Const("a", "/job:ps/task:0"), Neg("b", "a", "/job:worker/task:1")});
    master.ps(0).errors["RegisterGraph"] = InvalidArgument("no such kernel");
    const Status status = Step(master, Fetch(handle, {"b:0"})).Wait();
    EXPECT_EQ(status.message(),
              "From /job:ps/replica:0/task:0:\nno such kernel");
    master.worker(1).WaitForCall("DeregisterGraph");
  });
}

}  // namespace
}  // namespace millrace
