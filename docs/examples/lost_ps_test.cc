// A simulated test: a parameter server is killed while a step waits for it.
#include <gtest/gtest.h>

#include "tests/cluster/simulated_cluster.h"
#include "tests/support/graph_text.h"

namespace millrace {
namespace {

TEST(SimulatedExample, AStepHearsOfALostPs) {
  // Two ps and two workers, under three seeds; time is virtual.
  OnCluster([](LoopbackCluster& cluster, TestSession& session) {
    GraphText graph;
    graph.Const("one", 1, "/job:ps/task:0");
    graph.EndlessLoop("loop", "/job:ps/task:0");
    ASSERT_TRUE(session.Create(graph.Take()).ok());
    EXPECT_EQ(*session.Fetch("one:0"), 1);

    Thread killer("killer", [&] {
      SleepUntil(Deadline::AfterMillis(200));
      cluster.Kill(kPs0);
    });
    const int64_t start = Millis();
    const Status status = session.Run({.fetches = {"loop/exit:0"}}).status();
    killer.Join();

    EXPECT_TRUE(IsRecoverable(status)) << status;
    EXPECT_TRUE(Names(status, kPs0)) << status;
    // The connection broke, so nobody waited for a probe.
    EXPECT_LT(Millis() - start, 1'200);
  });
}

}  // namespace
}  // namespace millrace
