#include "millrace/cluster/master/master_service.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "millrace/base/sim.h"
#include "millrace/cluster/master/fake_workers.h"
#include "millrace/graph/all_ops.h"
#include "millrace/kernel/all_kernels.h"

namespace millrace {
namespace {

const OpRegistry& Ops() {
  static const OpRegistry* const ops =
      OpRegistry::Build(AllOps()).value().release();
  return *ops;
}
const KernelTable& Kernels() {
  static const KernelTable* const kernels =
      new KernelTable(KernelTable::Build(AllCpuKernels()).value());
  return *kernels;
}

NodeDef Node(std::string name, std::string op, std::vector<std::string> inputs,
             AttrMap attrs, std::string device) {
  return {std::move(name), std::move(op), std::move(inputs), std::move(device),
          std::move(attrs)};
}
NodeDef Const(std::string name, std::string device) {
  return Node(std::move(name), "Const", {},
              {{"dtype", DataType::kFloat}, {"value", Tensor::Scalar(1.0f)}},
              std::move(device));
}
NodeDef Placeholder(std::string name, std::string device) {
  return Node(std::move(name), "Placeholder", {},
              {{"dtype", DataType::kFloat}, {"shape", PartialShape({})}},
              std::move(device));
}
NodeDef Neg(std::string name, std::string input, std::string device) {
  return Node(std::move(name), "Neg", {std::move(input)},
              {{"T", DataType::kFloat}}, std::move(device));
}

// The master of worker 0 in a cluster of two ps and two workers; the test plays
// the workers. In virtual time.
class Master {
 public:
  explicit Master(MasterOptions options = {})
      : peers("ps=ps0:1,ps1:1;worker=worker0:1,worker1:1", {"worker", 0}) {
    options.self = {"worker", 0};
    options.incarnation = 77;
    options.peers = &peers;
    options.worker = &peers.at("worker", 0).worker();
    options.ops = &Ops();
    options.kernels = &Kernels();
    service = MasterService::Make(std::move(options));
  }

  // Calls and waits.
  template <class Request, class Reply>
  Status Call(void (MasterApi::*method)(CallContext&, const Request&, Reply*,
                                        Done),
              const Request& request, Reply* reply,
              Deadline deadline = Deadline::Infinite()) {
    CallContext context;
    context.deadline = deadline;
    Status status;
    Notification answered;
    (*service.*method)(context, request, reply, Done([&](Status s) {
                         status = std::move(s);
                         answered.Notify();
                       }));
    answered.Wait();
    return status;
  }
  StatusOr<std::string> Create(std::vector<NodeDef> nodes,
                               ConfigOptions config = {},
                               Deadline deadline = Deadline::Infinite()) {
    CreateSessionRequest request;
    request.graph_def.nodes = std::move(nodes);
    request.config = std::move(config);
    request.target = "grpc://worker0:1";
    CreateSessionReply reply;
    MR_RETURN_IF_ERROR(
        Call(&MasterApi::CreateSession, request, &reply, deadline));
    EXPECT_EQ(reply.graph_version, 0);
    return reply.session_handle;
  }
  StatusOr<int64_t> Extend(const std::string& handle,
                           std::vector<NodeDef> nodes, int64_t version) {
    ExtendSessionRequest request;
    request.session_handle = handle;
    request.graph_def.nodes = std::move(nodes);
    request.current_graph_version = version;
    ExtendSessionReply reply;
    MR_RETURN_IF_ERROR(Call(&MasterApi::ExtendSession, request, &reply));
    return reply.new_graph_version;
  }
  void RunThemselves() {
    for (const Ref<Peer>& peer : peers.All()) {
      static_cast<FakePeer&>(*peer).fake.runs_itself = true;
    }
  }
  FakeWorker& ps(int i) { return peers.at("ps", i).fake; }
  FakeWorker& worker(int i) { return peers.at("worker", i).fake; }

