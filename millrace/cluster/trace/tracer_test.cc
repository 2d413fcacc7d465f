#include "millrace/cluster/trace/tracer.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/base/sim/sim.h"

namespace millrace {
namespace {

constexpr int64_t kSkew = 7'000'000'000;

std::shared_ptr<Tracer> NewTracer() {
  return std::make_shared<Tracer>(Tracer::Options{.clock_skew_nanos = kSkew});
}

StartTraceRequest Wanting(uint64_t id, int32_t steps, int64_t events = 0) {
  StartTraceRequest request;
  request.trace_id = id;
  request.steps = steps;
  request.max_events = events;
  return request;
}

CollectTraceReply CollectAll(Tracer& tracer, uint64_t id, bool end = false) {
  CollectTraceRequest request;
  request.trace_id = id;
  request.end = end;
  CollectTraceReply reply;
  const Status status = tracer.Collect(request, &reply);
  EXPECT_TRUE(status.ok()) << status;
  return reply;
}

void InSimulation(std::function<void()> body) {
  if (!kTraces) GTEST_SKIP() << "built without traces";
  const SimResult result = SimWorld(SimOptions{.seed = 1}).Run(std::move(body));
  ASSERT_TRUE(result.status.ok()) << result.Report();
}

TEST(Tracer, TakesAsManyStepsAsAreWanted) {
  InSimulation([] {
    const auto tracer = NewTracer();
    EXPECT_FALSE(tracer->wants_steps());
    ASSERT_TRUE(tracer->Start(Wanting(1, 0)).ok());
    EXPECT_FALSE(tracer->wants_steps());
    ASSERT_TRUE(tracer->Start(Wanting(1, 2)).ok());
    ASSERT_TRUE(tracer->Start(Wanting(2, 1)).ok());
    EXPECT_TRUE(tracer->wants_steps());
    EXPECT_EQ(tracer->BeginStep(11, "s", 5), (std::vector<uint64_t>{1, 2}));
    EXPECT_EQ(tracer->BeginStep(12, "s", 6), std::vector<uint64_t>{1});
    EXPECT_FALSE(tracer->wants_steps());
    EXPECT_TRUE(tracer->BeginStep(13, "s", 7).empty());
    tracer->EndStep({1, 2}, 11, Aborted("lost"));
    const CollectTraceReply reply = CollectAll(*tracer, 1, /*end=*/true);
    ASSERT_EQ(reply.steps.size(), 2u);
    EXPECT_EQ(reply.steps[0].step_id, 11);
    EXPECT_EQ(reply.steps[0].session, "s");
    EXPECT_EQ(reply.steps[0].start_nanos, 5 + kSkew);
    EXPECT_GE(reply.steps[0].end_nanos, kSkew);
    EXPECT_NE(reply.steps[0].error.find("lost"), std::string::npos);
    EXPECT_EQ(reply.steps[1].end_nanos, 0);
    EXPECT_EQ(tracer->num_traces(), 1u);
    // The trace is unknown by now: nothing happens.
    tracer->EndStep({1}, 12, OkStatus());
  });
}

TEST(Tracer, KeepsTheEventsOfItsStepsUpToItsRoom) {
  InSimulation([] {
    const auto tracer = NewTracer();
    // The step itself, a node and a transfer.
    ASSERT_TRUE(tracer->Start(Wanting(1, 0, 3)).ok());
    EXPECT_EQ(tracer->StatsOf({9}, 11), nullptr);
    const auto stats = tracer->StatsOf({9, 1}, 11);
    ASSERT_NE(stats, nullptr);
    auto labels = std::make_shared<PlanLabels>();
    labels->device = "/job:ps/replica:0/task:0/device:CPU:0";
    labels->nodes = {{"a", "Add"}};
    NodeStats node;
    node.plan = stats->AddPlan(labels);
    node.start_nanos = 10;
    node.end_nanos = 30;
    node.outputs.push_back({0, DataType::kFloat, TensorShape({2, 3}), 24});
    node.outputs.push_back({1, DataType::kInt32, TensorShape(), 4});
    stats->Record(node);
    TransferStats transfer;
    transfer.key = "k";
    transfer.request_id = 77;
    transfer.is_send = true;
    transfer.start_nanos = transfer.end_nanos = 40;
    transfer.bytes = 24;
    const int64_t number = stats->Record(transfer);
    stats->SetEnd(number, 45);
    stats->Record(node);
    EXPECT_EQ(stats->Record(transfer), -1);
    EXPECT_EQ(tracer->StatsOf({1}, 12), nullptr);

    const CollectTraceReply reply = CollectAll(*tracer, 1);
    EXPECT_EQ(reply.dropped_events, 3);
    ASSERT_EQ(reply.nodes.size(), 1u);
    const TracedNode& n = reply.nodes[0];
    const auto text = [&](int32_t i) {
      return reply.strings.at(static_cast<size_t>(i));
    };
    EXPECT_EQ(n.step_id, 11);
    EXPECT_EQ(text(n.name), "a");
    EXPECT_EQ(text(n.op), "Add");
    EXPECT_EQ(text(n.device), labels->device);
    EXPECT_EQ(text(n.outputs), "float[2,3], int32[]");
    EXPECT_EQ(n.bytes, 28);
    EXPECT_EQ(n.start_nanos, 10 + kSkew);
    EXPECT_EQ(n.duration_nanos, 20);
    ASSERT_EQ(reply.transfers.size(), 1u);
    EXPECT_EQ(text(reply.transfers[0].key), "k");
    EXPECT_EQ(reply.transfers[0].request_id, 77);
    EXPECT_EQ(reply.transfers[0].duration_nanos, 5);
    // A progress request returns steps only; asking again returns the same.
    CollectTraceRequest progress;
    progress.trace_id = 1;
    progress.only_progress = true;
    CollectTraceReply short_reply;
    ASSERT_TRUE(tracer->Collect(progress, &short_reply).ok());
    EXPECT_TRUE(short_reply.nodes.empty());
    EXPECT_EQ(CollectAll(*tracer, 1).nodes.size(), 1u);
  });
}

TEST(Tracer, ForgetsTracesThatNobodyAsksAbout) {
  InSimulation([] {
    const auto tracer = NewTracer();
    ASSERT_TRUE(tracer->Start(Wanting(1, 5)).ok());
    ASSERT_TRUE(tracer->Start(Wanting(2, 5)).ok());
    for (int i = 0; i < 4; ++i) {
      SleepUntil(Deadline::AfterMillis(Tracer::kLeaseMs / 2));
      CollectAll(*tracer, 2);
    }
    EXPECT_EQ(tracer->num_traces(), 1u);
    EXPECT_TRUE(tracer->wants_steps());
    SleepUntil(Deadline::AfterMillis(Tracer::kLeaseMs + 1'000));
    EXPECT_EQ(tracer->num_traces(), 0u);
    EXPECT_FALSE(tracer->wants_steps());
    // It is destroyed before its lease ends.
    ASSERT_TRUE(NewTracer()->Start(Wanting(1, 5)).ok());
    SleepUntil(Deadline::AfterMillis(Tracer::kLeaseMs + 1'000));
  });
}

TEST(Tracer, RefusesWhatItCannotHold) {
  InSimulation([] {
    const auto tracer = NewTracer();
    for (const StartTraceRequest& request :
         {Wanting(0, 1), Wanting(1, -1), Wanting(1, kMaxTraceSteps + 1),
          Wanting(1, 1, -1), Wanting(1, 1, kMaxTraceEvents + 1)}) {
      EXPECT_EQ(tracer->Start(request).code(), StatusCode::kInvalidArgument);
    }
    for (uint64_t i = 1; i <= Tracer::kMaxTraces; ++i) {
      EXPECT_TRUE(tracer->Start(Wanting(i, 1)).ok());
    }
    EXPECT_EQ(tracer->Start(Wanting(99, 1)).code(),
              StatusCode::kResourceExhausted);
    EXPECT_TRUE(tracer->Start(Wanting(1, 2)).ok());
  });
}

}  // namespace
}  // namespace millrace
