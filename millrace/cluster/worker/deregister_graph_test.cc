// Tests what a worker frees when a graph is deregistered, and what it keeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/cluster/testing/worker_suite.h"

namespace millrace {
namespace {

using ::testing::HasSubstr;

constexpr char kReceiver[] = "/job:worker/task:0";

// x, which is fed, plus `by`.
std::vector<NodeDef> AddToFed(const Device& device, float by) {
  return {RecvNode("x", kFloat, device, device, true),
          ConstNode("by", Tensor::Scalar(by), device),
          MakeNode("sum", "Add", {"recv_x", "by"}, device, {{"T", kFloat}}),
          SendNode("sum", "y", kFloat, device, device, true)};
}

StatusOr<std::string> RegisterAs(WorkerApi& api, int64_t registration,
                                 std::vector<NodeDef> nodes) {
  RegisterGraphRequest request;
  request.session_handle = "s";
  request.create_worker_session_called = true;
  request.graph_def.nodes = std::move(nodes);
  request.graph_def.versions.producer = kGraphDefVersion;
  request.registration = registration;
  MR_ASSIGN_OR_RETURN(RegisterGraphReply reply,
                      Ask(api, &WorkerApi::RegisterGraph, request));
  return reply.graph_handle;
}

Status Deregister(WorkerApi& api, const std::string& handle,
                  const std::string& session = "s") {
  DeregisterGraphRequest request;
  request.session_handle = session;
  request.graph_handle = handle;
  request.create_worker_session_called = true;
  return Ask(api, &WorkerApi::DeregisterGraph, request).status();
}

class DeregisterGraphTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(MakeSession(ps().api(), "s").ok()); }
  TestTask& ps() { return cluster_[kPs]; }
  const Device& device() { return ps().device(); }
  WorkerCounts counts() { return ps().service->counts(); }

  StatusOr<float> Add(const std::string& graph, float x) {
    RunGraphRequest request = RunRequest("s", graph, next_step_++);
    request.send = {{KeyOf("x", device(), device()), Tensor::Scalar(x)}};
    request.recv_key = {KeyOf("y", device(), device())};
    MR_ASSIGN_OR_RETURN(const RunGraphReply reply,
                        RunGraph(ps().api(), request));
    return reply.recv[0].tensor.scalar<float>();
  }

