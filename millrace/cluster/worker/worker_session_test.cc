// Tests sessions of a worker: state, isolation, replacement, and what ends
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/cluster/testing/worker_suite.h"
#include "millrace/device/cpu/cpu_allocator.h"
#include "millrace/kernel/resource.h"

namespace millrace {
namespace {

using ::testing::HasSubstr;

constexpr char kMaster[] = "/job:worker/replica:0/task:0";
constexpr int64_t kOneSecond = 1'000'000'000;

void SimulateWorker(absl::AnyInvocable<void()> body, uint64_t seed = 1) {
  const SimResult r = SimWorld({.seed = seed}).Run(std::move(body));
  EXPECT_TRUE(r.status.ok()) << r.Report();
}

// Adds 1 to a variable, which it creates first if there is none; fetches it.
std::vector<NodeDef> Count(const Device& device, bool assign) {
  std::vector<NodeDef> nodes = {
      MakeNode("v", "VariableV2", {}, device,
               {{"dtype", kFloat}, {"shape", PartialShape({})}}),
      ConstNode("one", Tensor::Scalar(1.0f), device),
      MakeNode("add", assign ? "Assign" : "AssignAdd", {"v", "one"}, device,
               {{"T", kFloat}}),
      SendNode("add", "count", kFloat, device, device, true)};
  return nodes;
}

StatusOr<float> RunCount(WorkerApi& api, const std::string& session,
                         const Device& device, bool assign, int64_t step) {
  MR_ASSIGN_OR_RETURN(const std::string graph,
                      Register(api, session, Count(device, assign)));
  RunGraphRequest request = RunRequest(session, graph, step);
  request.recv_key = {KeyOf("count", device, device)};
  MR_ASSIGN_OR_RETURN(const RunGraphReply reply, RunGraph(api, request));
  return reply.recv[0].tensor.scalar<float>();
}

TEST(WorkerSession, SessionsShareVariablesUnlessIsolated) {
  TestCluster cluster(kCluster);
  TestTask& ps = cluster[kPs];
  ASSERT_TRUE(MakeSession(ps.api(), "a").ok());
  ASSERT_TRUE(MakeSession(ps.api(), "b").ok());
  CreateWorkerSessionRequest isolated;
  isolated.session_handle = "i";
  isolated.isolate_session_state = true;
  ASSERT_TRUE(Ask(ps.api(), &WorkerApi::CreateWorkerSession, isolated).ok());
  EXPECT_EQ(*RunCount(ps.api(), "a", ps.device(), true, 1), 1);
  EXPECT_EQ(*RunCount(ps.api(), "b", ps.device(), false, 2), 2);
  EXPECT_EQ(RunCount(ps.api(), "i", ps.device(), false, 3).status().code(),
            StatusCode::kFailedPrecondition);
  EXPECT_EQ(*RunCount(ps.api(), "i", ps.device(), true, 4), 1);
  EXPECT_EQ(*RunCount(ps.api(), "a", ps.device(), false, 5), 3);
  EXPECT_EQ(ps.service->counts().variables, 2);
  EXPECT_EQ(ps.service->counts().variable_bytes, 8);
  // Isolated state is freed with its session; shared state stays.
  for (const char* handle : {"i", "a", "b"}) {
    EXPECT_TRUE(Ask(ps.api(), &WorkerApi::DeleteWorkerSession,
                    DeleteWorkerSessionRequest{handle})
                    .ok());
  }
  EXPECT_EQ(ps.service->counts().variables, 1);
  EXPECT_TRUE(
      Ask(ps.api(), &WorkerApi::CleanupAll, CleanupAllRequest{{"other"}}).ok());
  EXPECT_EQ(ps.service->counts().variables, 1);
  EXPECT_TRUE(Ask(ps.api(), &WorkerApi::CleanupAll, CleanupAllRequest()).ok());
  EXPECT_EQ(ps.service->counts().variables, 0);
}

TEST(WorkerSession, ClearingContainersGivesTheirMemoryBack) {
  TestCluster cluster(kCluster);
  TestTask& ps = cluster[kPs];
  auto& allocator =
      static_cast<CpuAllocator&>(*ps.service->devices()[0]->host_allocator());
  (*allocator.Allocate(8 << 20)).reset();
  EXPECT_GT(allocator.stats().cached_bytes, 0);
  EXPECT_TRUE(Ask(ps.api(), &WorkerApi::CleanupAll, CleanupAllRequest()).ok());
  EXPECT_EQ(allocator.stats().cached_bytes, 0);
}

TEST(WorkerSession, PropagatedClustersBringNamesOfTheirOwn) {
  TestCluster cluster(kCluster);
  TestTask& ps = cluster[kPs];
  CreateWorkerSessionRequest request;
  request.session_handle = "p";
  request.server_def.cluster =
      ClusterSpec::Parse("other=w0:1,ps0:1").value().ToDef();
  request.server_def.job_name = "other";
  request.server_def.task_index = 1;
  request.isolate_session_state = true;
  ASSERT_TRUE(Ask(ps.api(), &WorkerApi::CreateWorkerSession, request).ok());
  const auto renamed = CloneDevice(ps.device(), "other", 1);
  EXPECT_EQ(*RunCount(ps.api(), "p", **renamed, true, 1), 1);
  EXPECT_FALSE(RunCount(ps.api(), "p", ps.device(), true, 2).ok());
  // A tensor comes from a task of that cluster, under its name there.
  TestTask& worker = cluster["/job:worker/task:0"];
  request.server_def.task_index = 0;
  ASSERT_TRUE(Ask(worker.api(), &WorkerApi::CreateWorkerSession, request).ok());
  const auto sender = CloneDevice(worker.device(), "other", 0);
  const auto send = Register(worker.api(), "p",
                             {ConstNode("a", Tensor::Scalar(4.0f), **sender),
                              SendNode("a", "e", kFloat, **sender, **renamed)});
  ASSERT_TRUE(send.ok()) << send.status();
  const auto recv =
      Register(ps.api(), "p",
               {RecvNode("e", kFloat, **sender, **renamed),
                SendNode("recv_e", "f", kFloat, **renamed, **renamed, true)});
  ASSERT_TRUE(recv.ok()) << recv.status();
  EXPECT_TRUE(RunGraph(worker.api(), RunRequest("p", *send, 3)).ok());
  RunGraphRequest run = RunRequest("p", *recv, 3);
  run.recv_key = {KeyOf("f", **renamed, **renamed)};
  const auto reply = RunGraph(ps.api(), run);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->recv[0].tensor.scalar<float>(), 4);
}

TEST(WorkerSession, RenamedSessionsShareVariablesUnlessIsolated) {
  TestCluster cluster(kCluster);
  TestTask& ps = cluster[kPs];
  ASSERT_TRUE(MakeSession(ps.api(), "a").ok());
  CreateWorkerSessionRequest request;
  request.session_handle = "p";
  request.server_def.cluster =
      ClusterSpec::Parse("other=w0:1,ps0:1").value().ToDef();
  request.server_def.job_name = "other";
  request.server_def.task_index = 1;
  ASSERT_TRUE(Ask(ps.api(), &WorkerApi::CreateWorkerSession, request).ok());
  const auto renamed = RenameDevice(ps.device(), "other", 1);
  EXPECT_EQ(*RunCount(ps.api(), "a", ps.device(), true, 1), 1);
  EXPECT_EQ(*RunCount(ps.api(), "p", *renamed, false, 2), 2);
  EXPECT_EQ(*RunCount(ps.api(), "a", ps.device(), false, 3), 3);
  EXPECT_FALSE(RunCount(ps.api(), "p", ps.device(), false, 4).ok());
  // A trace has the names of the session.
  const auto graph = Register(ps.api(), "p", Count(*renamed, false));
  ASSERT_TRUE(graph.ok()) << graph.status();
  RunGraphRequest run = RunRequest("p", *graph, 5);
  run.recv_key = {KeyOf("count", *renamed, *renamed)};
  run.exec_options.record_timeline = true;
  const auto reply = RunGraph(ps.api(), run);
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->step_stats.dev_stats.size(), 1u);
  EXPECT_EQ(reply->step_stats.dev_stats[0].device,
            "/job:other/replica:0/task:1/device:CPU:0");
  // What the session leaves stays.
  ASSERT_TRUE(Ask(ps.api(), &WorkerApi::DeleteWorkerSession,
                  DeleteWorkerSessionRequest{"p"})
                  .ok());
  EXPECT_EQ(*RunCount(ps.api(), "a", ps.device(), false, 6), 5);
  EXPECT_EQ(ps.service->counts().variables, 1);
}