  FakePeers peers;
  std::unique_ptr<MasterService> service;
};

// A RunStep that goes on while the test does other things.
class Step {
 public:
  Step(Master& master, RunStepRequest r) : request(std::move(r)) {
    request.store_errors_in_response_body = true;
    context.cancel = &cancel;
    master.service->RunStep(context, request, &reply, Done([this](Status s) {
                              rpc_status = std::move(s);
                              answered.Notify();
                            }));
  }
  // The step's status, which is in the body.
  Status Wait() {
    answered.Wait();
    EXPECT_TRUE(rpc_status.ok()) << rpc_status;
    return rpc_status.ok() ? reply.status : rpc_status;
  }
  RunStepRequest request;
  RunStepReply reply;
  CancelScope cancel;
  CallContext context;
  Status rpc_status;
  Notification answered;
};

RunStepRequest Fetch(std::string handle, std::vector<std::string> fetches) {
  RunStepRequest request;
  request.session_handle = std::move(handle);
  request.fetches = std::move(fetches);
  return request;
}

void Simulate(absl::AnyInvocable<void()> body) {
  Ops();
  Kernels();
  const SimResult result = SimWorld({.seed = 5}).Run(std::move(body));
  EXPECT_TRUE(result.status.ok()) << result.Report();
}

int64_t Millis() { return NowNanos() / 1'000'000; }

TEST(MasterServiceTest, WaitsOnlyForTasksThatTheGraphNames) {
  Simulate([] {
    Master master;
    master.peers.at("ps", 1).SetUp(false);
    master.peers.at("worker", 1).SetUp(false);
    const int64_t start = Millis();
    const auto handle =
        master.Create({Const("a", "/job:ps/task:0"), Const("b", "")});
    ASSERT_TRUE(handle.ok()) << handle.status();
    EXPECT_EQ(handle->size(), 16u);
    EXPECT_LT(Millis() - start, 100);
    EXPECT_EQ(master.ps(0).Count("CreateWorkerSession"), 1);
    EXPECT_EQ(master.worker(0).Count("CreateWorkerSession"), 1);
    EXPECT_EQ(master.ps(1).Count("CreateWorkerSession"), 0);
    const CreateWorkerSessionRequest request = master.ps(0).sessions().at(0);
    EXPECT_EQ(request.session_handle, *handle);
    EXPECT_EQ(request.server_def.job_name, "ps");
    EXPECT_EQ(request.master_task, "/job:worker/replica:0/task:0");
    EXPECT_EQ(request.master_incarnation, 77);
    EXPECT_FALSE(request.isolate_session_state);
  });
}

TEST(MasterServiceTest, SaysForWhomItWaited) {
  Simulate([] {
    MasterOptions options;
    options.session_wait_ms = 60'000;
    Master master(std::move(options));
    master.peers.at("ps", 1).SetUp(false);
    const int64_t start = Millis();
    const Status status =
        master.Create({Const("a", "/job:ps/task:1")}).status();
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
    EXPECT_NE(status.message().find("/job:ps/replica:0/task:1 (ps1:1)"),
              absl::string_view::npos)
        << status;
    EXPECT_EQ((Millis() - start) / 1000, 60);
    EXPECT_EQ(master.service->counts().sessions, 0);
  });
}

TEST(MasterServiceTest, AnswersBeforeTheClientsDeadline) {
  Simulate([] {
    Master master;
    master.peers.at("ps", 1).SetUp(false);
    const Deadline deadline = Deadline::AfterMillis(2000);
    const Status status =
        master.Create({Const("a", "/job:ps/task:1")}, {}, deadline).status();
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
    EXPECT_FALSE(deadline.expired());
  });
}

TEST(MasterServiceTest, ATaskThatIsGoneEndsTheWaitWithinFiveSeconds) {
  Simulate([] {
    Master master;
    ASSERT_TRUE(master.Create({Const("a", "/job:ps/task:1")}).ok());
    master.peers.at("ps", 1).SetUp(false);
    const int64_t start = Millis();
    const Status status =
        master.Create({Const("a", "/job:ps/task:1")}).status();
    EXPECT_EQ(status.code(), StatusCode::kAborted) << status;
    EXPECT_NE(status.message().find("/job:ps/replica:0/task:1"),
              absl::string_view::npos);
    EXPECT_EQ((Millis() - start) / 1000, 4);
  });
}

TEST(MasterServiceTest, ATaskThatComesBackIsTaken) {
  Simulate([] {
    Master master;
    master.peers.at("ps", 1).SetUp(false);
    master.peers.at("ps", 0).SetUp(false);
    const Status status = master
                              .Create({Const("a", "/job:ps/task:1"),
                                       Const("b", "/job:ps/task:0")},
                                      {}, Deadline::AfterMillis(1000))
                              .status();
    // Both are named.
    EXPECT_NE(status.message().find("ps0:1"), absl::string_view::npos)
        << status;
    EXPECT_NE(status.message().find("ps1:1"), absl::string_view::npos)
        << status;
    master.peers.at("ps", 1).SetUp(true);
    EXPECT_TRUE(master.Create({Const("a", "/job:ps/task:1")}).ok());
  });
}

TEST(MasterServiceTest, DeviceFiltersHideTasks) {
  Simulate([] {
    Master master;
    ConfigOptions config;
    config.device_filters = {"/job:ps/task:1"};
    EXPECT_TRUE(master.Create({Const("a", "/job:ps")}, config).ok());
    EXPECT_EQ(master.ps(0).Count("CreateWorkerSession"), 0);
    EXPECT_EQ(master.ps(1).Count("CreateWorkerSession"), 1);
    const Status status =
        master.Create({Const("a", "/job:ps/task:0")}, config).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
    config.device_filters = {"/jib:ps"};
    EXPECT_EQ(master.Create({}, config).status().code(),
              StatusCode::kInvalidArgument);
  });
}

TEST(MasterServiceTest, VersionsCountUpWithExtensions) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create({Const("a", "")});
    EXPECT_EQ(*master.Extend(handle, {Neg("b", "a", "/job:ps/task:0")}, 0), 1);
    EXPECT_EQ(master.ps(0).Count("CreateWorkerSession"), 1);
    EXPECT_EQ(*master.Extend(handle, {Neg("c", "b", "/job:ps/task:0")}, 1), 2);
    EXPECT_EQ(master.ps(0).Count("CreateWorkerSession"), 1);
    EXPECT_EQ(master.Extend(handle, {Neg("d", "c", "")}, 1).status().code(),
              StatusCode::kAborted);
    // What fails changes nothing.
    EXPECT_EQ(
        master.Extend(handle, {Neg("d", "nowhere", "")}, 2).status().code(),
        StatusCode::kInvalidArgument);
    EXPECT_EQ(*master.Extend(handle, {Neg("d", "c", "")}, 2), 3);
  });
}