  // A step releases its graph a moment after its reply. Returns the number of
  // plans once it is `wanted`, or after a while.
  int64_t PlansLeft(int64_t wanted) {
    const Deadline limit = Deadline::AfterMillis(10'000);
    while (counts().plans != wanted && !limit.expired()) {
      SleepUntil(Deadline::AfterMillis(1));
    }
    return counts().plans;
  }

  TestCluster cluster_{kCluster};
  int64_t next_step_ = 1;
};

TEST_F(DeregisterGraphTest, FreesTheGraphItsPlanAndItsKernels) {
  const auto graph = Register(ps().api(), "s", AddToFed(device(), 1));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(*Add(*graph, 2), 3);
  EXPECT_EQ(counts().graphs, 1);
  EXPECT_EQ(counts().plans, 1);
  EXPECT_GT(counts().kernels, 0);
  EXPECT_TRUE(Deregister(ps().api(), *graph).ok());
  EXPECT_EQ(counts().graphs, 0);
  EXPECT_EQ(PlansLeft(0), 0);
  EXPECT_EQ(counts().kernels, 0);
  const Status gone = Add(*graph, 2).status();
  EXPECT_EQ(gone.code(), StatusCode::kAborted);
  EXPECT_THAT(gone.message(), HasSubstr("Graph handle is not found"));
  // Twice, for no session, for no graph: there is nothing to free.
  EXPECT_TRUE(Deregister(ps().api(), *graph).ok());
  EXPECT_TRUE(Deregister(ps().api(), *graph, "other").ok());
  EXPECT_TRUE(Deregister(ps().api(), std::string(10'000, 'x')).ok());
}

TEST_F(DeregisterGraphTest, EqualGraphsGoWithTheLastOfThem) {
  // As stock masters register: without a number, each registration is a graph
  // of its own.
  const auto first = Register(ps().api(), "s", AddToFed(device(), 1));
  const auto second = Register(ps().api(), "s", AddToFed(device(), 1));
  const auto ours = RegisterAs(ps().api(), 7, AddToFed(device(), 1));
  EXPECT_NE(*first, *second);
  EXPECT_EQ(*ours, RegistrationHandle(7));
  EXPECT_EQ(counts().graphs, 3);
  EXPECT_EQ(counts().plans, 1);
  EXPECT_TRUE(Deregister(ps().api(), *first).ok());
  EXPECT_FALSE(Add(*first, 1).ok());
  EXPECT_EQ(*Add(*second, 1), 2);
  EXPECT_TRUE(Deregister(ps().api(), *ours).ok());
  EXPECT_EQ(*Add(*second, 1), 2);
  EXPECT_EQ(counts().plans, 1);
  EXPECT_TRUE(Deregister(ps().api(), *second).ok());
  EXPECT_EQ(counts().graphs, 0);
  EXPECT_EQ(PlansLeft(0), 0);
}

// Requests may be duplicated, late, and reordered.
TEST_F(DeregisterGraphTest, ARegistrationHasItsEffectOnce) {
  WorkerApi& api = ps().api();
  EXPECT_EQ(*RegisterAs(api, 1, AddToFed(device(), 1)), RegistrationHandle(1));
  EXPECT_EQ(*RegisterAs(api, 1, AddToFed(device(), 1)), RegistrationHandle(1));
  EXPECT_EQ(counts().graphs, 1);
  EXPECT_EQ(RegisterAs(api, 1, AddToFed(device(), 2)).status().code(),
            StatusCode::kAborted);
  // After deregistration a late request brings nothing back.
  EXPECT_TRUE(Deregister(api, RegistrationHandle(1)).ok());
  EXPECT_EQ(RegisterAs(api, 1, AddToFed(device(), 1)).status().code(),
            StatusCode::kAborted);
  EXPECT_TRUE(Deregister(api, RegistrationHandle(2)).ok());
  EXPECT_EQ(RegisterAs(api, 2, AddToFed(device(), 1)).status().code(),
            StatusCode::kAborted);
  EXPECT_EQ(counts().graphs, 0);
  EXPECT_EQ(PlansLeft(0), 0);
  // An equal graph under another number is another registration.
  EXPECT_EQ(*Add(*RegisterAs(api, 3, AddToFed(device(), 1)), 5), 6);
}

TEST_F(DeregisterGraphTest, AStepThatRunsKeepsItsGraph) {
  const Device& w = cluster_[kReceiver].device();
  ASSERT_TRUE(MakeSession(cluster_[kReceiver].api(), "s").ok());
  const auto graph = Register(
      ps().api(), "s",
      {RecvNode("edge", kFloat, w, device()),
       MakeNode("neg", "Neg", {"recv_edge"}, device(), {{"T", kFloat}}),
       SendNode("neg", "y", kFloat, device(), device(), true)});
  ASSERT_TRUE(graph.ok()) << graph.status();
  RunGraphRequest request = RunRequest("s", *graph, 50);
  request.recv_key = {KeyOf("y", device(), device())};
  PendingReply run(ps().api(), &WorkerApi::RunGraph, request);
  EXPECT_TRUE(Deregister(ps().api(), *graph).ok());
  EXPECT_EQ(counts().graphs, 0);
  EXPECT_EQ(counts().plans, 1);
  EXPECT_EQ(counts().running_steps, 1);
  const auto sender = Register(cluster_[kReceiver].api(), "s",
                               {ConstNode("a", Tensor::Scalar(4.0f), w),
                                SendNode("a", "edge", kFloat, w, device())});
  ASSERT_TRUE(
      RunGraph(cluster_[kReceiver].api(), RunRequest("s", *sender, 50)).ok());
  ASSERT_TRUE(run.Wait().ok());
  ASSERT_TRUE(run.reply.status.ok()) << run.reply.status;
  EXPECT_EQ(run.reply.recv[0].tensor.scalar<float>(), -4);
  EXPECT_EQ(PlansLeft(0), 0);  // the graph ends with the step
}

TEST_F(DeregisterGraphTest, KernelsWithStateStay) {
  const auto draw = [&](int64_t registration) -> StatusOr<float> {
    MR_ASSIGN_OR_RETURN(
        const std::string graph,
        RegisterAs(ps().api(), registration,
                   {ConstNode("shape", Tensor::Vector<int32_t>({}), device()),
                    MakeNode("draw", "RandomUniform", {"shape"}, device(),
                             {{"T", DataType::kInt32},
                              {"dtype", kFloat},
                              {"seed", int64_t{3}},
                              {"seed2", int64_t{4}}}),
                    SendNode("draw", "y", kFloat, device(), device(), true)}));
    RunGraphRequest request = RunRequest("s", graph, next_step_++);
    request.recv_key = {KeyOf("y", device(), device())};
    MR_ASSIGN_OR_RETURN(const RunGraphReply reply,
                        RunGraph(ps().api(), request));
    MR_RETURN_IF_ERROR(Deregister(ps().api(), graph));
    return reply.recv[0].tensor.scalar<float>();
  };
  const auto first = draw(1);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(PlansLeft(0), 0);
  EXPECT_EQ(counts().kernels, 1);
  const auto second = draw(2);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_NE(*first, *second);
  EXPECT_EQ(counts().kernels, 1);
  // And they are freed with the session.
  EXPECT_TRUE(Ask(ps().api(), &WorkerApi::DeleteWorkerSession,
                  DeleteWorkerSessionRequest{"s"})
                  .ok());
  EXPECT_EQ(counts().kernels, 0);
}

}  // namespace
}  // namespace millrace