TEST(WorkerSession, CreatedAgain) {
  TestCluster cluster(kCluster);
  TestTask& ps = cluster[kPs];
  const auto graphs = [&] { return ps.service->counts().graphs; };
  ASSERT_TRUE(MakeSession(ps.api(), "s", kMaster, 5).ok());
  ASSERT_TRUE(MakeSession(ps.api(), "other", kMaster, 5).ok());
  ASSERT_TRUE(Register(ps.api(), "s", Count(ps.device(), true)).ok());
  // A duplicate request keeps the session.
  ASSERT_TRUE(MakeSession(ps.api(), "s", kMaster, 5).ok());
  EXPECT_EQ(graphs(), 1);
  EXPECT_EQ(MakeSession(ps.api(), "s", "/job:worker/task:1", 6).code(),
            StatusCode::kAlreadyExists);
  // Another incarnation of the master ends the sessions of the former one.
  ASSERT_TRUE(MakeSession(ps.api(), "s", kMaster, 7).ok());
  EXPECT_EQ(graphs(), 0);
  EXPECT_EQ(ps.service->counts().sessions, 1);
  EXPECT_EQ(MakeSession(ps.api(), "").code(), StatusCode::kInvalidArgument);
}

TEST(WorkerSession, EndsWithItsMaster) {
  SimulateWorker([] {
    TestCluster cluster(kCluster);
    TestTask& ps = cluster[kPs];
    const uint64_t life = cluster[kMaster].device().attributes().incarnation;
    WorkerApi& api = cluster.Stub(kMaster, kPs);
    ASSERT_TRUE(MakeSession(api, "s", kMaster, life).ok());
    SleepUntil(Deadline::AfterMillis(200'000));
    EXPECT_EQ(ps.service->counts().sessions, 1);
    // Restarted: another incarnation answers.
    cluster.Kill(kMaster);
    cluster.Start(TaskName::Parse(kMaster).value());
    SleepUntil(Deadline::AfterMillis(11'000));
    EXPECT_EQ(ps.service->counts().sessions, 0);
    // Silent for a minute.
    const uint64_t next = cluster[kMaster].device().attributes().incarnation;
    ASSERT_TRUE(MakeSession(ps.api(), "t", kMaster, next).ok());
    SimWorld::Current()->FreezeUntil(cluster[kMaster].process,
                                     NowNanos() + 75 * kOneSecond);
    SleepUntil(Deadline::AfterMillis(40'000));
    EXPECT_EQ(ps.service->counts().sessions, 1);
    SleepUntil(Deadline::AfterMillis(34'000));
    EXPECT_EQ(ps.service->counts().sessions, 0);
  });
}

TEST(WorkerSession, AStepEndsWhenItsMasterIsSilent) {
  SimulateWorker([] {
    TestCluster cluster(kCluster);
    TestTask& ps = cluster[kPs];
    const uint64_t life = cluster[kMaster].device().attributes().incarnation;
    ASSERT_TRUE(MakeSession(ps.api(), "s", kMaster, life).ok());
    const Device& p = ps.device();
    const Device& w = cluster[kMaster].device();
    const auto graph = Register(ps.api(), "s", {RecvNode("x", kFloat, w, p)});
    ASSERT_TRUE(graph.ok()) << graph.status();
    PendingReply run(ps.api(), &WorkerApi::RunGraph,
                     RunRequest("s", *graph, 1));
    // Just after the master has been probed.
    SleepUntil(Deadline::AfterMillis(20'100));
    EXPECT_EQ(ps.service->counts().running_steps, 1);
    const int64_t start = NowNanos();
    SimWorld::Current()->FreezeUntil(cluster[kMaster].process,
                                     start + 10 * kOneSecond);
    ASSERT_TRUE(run.Wait().ok());
    EXPECT_FALSE(run.reply.status.ok());
    EXPECT_LE(NowNanos() - start, 4 * kOneSecond);
    EXPECT_EQ(ps.service->counts().running_steps, 0);
    EXPECT_EQ(ps.service->counts().sessions, 1);
  });
}

TEST(WorkerSession, AnEarlyReceiveWaitsOnlySoLong) {
  SimulateWorker([] {
    TestCluster cluster(kCluster);
    TestTask& ps = cluster[kPs];
    RecvTensorRequest request;
    request.step_id = 5;
    request.rendezvous_key = KeyOf("x", ps.device(), cluster[kMaster].device());
    const int64_t start = NowNanos();
    PendingReply call(cluster.Stub(kMaster, kPs), &WorkerApi::RecvTensor,
                      request);
    EXPECT_EQ(call.Wait().code(), StatusCode::kAborted);
    EXPECT_THAT(call.status.message(), HasSubstr("Step 5 did not begin"));
    EXPECT_EQ(NowNanos() - start, 30 * kOneSecond);
    EXPECT_EQ(ps.service->counts().steps, 0);
    // A receive that is cancelled earlier leaves nothing behind.
    PendingReply other(cluster.Stub(kMaster, kPs), &WorkerApi::RecvTensor,
                       request);
    SleepUntil(Deadline::AfterMillis(1'000));
    EXPECT_EQ(ps.service->counts().steps, 1);
    EXPECT_EQ(ps.service->waits(10).size(), 1u);
    other.scope.Cancel(Cancelled("gone"));
    other.Wait();
    SleepUntil(Deadline::AfterMillis(1'000));
    EXPECT_EQ(ps.service->counts().steps, 0);
  });
}

// A worker waits for a tensor of a ps that dies, freezes or comes back.
struct Waiting {
  explicit Waiting(TestCluster& cluster)
      : ps(cluster[kPs]), worker(cluster[kMaster]) {
    EXPECT_TRUE(MakeSession(worker.api(), "s").ok());
    key = KeyOf("x", ps.device(), worker.device());
    const auto registered =
        Register(worker.api(), "s",
                 {RecvNode("x", kFloat, ps.device(), worker.device())});
    EXPECT_TRUE(registered.ok()) << registered.status();
    graph = *registered;
  }
  TestTask& ps;
  TestTask& worker;
  std::string graph, key;
};

TEST(WorkerSession, TheLossOfAnotherTaskEndsTheStep) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SimulateWorker(
        [] {
          TestCluster cluster(kCluster);
          Waiting t(cluster);
          PendingReply killed(t.worker.api(), &WorkerApi::RunGraph,
                              RunRequest("s", t.graph, 1));
          SleepUntil(Deadline::AfterMillis(500));
          cluster.Kill(kPs);
          ASSERT_TRUE(killed.Wait().ok());
          EXPECT_EQ(killed.reply.status.code(), StatusCode::kUnavailable);
          EXPECT_THAT(killed.reply.status.message(),
                      HasSubstr("task /job:ps/replica:0/task:0 (ps0:1)"));
          EXPECT_THAT(killed.reply.status.message(),
                      HasSubstr("[[{{node recv_x}}]]"));
          EXPECT_FALSE(IsDerived(killed.reply.status));
          // While it is down; then restarted, with the old graph.
          EXPECT_EQ(RunGraph(t.worker.api(), RunRequest("s", t.graph, 2))
                        .status()
                        .code(),
                    StatusCode::kUnavailable);
          cluster.Start(TaskName::Parse(kPs).value());
          const Status restarted =
              RunGraph(t.worker.api(), RunRequest("s", t.graph, 3)).status();
          EXPECT_EQ(restarted.code(), StatusCode::kAborted);
          EXPECT_THAT(restarted.message(), HasSubstr("was probably restarted"));
          EXPECT_FALSE(IsDerived(restarted));
        },
        seed);
  }
}

TEST(WorkerSession, ABigTensorIsPassedByReference) {
  TestCluster cluster(kCluster);
  Waiting t(cluster);
  // 64 MiB through the codecs; the sender's buffer is aliased, not copied.
  const Tensor big = Tensor::Zeros(kFloat, {16 << 20});
  ASSERT_TRUE(MakeSession(t.ps.api(), "s").ok());
  const auto graph =
      Register(t.ps.api(), "s",
               {ConstNode("a", big, t.ps.device()),
                SendNode("a", "x", kFloat, t.ps.device(), t.worker.device())});
  ASSERT_TRUE(graph.ok()) << graph.status();
  ASSERT_TRUE(RunGraph(t.ps.api(), RunRequest("s", *graph, 1)).ok());
  RecvTensorRequest request;
  request.step_id = 1;
  request.rendezvous_key = t.key;
  const auto reply =
      Ask(cluster.Stub(kMaster, kPs), &WorkerApi::RecvTensor, request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->tensor.data(), big.data());
}

}  // namespace
}  // namespace millrace
