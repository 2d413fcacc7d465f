#include "millrace/train/input/queue_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "millrace/base/threads/thread.h"
#include "millrace/client/ops.h"
#include "millrace/client/variables/variables.h"
#include "millrace/train/input/queue_threads.h"
#include "millrace/train/meta_graph.h"

namespace millrace::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A queue that threads fill with 1, 2, ... up to a limit.
struct Counting {
  Counting(const Scope& s, int64_t limit, size_t threads, int64_t capacity = 3)
      : queue(s, {DataType::kInt64},
              {.capacity = capacity, .shapes = {PartialShape({})}}),
        count(s.WithOpName("count"), Tensor::Scalar<int64_t>(0),
              {.trainable = false,
               .collections = {graph_keys::kLocalVariables}}) {
    const Output next = ops::CountUpTo(s, count.handle(), limit);
    runner = QueueRunner(
        s, queue, std::vector<Operation>(threads, queue.Enqueue(s, {next})));
    AddQueueRunner(s, runner);
    take = queue.Dequeue(s)[0];
    init = ops::LocalVariablesInitializer(s);
    size = queue.Size(s);
  }
  FIFOQueue queue;
  ops::Variable count;
  QueueRunner runner;
  Output take;
  Output size;
  Operation init;
};

// Dequeues everything until the end, and returns it, with the code of the end.
std::vector<int64_t> Drain(Session& session, const Output& take,
                           StatusCode* code) {
  std::vector<int64_t> values;
  for (;;) {
    const auto out = session.Run({take});
    if (!out.ok()) {
      *code = out.status().code();
      return values;
    }
    values.push_back((*out)[0].scalar<int64_t>());
  }
}

TEST(QueueRunner, FillsItsQueueAndClosesItAtTheEnd) {
  for (const size_t threads : {size_t{1}, size_t{4}}) {
    const Scope s = Scope::NewRoot();
    const Counting counting(s, 20, threads);
    Session session(s);
    ASSERT_TRUE(session.RunTargets({counting.init}).ok());
    Coordinator coordinator;
    QueueThreads runners = StartQueueRunners(session, coordinator);
    EXPECT_EQ(runners.size(), threads + 1);
    StatusCode code = StatusCode::kOk;
    std::vector<int64_t> values = Drain(session, counting.take, &code);
    EXPECT_EQ(code, StatusCode::kOutOfRange);
    // Several threads may overtake each other between counting and enqueuing.
    std::sort(values.begin(), values.end());
    ASSERT_EQ(values.size(), 20u);
    for (int64_t i = 0; i < 20; ++i) EXPECT_EQ(values[i], i);
    // The end of the data stops no other thread.
    EXPECT_FALSE(coordinator.ShouldStop());
    coordinator.RequestStop();
    const Status joined = coordinator.Join();
    EXPECT_TRUE(joined.ok()) << joined;
  }
}

TEST(QueueRunner, AStopEndsEnqueuesThatWait) {
  const Scope s = Scope::NewRoot();
  const Counting counting(s, 1'000'000, 2, /*capacity=*/1);
  Session session(s);
  ASSERT_TRUE(session.RunTargets({counting.init}).ok());
  Coordinator coordinator;
  QueueThreads runners = StartQueueRunners(session, coordinator);
  ASSERT_TRUE(session.Run({counting.take}).ok());
  coordinator.RequestStop();
  const Status joined = coordinator.Join();
  EXPECT_TRUE(joined.ok()) << joined;
  // The cancel op has closed the queue.
  StatusCode code = StatusCode::kOk;
  Drain(session, counting.take, &code);
  EXPECT_EQ(code, StatusCode::kOutOfRange);
}

TEST(QueueRunner, AnErrorStopsAllAndIsTheReason) {
  const Scope s = Scope::NewRoot();
  const FIFOQueue queue(s, {DataType::kFloat},
                        {.capacity = 3, .shapes = {PartialShape({})}});
  const Output bad = ops::CheckNumerics(
      s, std::numeric_limits<float>::quiet_NaN(), "not a number");
  AddQueueRunner(s, QueueRunner(s, queue, {queue.Enqueue(s, {bad})}));
  const Output take = queue.Dequeue(s)[0];
  Session session(s);
  Coordinator coordinator;
  QueueThreads runners = StartQueueRunners(session, coordinator);
  // A dequeue that waits for the queue ends.
  EXPECT_EQ(session.Run({take}).status().code(), StatusCode::kOutOfRange);
  const Status joined = coordinator.Join();
  EXPECT_EQ(joined.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(joined.message()), HasSubstr("not a number"));
  EXPECT_EQ(FailedNode(joined), "CheckNumerics");
}