TEST(MasterServiceTest, FeedsAndFetchesTravelInRunGraph) {
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

TEST(MasterServiceTest, EachKindOfRunIsRegisteredOnce) {
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
    // An extension keeps what there is.
    ASSERT_TRUE(master.Extend(handle, {Const("c", "")}, 0).ok());
    EXPECT_TRUE(Step(master, Fetch(handle, {"b:0"})).Wait().ok());
    EXPECT_EQ(master.ps(0).Count("RegisterGraph"), 2);
    // An error is not kept.
    EXPECT_EQ(Step(master, Fetch(handle, {"d:0"})).Wait().code(),
              StatusCode::kNotFound);
    ASSERT_TRUE(master.Extend(handle, {Const("d", "")}, 1).ok());
    EXPECT_TRUE(Step(master, Fetch(handle, {"d:0"})).Wait().ok());
  });
}

TEST(MasterServiceTest, TheFirstErrorThatDoesNotFollowFromAnotherWins) {
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

TEST(MasterServiceTest, AnErrorCancelsTheOtherParts) {
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

TEST(MasterServiceTest, ADerivedErrorAloneEndsTheStepAfterAWhile) {
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

TEST(MasterServiceTest, TimeLimits) {
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
    // The session goes on.
    master.RunThemselves();
    EXPECT_TRUE(Step(master, Fetch(handle, {"a:0"})).Wait().ok());
  });
}

TEST(MasterServiceTest, TheClientsCancelEndsTheStep) {
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

TEST(MasterServiceTest, ARequestRunsOnce) {
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

TEST(MasterServiceTest, CloseEndsStepsAndWorkerSessions) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create({Const("a", "/job:ps/task:0")});
    Step step(master, Fetch(handle, {"a:0"}));
    const FakeWorker::Run run = master.ps(0).TakeRun();
    CloseSessionReply reply;
    EXPECT_TRUE(master.Call(&MasterApi::CloseSession, {handle}, &reply).ok());
    EXPECT_EQ(step.Wait().code(), StatusCode::kCancelled);
    EXPECT_EQ(master.ps(0).Count("DeleteWorkerSession"), 1);
    EXPECT_EQ(master.worker(0).Count("DeleteWorkerSession"), 1);
    const Status again =
        master.Call(&MasterApi::CloseSession, {handle}, &reply);
    EXPECT_EQ(again.code(), StatusCode::kAborted);
    EXPECT_EQ(again.message(),
              absl::StrCat("Session ", handle,
                           " is not found. Possibly task /job:worker/replica:0"
                           "/task:0 (worker0:1) was restarted."));
    EXPECT_EQ(master.service->counts().sessions, 0);
  });
}

// The request may have arrived all the same.
TEST(MasterServiceTest, ASessionThatCouldNotBeMadeIsDeletedEverywhere) {
  Simulate([] {
    Master master;
    master.ps(0).errors["CreateWorkerSession"] =
        DeadlineExceeded("no answer in 5 s");
    EXPECT_FALSE(master.Create({Const("a", "/job:ps/task:0")}).ok());
    EXPECT_EQ(master.ps(0).Count("DeleteWorkerSession"), 1);
    EXPECT_EQ(master.worker(0).Count("DeleteWorkerSession"), 1);
    EXPECT_EQ(master.service->counts().sessions, 0);
  });
}

