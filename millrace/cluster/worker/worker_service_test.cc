#include "millrace/cluster/worker/worker_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/cluster/testing/worker_suite.h"

namespace millrace {
namespace {

using ::testing::HasSubstr;

constexpr char kWorker[] = "/job:worker/task:0";

// y = x + 1, x fed, y fetched, both at `device`.
std::vector<NodeDef> AddOne(const Device& device) {
  return {RecvNode("x", kFloat, device, device, true),
          ConstNode("one", Tensor::Scalar(1.0f), device),
          MakeNode("add", "AddV2", {"recv_x", "one"}, device, {{"T", kFloat}}),
          SendNode("add", "y", kFloat, device, device, true)};
}

TEST(WorkerService, FeedsAndFetchesAreSlots) {
  TestCluster cluster(kCluster);
  TestTask& ps = cluster[kPs];
  const Device& cpu = ps.device();
  ASSERT_TRUE(MakeSession(ps.api(), "s").ok());
  const auto graph = Register(ps.api(), "s", AddOne(cpu));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(*graph, "0000000000000001");
  for (int64_t step = 1; step < 4; ++step) {
    RunGraphRequest request = RunRequest("s", *graph, step);
    request.send = {
        {KeyOf("x", cpu, cpu), Tensor::Scalar(static_cast<float>(step))}};
    request.recv_key = {KeyOf("y", cpu, cpu)};
    const auto reply = RunGraph(ps.api(), request);
    ASSERT_TRUE(reply.ok()) << reply.status();
    ASSERT_EQ(reply->recv.size(), 1u);
    EXPECT_EQ(reply->recv[0].name, request.recv_key[0]);
    EXPECT_EQ(reply->recv[0].tensor.scalar<float>(),
              static_cast<float>(step) + 1);
    EXPECT_EQ(ps.service->counts().rendezvous_entries, 0);
  }
  RunGraphRequest request = RunRequest("s", *graph, 9);
  EXPECT_EQ(RunGraph(ps.api(), request).status().code(),
            StatusCode::kInvalidArgument);
  request = RunRequest("s", *graph, 10);
  request.send = {{KeyOf("x", cpu, cpu), Tensor::Scalar(int32_t{1})}};
  EXPECT_THAT(RunGraph(ps.api(), request).status().message(),
              HasSubstr("x has type int32"));
  EXPECT_EQ(ps.service->counts().steps_done, 3);
  EXPECT_EQ(ps.service->counts().steps_failed, 2);
}

TEST(WorkerService, TheSameGraphIsCompiledOnce) {
  TestCluster cluster(kCluster);
  TestTask& ps = cluster[kPs];
  ASSERT_TRUE(MakeSession(ps.api(), "s").ok());
  ASSERT_TRUE(Register(ps.api(), "s", AddOne(ps.device())).ok());
  ASSERT_TRUE(Register(ps.api(), "s", AddOne(ps.device())).ok());
  EXPECT_EQ(ps.service->counts().plans, 1);
  auto other = AddOne(ps.device());
  other[1] = ConstNode("one", Tensor::Scalar(2.0f), ps.device());
  ASSERT_TRUE(Register(ps.api(), "s", other).ok());
  EXPECT_EQ(ps.service->counts().graphs, 3);
  EXPECT_EQ(ps.service->counts().plans, 2);
}

TEST(WorkerService, GraphsThatDoNotFitAreRefused) {
  TestCluster cluster(kCluster);
  TestTask& ps = cluster[kPs];
  ASSERT_TRUE(MakeSession(ps.api(), "s").ok());
  auto nodes = AddOne(ps.device());
  nodes[1].device = cluster[kWorker].device().name();
  const Status status = Register(ps.api(), "s", nodes).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("{{node one}}"));
  nodes = AddOne(ps.device());
  nodes[2].op = "NoSuchOp";
  EXPECT_EQ(Register(ps.api(), "s", nodes).status().code(),
            StatusCode::kNotFound);
  // Two of them could fill one slot at once.
  nodes = AddOne(ps.device());
  nodes.push_back(MakeNode("r", "_Retval", {"one"}, ps.device(),
                           {{"T", kFloat}, {"index", int64_t{0}}}));
  EXPECT_EQ(Register(ps.api(), "s", nodes).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(ps.service->counts().graphs, 0);
}

// ps: a = 5 goes to the worker; worker: b = a * a is fetched.
struct TwoTasks {
  explicit TwoTasks(TestCluster& c) : ps(c[kPs]), worker(c[kWorker]) {
    EXPECT_TRUE(MakeSession(ps.api(), "s").ok());
    EXPECT_TRUE(MakeSession(worker.api(), "s").ok());
    const Device& p = ps.device();
    const Device& w = worker.device();
    const auto sent = Register(ps.api(), "s",
                               {ConstNode("a", Tensor::Scalar(5.0f), p),
                                SendNode("a", "edge_0_a", kFloat, p, w)});
    EXPECT_TRUE(sent.ok()) << sent.status();
    ps_graph = *sent;
    const auto got =
        Register(worker.api(), "s",
                 {RecvNode("edge_0_a", kFloat, p, w),
                  MakeNode("mul", "Mul", {"recv_edge_0_a", "recv_edge_0_a"}, w,
                           {{"T", kFloat}}),
                  SendNode("mul", "b", kFloat, w, w, true)});
    EXPECT_TRUE(got.ok()) << got.status();
    worker_graph = *got;
    fetch = KeyOf("b", w, w);
    edge = KeyOf("edge_0_a", p, w);
  }
  RunGraphRequest WorkerRun(int64_t step) {
    RunGraphRequest request = RunRequest("s", worker_graph, step);
    request.recv_key = {fetch};
    return request;
  }
  TestTask& ps;
  TestTask& worker;
  std::string ps_graph, worker_graph, fetch, edge;
};

TEST(WorkerService, TensorsTravelBetweenTasks) {
  TestCluster cluster(kCluster);
  TwoTasks t(cluster);
  // The receiver first: its RecvTensor creates the step at the sender.
  PendingReply run(t.worker.api(), &WorkerApi::RunGraph, t.WorkerRun(7));
  ASSERT_TRUE(RunGraph(t.ps.api(), RunRequest("s", t.ps_graph, 7)).ok());
  ASSERT_TRUE(run.Wait().ok());
  ASSERT_TRUE(run.reply.status.ok()) << run.reply.status;
  EXPECT_EQ(run.reply.recv[0].tensor.scalar<float>(), 25);
  // The sender first: its value waits.
  ASSERT_TRUE(RunGraph(t.ps.api(), RunRequest("s", t.ps_graph, 8)).ok());
  EXPECT_EQ(t.ps.service->counts().rendezvous_entries, 1);
  EXPECT_TRUE(RunGraph(t.worker.api(), t.WorkerRun(8)).ok());
  for (WorkerApi* api : {&t.ps.api(), &t.worker.api()}) {
    for (int64_t step : {7, 8, 9}) {
      EXPECT_TRUE(
          Ask(*api, &WorkerApi::CleanupGraph, CleanupGraphRequest{step}).ok());
    }
  }
  EXPECT_EQ(t.ps.service->counts().steps, 0);
  EXPECT_EQ(t.worker.service->counts().steps, 0);
  // Those steps are over.
  EXPECT_EQ(RunGraph(t.worker.api(), t.WorkerRun(8)).status().code(),
            StatusCode::kAborted);
  EXPECT_EQ(RunGraph(t.worker.api(), t.WorkerRun(9)).status().code(),
            StatusCode::kAborted);
  RecvTensorRequest late;
  late.step_id = 8;
  late.rendezvous_key = t.edge;
  EXPECT_EQ(Ask(t.ps.api(), &WorkerApi::RecvTensor, late).status().code(),
            StatusCode::kAborted);
}

TEST(WorkerService, RecvTensorOfAnotherIncarnation) {
  TestCluster cluster(kCluster);
  TwoTasks t(cluster);
  RendezvousKey key = RendezvousKey::Parse(t.edge).value();
  key.send_incarnation = 1;
  RecvTensorRequest request;
  request.step_id = 3;
  request.rendezvous_key = key.ToString();
  const Status status =
      Ask(t.ps.api(), &WorkerApi::RecvTensor, request).status();
  EXPECT_EQ(status.code(), StatusCode::kAborted);
  EXPECT_THAT(
      status.message(),
      HasSubstr("RecvTensor expects a different device incarnation: 1 vs. "));
  EXPECT_THAT(
      status.message(),
      HasSubstr("(\"/job:ps/replica:0/task:0\") was probably restarted"));
  for (const char* wrong :
       {"", "a;b",
        "/job:ps/replica:0/task:0/device:GPU:0;0000000000000001;x;y;0:0"}) {
    request.rendezvous_key = wrong;
    EXPECT_EQ(Ask(t.ps.api(), &WorkerApi::RecvTensor, request).status().code(),
              StatusCode::kInvalidArgument)
        << wrong;
  }
  EXPECT_EQ(t.ps.service->counts().steps, 0);
}

TEST(WorkerService, UnknownHandles) {
  TestCluster cluster(kCluster);
  TestTask& ps = cluster[kPs];
  const Status session =
      RunGraph(ps.api(), RunRequest("nobody", "1", 1)).status();
  EXPECT_EQ(session.code(), StatusCode::kAborted);
  EXPECT_EQ(session.message(),
            "Session handle is not found: nobody. Possibly this worker "
            "(\"/job:ps/replica:0/task:0\") just restarted.");
  EXPECT_EQ(Register(ps.api(), "nobody", {}).status().message(),
            session.message());
  ASSERT_TRUE(MakeSession(ps.api(), "s").ok());
  EXPECT_EQ(RunGraph(ps.api(), RunRequest("s", "1", 1)).status().code(),
            StatusCode::kAborted);
}

TEST(WorkerService, TheSameRunGraphTwiceIsOneStep) {
  TestCluster cluster(kCluster);
  TwoTasks t(cluster);
  const RunGraphRequest request = t.WorkerRun(7);
  PendingReply first(t.worker.api(), &WorkerApi::RunGraph, request);
  PendingReply again(t.worker.api(), &WorkerApi::RunGraph, request);
  ASSERT_TRUE(RunGraph(t.ps.api(), RunRequest("s", t.ps_graph, 7)).ok());
  for (auto* run : {&first, &again}) {
    ASSERT_TRUE(run->Wait().ok());
    ASSERT_TRUE(run->reply.status.ok()) << run->reply.status;
    EXPECT_EQ(run->reply.recv[0].tensor.scalar<float>(), 25);
  }
  const Status late = RunGraph(t.worker.api(), request).status();
  EXPECT_EQ(late.code(), StatusCode::kAborted);
  EXPECT_THAT(late.message(), HasSubstr("The same request"));
  // The same step by another request.
  EXPECT_THAT(RunGraph(t.worker.api(), t.WorkerRun(7)).status().message(),
              HasSubstr("has begun before"));
  EXPECT_EQ(t.worker.service->counts().steps_done, 1);
}

TEST(WorkerService, AReceiveThatComesTwiceTakesTheValueOnce) {
  TestCluster cluster(kCluster);
  TwoTasks t(cluster);
  RecvTensorRequest request;
  request.step_id = 7;
  request.rendezvous_key = t.edge;
  request.request_id = 99;
  PendingReply first(t.ps.api(), &WorkerApi::RecvTensor, request);
  PendingReply again(t.ps.api(), &WorkerApi::RecvTensor, request);
  ASSERT_TRUE(RunGraph(t.ps.api(), RunRequest("s", t.ps_graph, 7)).ok());
  ASSERT_TRUE(first.Wait().ok());
  ASSERT_TRUE(again.Wait().ok());
  EXPECT_EQ(again.reply.tensor.scalar<float>(), 5);
  EXPECT_EQ(Ask(t.ps.api(), &WorkerApi::RecvTensor, request).status().code(),
            StatusCode::kAborted);
}

TEST(WorkerService, TheErrorOfAStepReachesItsReceivers) {
  TestCluster cluster(kCluster);
  TwoTasks t(cluster);
  const Device& p = t.ps.device();
  const Device& w = t.worker.device();
  // At the ps the sum fails before anything is sent.
  const auto graph =
      Register(t.ps.api(), "s",
               {ConstNode("u", Tensor::Vector<float>({1, 2}), p),
                ConstNode("v", Tensor::Vector<float>({1, 2, 3}), p),
                MakeNode("sum", "AddV2", {"u", "v"}, p, {{"T", kFloat}}),
                SendNode("sum", "edge_0_a", kFloat, p, w)});
  ASSERT_TRUE(graph.ok()) << graph.status();
  PendingReply run(t.worker.api(), &WorkerApi::RunGraph, t.WorkerRun(7));
  const Status failed =
      RunGraph(t.ps.api(), RunRequest("s", *graph, 7)).status();
  EXPECT_EQ(failed.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(failed.message(), HasSubstr("[[{{node sum}}]]"));
  EXPECT_FALSE(IsDerived(failed));
  ASSERT_TRUE(run.Wait().ok());
  EXPECT_EQ(run.reply.status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(run.reply.status.message(), HasSubstr("[[{{node sum}}]]"));
  EXPECT_TRUE(IsDerived(run.reply.status)) << run.reply.status;
  // A later receive gets the error, too, also after the cleanup.
  RecvTensorRequest request;
  request.step_id = 7;
  request.rendezvous_key = t.edge;
  EXPECT_EQ(Ask(t.ps.api(), &WorkerApi::RecvTensor, request).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_TRUE(
      Ask(t.ps.api(), &WorkerApi::CleanupGraph, CleanupGraphRequest{7}).ok());
  EXPECT_EQ(Ask(t.ps.api(), &WorkerApi::RecvTensor, request).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(WorkerService, AStepEndsWithItsCallItsSessionItsCleanUpAndItsServer) {
  TestCluster cluster(kCluster);
  TwoTasks t(cluster);
  const auto wait_early = [&](int64_t steps) {
    while (t.ps.service->counts().steps < steps) Yield();
  };
  {
    PendingReply run(t.worker.api(), &WorkerApi::RunGraph, t.WorkerRun(1));
    wait_early(1);
    run.scope.Cancel(Cancelled("the caller has gone"));
    ASSERT_TRUE(run.Wait().ok());
    EXPECT_EQ(run.reply.status.code(), StatusCode::kCancelled);
  }
  {
    PendingReply run(t.worker.api(), &WorkerApi::RunGraph, t.WorkerRun(2));
    EXPECT_TRUE(
        Ask(t.worker.api(), &WorkerApi::CleanupGraph, CleanupGraphRequest{2})
            .ok());
    ASSERT_TRUE(run.Wait().ok());
    EXPECT_THAT(run.reply.status.message(), HasSubstr("was cleaned up"));
  }
  {
    RunGraphRequest request = t.WorkerRun(3);
    request.store_errors_in_response_body = false;
    CallContext context;
    context.deadline = Deadline::AfterMillis(20);
    EXPECT_EQ(RunGraph(t.worker.api(), request, context).status().code(),
              StatusCode::kDeadlineExceeded);
  }
  {
    PendingReply run(t.worker.api(), &WorkerApi::RunGraph, t.WorkerRun(4));
    EXPECT_TRUE(Ask(t.worker.api(), &WorkerApi::DeleteWorkerSession,
                    DeleteWorkerSessionRequest{"s"})
                    .ok());
    ASSERT_TRUE(run.Wait().ok());
    EXPECT_THAT(run.reply.status.message(), HasSubstr("Session s was closed"));
    EXPECT_EQ(MakeSession(t.worker.api(), "s").code(), StatusCode::kAborted);
  }
  // The receives of those steps have ended, and their early steps with them.
  while (t.ps.service->counts().steps > 0) Yield();
  EXPECT_EQ(t.worker.service->counts().steps, 0);
  EXPECT_EQ(t.worker.service->counts().sessions, 0);
  {
    RecvTensorRequest request;
    request.step_id = 5;
    request.rendezvous_key = t.edge;
    PendingReply receive(t.ps.api(), &WorkerApi::RecvTensor, request);
    t.ps.service->Stop(Aborted("stopping"));
    t.ps.service->CancelRuns(Aborted("stopping"));
    EXPECT_EQ(receive.Wait().message(), "stopping");
    EXPECT_EQ(
        RunGraph(t.ps.api(), RunRequest("s", t.ps_graph, 6)).status().message(),
        "stopping");
  }
}

TEST(WorkerService, AFetchOfADeadValueIsAnError) {
  TestCluster cluster(kCluster);
  TestTask& ps = cluster[kPs];
  const Device& cpu = ps.device();
  ASSERT_TRUE(MakeSession(ps.api(), "s").ok());
  const auto graph =
      Register(ps.api(), "s",
               {ConstNode("v", Tensor::Scalar(1.0f), cpu),
                ConstNode("p", Tensor::Scalar(true), cpu),
                MakeNode("switch", "Switch", {"v", "p"}, cpu, {{"T", kFloat}}),
                SendNode("switch:0", "dead", kFloat, cpu, cpu, true),
                SendNode("switch:1", "alive", kFloat, cpu, cpu, true)});
  ASSERT_TRUE(graph.ok()) << graph.status();
  RunGraphRequest request = RunRequest("s", *graph, 1);
  request.recv_key = {KeyOf("alive", cpu, cpu)};
  EXPECT_TRUE(RunGraph(ps.api(), request).ok());
  request = RunRequest("s", *graph, 2);
  request.recv_key = {KeyOf("dead", cpu, cpu)};
  const Status status = RunGraph(ps.api(), request).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "The tensor returned for dead was not valid.");
}

TEST(WorkerService, TransfersOfAStockMasterMeetInTheRendezvous) {
  // A stock master terminates feeds and fetches at its own device.
  TestCluster cluster(kCluster);
  TestTask& ps = cluster[kPs];
  const Device& p = ps.device();
  const Device& w = cluster[kWorker].device();
  ASSERT_TRUE(MakeSession(ps.api(), "s").ok());
  const auto graph = Register(ps.api(), "s",
                              {ConstNode("a", Tensor::Scalar(3.0f), p),
                               SendNode("a", "y", kFloat, p, w, true)});
  ASSERT_TRUE(graph.ok()) << graph.status();
  RunGraphRequest request = RunRequest("s", *graph, 1);
  request.recv_key = {KeyOf("y", p, w)};
  const auto reply = RunGraph(ps.api(), request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->recv[0].tensor.scalar<float>(), 3);
  ASSERT_TRUE(RunGraph(ps.api(), RunRequest("s", *graph, 2)).ok());
  RecvTensorRequest receive;
  receive.step_id = 2;
  receive.rendezvous_key = KeyOf("y", p, w);
  EXPECT_EQ(
      Ask(ps.api(), &WorkerApi::RecvTensor, receive)->tensor.scalar<float>(),
      3);
}

TEST(WorkerService, RunsInParts) {
  TestCluster cluster(kCluster);
  TestTask& ps = cluster[kPs];
  const Device& cpu = ps.device();
  ASSERT_TRUE(MakeSession(ps.api(), "s").ok());
  const auto graph = Register(
      ps.api(), "s",
      {RecvNode("a", kFloat, cpu, cpu, true),
       RecvNode("b", kFloat, cpu, cpu, true),
       MakeNode("twice", "AddV2", {"recv_a", "recv_a"}, cpu, {{"T", kFloat}}),
       MakeNode("sum", "AddV2", {"twice", "recv_b"}, cpu, {{"T", kFloat}}),
       SendNode("twice", "x", kFloat, cpu, cpu, true),
       SendNode("sum", "y", kFloat, cpu, cpu, true)});
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto part = [&](int64_t step, const char* feed, float value,
                        const char* fetch, bool last) {
    RunGraphRequest request = RunRequest("s", *graph, step);
    request.is_partial = true;
    request.is_last_partial_run = last;
    request.send = {{KeyOf(feed, cpu, cpu), Tensor::Scalar(value)}};
    request.recv_key = {KeyOf(fetch, cpu, cpu)};
    return RunGraph(ps.api(), request);
  };
  auto reply = part(1, "a", 3, "x", false);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->recv[0].tensor.scalar<float>(), 6);
  reply = part(1, "b", 1, "y", true);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->recv[0].tensor.scalar<float>(), 7);
  EXPECT_EQ(part(1, "b", 1, "y", true).status().code(), StatusCode::kAborted);
  // A partial run that is left unfinished ends with its cleanup.
  ASSERT_TRUE(part(2, "a", 3, "x", false).ok());
  EXPECT_EQ(ps.service->counts().running_steps, 1);
  EXPECT_TRUE(
      Ask(ps.api(), &WorkerApi::CleanupGraph, CleanupGraphRequest{2}).ok());
  ps.service->Stop(Aborted("stopping"));
  ps.service->CancelRuns(Aborted("stopping"));
  ps.service->Join();
  EXPECT_EQ(ps.service->counts().running_steps, 0);
}

TEST(WorkerService, TracesAndPartitionGraphsWhenAsked) {
  TestCluster cluster(kCluster);
  TestTask& ps = cluster[kPs];
  const Device& cpu = ps.device();
  ASSERT_TRUE(MakeSession(ps.api(), "s").ok());
  const auto graph = Register(ps.api(), "s", AddOne(cpu));
  RunGraphRequest request = RunRequest("s", *graph, 1);
  request.send = {{KeyOf("x", cpu, cpu), Tensor::Scalar(1.0f)}};
  request.exec_options.record_timeline = true;
  request.exec_options.record_partition_graphs = true;
  const auto reply = RunGraph(ps.api(), request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->step_stats.dev_stats.size(), 1u);
  EXPECT_EQ(reply->step_stats.dev_stats[0].device, cpu.name());
  ASSERT_EQ(reply->partition_graphs.size(), 1u);
  EXPECT_EQ(reply->partition_graphs[0].nodes[0].op, "_Recv");
}

TEST(WorkerService, WhatIsNotOfferedIsUnimplemented) {
  TestCluster cluster(kCluster);
  WorkerApi& api = cluster[kPs].api();
  EXPECT_EQ(Ask(api, &WorkerApi::CompleteGroup, CompleteGroupRequest())
                .status()
                .code(),
            StatusCode::kUnimplemented);
  EXPECT_EQ(Ask(api, &WorkerApi::RecvBuf, RecvBufRequest()).status().code(),
            StatusCode::kUnimplemented);
  EXPECT_TRUE(Ask(api, &WorkerApi::Logging, LoggingRequest()).ok());
  EXPECT_TRUE(Ask(api, &WorkerApi::Tracing, TracingRequest()).ok());
  EXPECT_TRUE(
      Ask(api, &WorkerApi::DeregisterGraph, DeregisterGraphRequest()).ok());
  EXPECT_TRUE(
      Ask(api, &WorkerApi::MarkRecvFinished, MarkRecvFinishedRequest()).ok());
  EXPECT_EQ(Ask(api, &WorkerApi::GetStatus, GetStatusRequest())
                ->device_attributes.size(),
            1u);
}

}  // namespace
}  // namespace millrace
