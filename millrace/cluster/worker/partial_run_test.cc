#include "millrace/cluster/worker/partial_run.h"

#include <gtest/gtest.h>

#include "millrace/cluster/testing/worker_suite.h"

namespace millrace {
namespace {

// What the first run in parts needs is compiled by the pool, not by the thread
// on which its call arrived: while the pool is busy the step has not begun.
TEST(PartialRunTest, TheFirstOfAGraphIsCompiledByThePool) {
  const SimResult result = SimWorld({.seed = 1}).Run([] {
    TestCluster cluster(kCluster);
    TestTask& ps = cluster[kPs];
    const Device& cpu = ps.device();
    ASSERT_TRUE(MakeSession(ps.api(), "s").ok());
    const auto graph = Register(
        ps.api(), "s",
        {RecvNode("x", kFloat, cpu, cpu, true),
         ConstNode("one", Tensor::Scalar(1.0f), cpu),
         MakeNode("add", "AddV2", {"recv_x", "one"}, cpu, {{"T", kFloat}}),
         SendNode("add", "y", kFloat, cpu, cpu, true)});
    ASSERT_TRUE(graph.ok()) << graph.status();
    const auto first = [&](int64_t step) {
      RunGraphRequest request = RunRequest("s", *graph, step);
      request.is_partial = true;
      request.is_last_partial_run = true;
      request.send = {{KeyOf("x", cpu, cpu), Tensor::Scalar(2.0f)}};
      request.recv_key = {KeyOf("y", cpu, cpu)};
      return request;
    };
    SimProcessScope process(ps.process);
    const auto free = std::make_shared<Notification>();
    for (int i = 0; i < 100; ++i) {
      Lanes::Process().inter_op.Schedule([free] { free->Wait(); });
    }
    using Call = PendingReply<RunGraphRequest, RunGraphReply>;
    Call kept(ps.api(), &WorkerApi::RunGraph, first(1));
    Call given_up(ps.api(), &WorkerApi::RunGraph, first(2));
    EXPECT_EQ(ps.service->counts().running_steps, 0);
    given_up.scope.Cancel(Cancelled("given up"));
    free->Notify();
    ASSERT_TRUE(kept.Wait().ok() && kept.reply.status.ok())
        << kept.status << kept.reply.status;
    EXPECT_EQ(kept.reply.recv[0].tensor.scalar<float>(), 3);
    EXPECT_TRUE(given_up.Wait().ok());
    EXPECT_EQ(given_up.reply.status, Cancelled("given up"));
    // Later runs need not wait for it.
    const auto again = RunGraph(ps.api(), first(3));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->recv[0].tensor.scalar<float>(), 3);
    EXPECT_EQ(ps.service->counts().running_steps, 0);
  });
  EXPECT_TRUE(result.status.ok()) << result.Report();
}

}  // namespace
}  // namespace millrace