TEST(MasterServiceTest, ResetClosesSessionsAndCleansAllTasks) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create({Const("a", "/job:ps/task:0")});
    ResetReply reply;
    EXPECT_TRUE(master.Call(&MasterApi::Reset, {{"box"}, {}}, &reply).ok());
    for (const Ref<Peer>& peer : master.peers.All()) {
      EXPECT_EQ(static_cast<FakePeer&>(*peer).fake.Count("CleanupAll"), 1);
    }
    EXPECT_EQ(master.Extend(handle, {}, 0).status().code(),
              StatusCode::kAborted);
    // A task that was known and is gone might have kept its containers.
    master.ps(0).errors["CleanupAll"] = Unavailable("connection refused");
    const Status lost = master.Call(&MasterApi::Reset, {{}, {}}, &reply);
    EXPECT_EQ(lost.code(), StatusCode::kAborted);
    EXPECT_NE(lost.message().find("ps0:1"), absl::string_view::npos);
    // One that was never there has none.
    master.ps(0).errors.clear();
    master.ps(1).errors["CleanupAll"] = Unavailable("connection refused");
    EXPECT_TRUE(master.Call(&MasterApi::Reset, {{}, {}}, &reply).ok());
  });
}

TEST(MasterServiceTest, ListDevicesLeavesOutWhoIsSilent) {
  Simulate([] {
    Master master;
    master.peers.at("ps", 1).SetUp(false);
    const std::string handle = *master.Create({});
    ListDevicesReply reply;
    const int64_t start = Millis();
    EXPECT_TRUE(master.Call(&MasterApi::ListDevices, {handle}, &reply).ok());
    EXPECT_EQ((Millis() - start) / 1000, 5);
    EXPECT_EQ(reply.local_devices.size(), 3u);
    EXPECT_TRUE(reply.remote_devices.empty());
  });
}

TEST(MasterServiceTest, Callables) {
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
    ASSERT_TRUE(master.Call(&MasterApi::MakeCallable, make, &made).ok());
    RunCallableRequest run;
    run.session_handle = handle;
    run.handle = made.handle;
    run.feeds = {Tensor::Scalar(5.0f)};
    RunCallableReply ran;
    ASSERT_TRUE(master.Call(&MasterApi::RunCallable, run, &ran).ok());
    EXPECT_EQ(ran.fetches.size(), 2u);
    run.feeds = {Tensor::Scalar(5)};
    EXPECT_EQ(master.Call(&MasterApi::RunCallable, run, &ran).code(),
              StatusCode::kInvalidArgument);
    // No UNAVAILABLE as the status of an RPC: the client would send it again.
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
    // An input fed by another tensor.
    make.options = {};
    make.options.fetches = {"y:0"};
    make.options.tensor_connections = {{"other:0", "x:0"}};
    EXPECT_EQ(master.Call(&MasterApi::MakeCallable, make, &made).code(),
              StatusCode::kNotFound);
    ASSERT_TRUE(master.Extend(handle, {Const("other", "")}, 0).ok());
    EXPECT_TRUE(master.Call(&MasterApi::MakeCallable, make, &made).ok());
  });
}

TEST(MasterServiceTest, NarrowTransfers) {
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
    for (const NodeDef& node : master.ps(0).graphs().at(0).graph_def.nodes) {
      casts += node.op == "Cast";
    }
    EXPECT_EQ(casts, 2);
  });
}

TEST(MasterServiceTest, AnErrorOfRegistrationNamesTheTask) {
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

TEST(MasterServiceTest, AStoppedMasterRefusesAndCutsSteps) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create({Const("a", "/job:ps/task:0")});
    Step step(master, Fetch(handle, {"a:0"}));
    const FakeWorker::Run run = master.ps(0).TakeRun();
    const Status reason = Aborted("the server was stopped");
    master.service->Stop(reason);
    EXPECT_EQ(master.Create({}).status(), reason);
    EXPECT_EQ(Step(master, Fetch(handle, {"a:0"})).Wait(), reason);
    EXPECT_FALSE(master.service->WaitForSteps(Deadline::AfterMillis(100)));
    EXPECT_EQ(master.service->waits(10).size(), 1u);
    master.service->CancelRuns(reason, true);
    EXPECT_EQ(step.Wait(), reason);
    EXPECT_TRUE(master.service->WaitForSteps(Deadline::Infinite()));
    master.service->Join(Deadline::AfterMillis(1000));
    EXPECT_EQ(master.ps(0).Count("DeleteWorkerSession"), 1);
  });
}

}  // namespace
}  // namespace millrace