TEST(QueueRunner, ErrorsMayBeDealtWith) {
  const Scope s = Scope::NewRoot();
  const Counting counting(s, 10, 1);  // its variable has no value
  Session session(s);
  Coordinator coordinator;
  Mutex mu;
  Status seen;
  Notification told;
  QueueThreads runners = StartQueueRunners(
      session, coordinator, {.on_error = [&](const Status& status) {
        MutexLock lock(mu);
        seen = status;
        told.Notify();
        return true;
      }});
  told.Wait();
  EXPECT_FALSE(coordinator.ShouldStop());
  runners.Abandon();
  EXPECT_FALSE(coordinator.ShouldStop());
  EXPECT_EQ(seen.code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(runners.size(), 0u);
}

TEST(QueueRunner, AnAbandonedQueueStaysOpen) {
  const Scope s = Scope::NewRoot();
  const Counting counting(s, 1'000'000, 2, /*capacity=*/2);
  Session session(s);
  ASSERT_TRUE(session.RunTargets({counting.init}).ok());
  Coordinator coordinator;
  for (int round = 0; round < 3; ++round) {
    QueueThreads runners = StartQueueRunners(session, coordinator);
    EXPECT_EQ(runners.size(), 3u);
    // A second start finds them running.
    EXPECT_EQ(StartQueueRunners(session, coordinator).size(), 0u);
    EXPECT_TRUE(session.Run({counting.take}).ok());
    if (round < 2) runners.Abandon();
    EXPECT_FALSE(coordinator.ShouldStop());
  }
  EXPECT_TRUE(coordinator.ShouldStop());
}

TEST(QueueRunner, ChainedQueuesEndOneAfterTheOther) {
  const Scope s = Scope::NewRoot();
  const Counting first(s, 10, 1);
  const FIFOQueue second(s, {DataType::kInt64},
                         {.capacity = 2, .shapes = {PartialShape({})}});
  AddQueueRunner(s, QueueRunner(s, second, {second.Enqueue(s, {first.take})}));
  const Output take = second.Dequeue(s)[0];
  Session session(s);
  ASSERT_TRUE(session.RunTargets({first.init}).ok());
  Coordinator coordinator;
  QueueThreads runners = StartQueueRunners(session, coordinator);
  EXPECT_EQ(runners.size(), 4u);
  StatusCode code = StatusCode::kOk;
  EXPECT_THAT(Drain(session, take, &code),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_EQ(code, StatusCode::kOutOfRange);
  runners.Stop();
  EXPECT_TRUE(coordinator.status().ok()) << coordinator.status();
}

TEST(QueueRunner, NeedsAQueueAndOps) {
  const Scope s = Scope::NewRoot();
  const FIFOQueue queue(s, {DataType::kFloat});
  EXPECT_FALSE(QueueRunner(s, queue, {}));
  EXPECT_THAT(std::string(s.status().message()),
              HasSubstr("Must provide queue and enqueue_ops."));
}

TEST(QueueRunner, PartsNameItsOps) {
  const Scope s = Scope::NewRoot();
  const FIFOQueue queue(s.WithOpName("q"), {DataType::kFloat});
  const Operation put = queue.Enqueue(s, {1.f});
  const QueueRunner runner(s, queue, {put, put},
                           {.queue_closed_codes = {StatusCode::kOutOfRange,
                                                   StatusCode::kCancelled}});
  EXPECT_TRUE(runner.IsEnd(Cancelled("")));
  EXPECT_FALSE(runner.IsEnd(OkStatus()));
  EXPECT_FALSE(runner.IsEnd(Aborted("")));
  QueueRunner::Parts parts = runner.parts();
  EXPECT_EQ(parts.queue_name, "q");
  EXPECT_THAT(parts.enqueue_op_names, ElementsAre("q_enqueue", "q_enqueue"));
  EXPECT_EQ(parts.close_op_name, "q_Close");
  EXPECT_EQ(parts.cancel_op_name, "q_Close_1");

  const auto again = QueueRunner::FromParts(s.graph(), parts);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->parts().enqueue_op_names, parts.enqueue_op_names);
  EXPECT_TRUE(again->IsEnd(Cancelled("")));
  parts.queue_closed_codes.clear();
  EXPECT_TRUE(QueueRunner::FromParts(s.graph(), parts)->IsEnd(OutOfRange("")));
  parts.close_op_name = "none";
  EXPECT_EQ(QueueRunner::FromParts(s.graph(), parts).status().code(),
            StatusCode::kNotFound);
}

TEST(QueueRunner, IsInTheMetaGraph) {
  const Scope s = Scope::NewRoot();
  const FIFOQueue queue(s.WithOpName("q"), {DataType::kFloat});
  AddQueueRunner(s, QueueRunner(s, queue, {queue.Enqueue(s, {1.f})}));
  const std::string meta = SerializeMetaGraph(s.graph(), {});
  // QueueRunnerDef: four names, then the packed codes.
  const std::string def =
      "\x0a\x01q\x12\x09q_enqueue\x1a\x07q_Close\x22\x09q_Close_1\x2a\x01\x0b";
  // Within a BytesList, a CollectionDef and the map of collections.
  EXPECT_THAT(meta, HasSubstr("\x0a\x0dqueue_runners\x12"));
  EXPECT_THAT(meta, HasSubstr(std::string("\x0a\x25") + def));
}

}  // namespace
}  // namespace millrace::train
