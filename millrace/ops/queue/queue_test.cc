#include "millrace/ops/queue/queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>

#include "millrace/base/files/file.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/ops/queue/testing/queue_values.h"

namespace millrace::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

int64_t HeapBytes() {
  const struct mallinfo2 m = mallinfo2();
  return static_cast<int64_t>(m.uordblks + m.hblkhd);
}

// Returns the number of threads of this process.
size_t Threads() {
  return DefaultFiles()->GetChildren("/proc/self/task").value().size();
}

// The result of an operation, on an InlineQueue or directly.
struct Outcome {
  bool ended = false;
  StatusOr<QueueTuple> result = QueueTuple();
  Done AsDone() {
    return Done([this](Status s) {
      ended = true;
      if (!s.ok()) result = std::move(s);
    });
  }
  Queue::TupleDone AsTuple() {
    return [this](StatusOr<QueueTuple> r) {
      ended = true;
      result = std::move(r);
    };
  }
  std::vector<int64_t> values() const { return Values(*result); }
};

class QueueTest : public ::testing::Test {
 protected:
  QueueCaller Caller(CancelScope* cancel = nullptr) {
    QueueCaller caller;
    caller.cancel = cancel;
    caller.allocator = HostAllocator();
    caller.completions = &later_;
    return caller;
  }
  void Make(QueueKind kind, int32_t capacity) {
    queue_ = MakeRef<Queue>(Int64s(kind, capacity), "q");
  }
  void Put(int64_t begin, int64_t end) {
    Outcome put;
    queue_->EnqueueMany(Caller(), Many(begin, end), put.AsDone());
    ASSERT_TRUE(put.ended);
    ASSERT_TRUE(put.result.ok());
  }

  InlineQueue later_;
  Ref<Queue> queue_;
};

TEST_F(QueueTest, AWaitingDequeueIsFedByAnEnqueue) {
  Make(QueueKind::kFifo, 10);
  Outcome take, put;
  queue_->Dequeue(Caller(), take.AsTuple());
  EXPECT_FALSE(take.ended);
  queue_->Enqueue(Caller(), One(7), put.AsDone());
  EXPECT_TRUE(put.ended);
  EXPECT_FALSE(take.ended);  // not on the enqueuer's stack
  EXPECT_EQ(later_.RunAll(), 1);
  EXPECT_THAT(take.values(), ElementsAre(7));
}

TEST_F(QueueTest, OperationsAreServedInOrder) {
  Make(QueueKind::kFifo, 3);
  Outcome big, small, put;
  queue_->DequeueMany(Caller(), 4, SmallBatch::kRefuse, big.AsTuple());
  queue_->Dequeue(Caller(), small.AsTuple());
  queue_->EnqueueMany(Caller(), Many(0, 5), put.AsDone());
  later_.RunAll();
  EXPECT_TRUE(put.ended);
  EXPECT_THAT(big.values(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(small.values(), ElementsAre(4));
}

TEST_F(QueueTest, ACancelledDequeuePutsBackWhatItHad) {
  for (QueueKind kind : {QueueKind::kFifo, QueueKind::kPriority}) {
    Make(kind, 100);
    Put(0, 3);
    CancelScope step;
    Outcome take;
    queue_->DequeueMany(Caller(&step), 5, SmallBatch::kRefuse, take.AsTuple());
    step.Cancel(Cancelled("stop"));
    later_.RunAll();
    ASSERT_TRUE(take.ended);
    EXPECT_EQ(take.result.status(),
              Cancelled("Dequeue operation was cancelled"));
    EXPECT_EQ(queue_->size(), 3);
    Outcome again;
    queue_->DequeueMany(Caller(), 3, SmallBatch::kRefuse, again.AsTuple());
    EXPECT_THAT(again.values(), ElementsAre(0, 1, 2));
  }
}

// The timer that ends a step may be late; its client has its answer already.
TEST_F(QueueTest, WhatWaitsBeyondItsDeadlineGetsNothingAndBringsNothing) {
  Make(QueueKind::kFifo, 2);
  CancelScope step;
  QueueCaller late = Caller(&step);
  late.deadline = Deadline::At(0);
  Outcome take, next;
  queue_->Dequeue(late, take.AsTuple());
  queue_->Dequeue(Caller(), next.AsTuple());
  Put(0, 3);
  later_.RunAll();
  EXPECT_FALSE(take.ended);
  EXPECT_THAT(next.values(), ElementsAre(0));

  Outcome put, drain, rest;
  queue_->Enqueue(late, One(7), put.AsDone());
  queue_->DequeueMany(Caller(), 2, SmallBatch::kRefuse, drain.AsTuple());
  EXPECT_THAT(drain.values(), ElementsAre(1, 2));
  EXPECT_EQ(queue_->size(), 0);
  EXPECT_FALSE(put.ended);

  // Closing refuses waiting enqueues before a dequeue gets fewer elements
  // than it requested.
  Outcome close;
  queue_->DequeueMany(Caller(), 5, SmallBatch::kAllow, rest.AsTuple());
  queue_->Close(Caller(), PendingEnqueues::kWaitFor, close.AsDone());
  EXPECT_TRUE(close.ended);
  later_.RunAll();
  EXPECT_EQ(put.result.status().code(), StatusCode::kCancelled);
  EXPECT_EQ(rest.result.status().code(), StatusCode::kOutOfRange);
  EXPECT_FALSE(take.ended);
  step.Cancel(DeadlineExceeded("late"));
  later_.RunAll();
  EXPECT_EQ(take.result.status(), DeadlineExceeded("late"));
  EXPECT_EQ(queue_->waiting(), 0);
}

TEST_F(QueueTest, ACancelledDequeueLetsTheNextGoOn) {
  Make(QueueKind::kFifo, 100);
  Put(0, 3);
  CancelScope step;
  Outcome big, small;
  queue_->DequeueMany(Caller(&step), 5, SmallBatch::kRefuse, big.AsTuple());
  queue_->DequeueMany(Caller(), 2, SmallBatch::kRefuse, small.AsTuple());
  EXPECT_FALSE(small.ended);
  step.Cancel(DeadlineExceeded("late"));
  later_.RunAll();
  EXPECT_EQ(big.result.status(), DeadlineExceeded("late"));
  EXPECT_THAT(small.values(), ElementsAre(0, 1));
  EXPECT_EQ(queue_->size(), 1);
}

TEST_F(QueueTest, ACancelledEnqueueOfManyLeavesWhatWentIn) {
  Make(QueueKind::kFifo, 4);
  Put(0, 2);
  CancelScope step;
  Outcome put, take;
  queue_->EnqueueMany(Caller(&step), Many(2, 8), put.AsDone());
  step.Cancel(Cancelled("stop"));
  later_.RunAll();
  EXPECT_EQ(put.result.status(), Cancelled("Enqueue operation was cancelled"));
  queue_->DequeueMany(Caller(), 4, SmallBatch::kRefuse, take.AsTuple());
  EXPECT_THAT(take.values(), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(queue_->size(), 0);
}

TEST_F(QueueTest, AnOperationOfACancelledStepDoesNotWait) {
  Make(QueueKind::kFifo, 4);
  CancelScope step;
  step.Cancel(Cancelled("stop"));
  Outcome take;
  queue_->Dequeue(Caller(&step), take.AsTuple());
  EXPECT_TRUE(take.ended);
  EXPECT_EQ(queue_->waiting(), 0);
}

TEST_F(QueueTest, CloseWaitsForThoseBeforeIt) {
  Make(QueueKind::kFifo, 2);
  Put(0, 2);
  Outcome put, close, after, take;
  queue_->Enqueue(Caller(), One(2), put.AsDone());
  queue_->Close(Caller(), PendingEnqueues::kWaitFor, close.AsDone());
  queue_->Enqueue(Caller(), One(3), after.AsDone());
  EXPECT_FALSE(close.ended);
  EXPECT_FALSE(queue_->is_closed());
  queue_->Dequeue(Caller(), take.AsTuple());
  later_.RunAll();
  EXPECT_TRUE(put.ended && put.result.ok());
  EXPECT_TRUE(close.ended && close.result.ok());
  EXPECT_EQ(after.result.status(), Cancelled("FIFOQueue 'q' is closed."));
  EXPECT_EQ(queue_->size(), 2);
}

TEST_F(QueueTest, CloseWithCancelEndsThem) {
  Make(QueueKind::kFifo, 2);
  Put(0, 2);
  Outcome put, close, take;
  queue_->EnqueueMany(Caller(), Many(2, 4), put.AsDone());
  queue_->Close(Caller(), PendingEnqueues::kCancel, close.AsDone());
  later_.RunAll();
  EXPECT_TRUE(close.ended);
  EXPECT_EQ(put.result.status(), Cancelled("Enqueue operation was cancelled"));
  queue_->DequeueMany(Caller(), 3, SmallBatch::kRefuse, take.AsTuple());
  EXPECT_EQ(take.result.status(),
            OutOfRange("FIFOQueue 'q' is closed and has insufficient elements "
                       "(requested 3, current size 2)"));
  EXPECT_EQ(queue_->size(), 2);
}

TEST_F(QueueTest, UpToTakesTheRestOfAClosedQueue) {
  for (QueueKind kind : {QueueKind::kFifo, QueueKind::kRandomShuffle,
                         QueueKind::kPaddingFifo, QueueKind::kPriority}) {
    Make(kind, 10);
    Put(0, 3);
    Outcome open, closed, close;
    queue_->DequeueMany(Caller(), 5, SmallBatch::kAllow, open.AsTuple());
    EXPECT_FALSE(open.ended);
    queue_->Close(Caller(), PendingEnqueues::kWaitFor, close.AsDone());
    later_.RunAll();
    ASSERT_TRUE(open.ended);
    std::vector<int64_t> values = open.values();
    std::sort(values.begin(), values.end());
    EXPECT_THAT(values, ElementsAre(0, 1, 2));
    queue_->DequeueMany(Caller(), 5, SmallBatch::kAllow, closed.AsTuple());
    EXPECT_EQ(closed.result.status().code(), StatusCode::kOutOfRange);
  }
}

TEST_F(QueueTest, ShuffleKeepsItsMinimumUntilClosed) {
  Queue::Options o = Int64s(QueueKind::kRandomShuffle, 100);
  o.min_after_dequeue = 3;
  queue_ = MakeRef<Queue>(o, "q");
  Put(0, 5);
  Outcome many, close;
  queue_->DequeueMany(Caller(), 4, SmallBatch::kRefuse, many.AsTuple());
  EXPECT_FALSE(many.ended);
  EXPECT_EQ(queue_->size(), 3);
  queue_->Close(Caller(), PendingEnqueues::kWaitFor, close.AsDone());
  later_.RunAll();
  ASSERT_TRUE(many.ended);
  EXPECT_EQ(many.values().size(), 4u);
}

TEST_F(QueueTest, ManyLargerThanTheCapacity) {
  Make(QueueKind::kFifo, 2);
  Outcome put, take;
  queue_->EnqueueMany(Caller(), Many(0, 100), put.AsDone());
  queue_->DequeueMany(Caller(), 100, SmallBatch::kRefuse, take.AsTuple());
  later_.RunAll();
  EXPECT_TRUE(put.ended);
  EXPECT_EQ(take.values(), Values(Many(0, 100)));
}

TEST_F(QueueTest, RemovalEndsAllThatWaits) {
  Make(QueueKind::kFifo, 1);
  Outcome take, put;
  queue_->Dequeue(Caller(), take.AsTuple());
  queue_->OnRemoved();
  later_.RunAll();
  EXPECT_EQ(take.result.status().code(), StatusCode::kCancelled);
  EXPECT_THAT(std::string(take.result.status().message()),
              HasSubstr("'q' was removed"));
}

TEST_F(QueueTest, TenThousandWaitWithoutThreadsAndAreNamed) {
  Make(QueueKind::kFifo, 10);
  constexpr int kWaiting = 10'000;
  std::vector<Outcome> takes(kWaiting);
  CancelScope step;
  const size_t waits_before = ListWaits().size();
  const size_t threads_before = Threads();
  for (Outcome& o : takes) queue_->Dequeue(Caller(&step), o.AsTuple());
  EXPECT_EQ(queue_->waiting(), kWaiting);
  EXPECT_EQ(Threads(), threads_before);
  const auto waits = ListWaits();
  ASSERT_EQ(waits.size(), waits_before + kWaiting);
  EXPECT_THAT(waits.back().what, HasSubstr("dequeue from queue q"));
  Put(0, kWaiting / 2);
  step.Cancel(Cancelled("stop"));
  later_.RunAll();
  int fed = 0;
  for (const Outcome& o : takes) {
    ASSERT_TRUE(o.ended);
    fed += o.result.ok();
  }
  EXPECT_EQ(fed, kWaiting / 2);
  EXPECT_EQ(ListWaits().size(), waits_before);
}

TEST_F(QueueTest, WaitsSayHowManyElementsAreMissing) {
  const auto missing = [] {
    const std::string what = ListWaits().back().what;
    return what.substr(what.rfind(": ") + 2);
  };
  Make(QueueKind::kFifo, 4);
  Outcome take, many, one;
  queue_->Dequeue(Caller(), take.AsTuple());
  EXPECT_THAT(ListWaits().back().what,
              HasSubstr("dequeue from queue q, node "));
  EXPECT_EQ(missing(), "1 element missing");
  queue_->DequeueMany(Caller(), 5, SmallBatch::kRefuse, many.AsTuple());
  EXPECT_THAT(ListWaits().back().what, HasSubstr("dequeue of 5 from queue q"));
  EXPECT_EQ(missing(), "5 elements missing");
  Put(0, 3);
  EXPECT_EQ(missing(), "3 elements missing");
  Put(3, 6);
  EXPECT_EQ(later_.RunAll(), 2);
  Put(6, 9);
  queue_->EnqueueMany(Caller(), Many(9, 12), one.AsDone());
  EXPECT_THAT(ListWaits().back().what, HasSubstr("enqueue of 3 to queue q"));
  EXPECT_EQ(missing(), "2 places missing");
  queue_ = Ref<Queue>();  // which ends `one`
  EXPECT_TRUE(one.ended);
}

TEST_F(QueueTest, WhatStaysInAShufflingQueueIsMissingToo) {
  Queue::Options options = Int64s(QueueKind::kRandomShuffle, 10);
  options.min_after_dequeue = 3;
  queue_ = MakeRef<Queue>(options, "q");
  Outcome take;
  Put(0, 1);
  queue_->Dequeue(Caller(), take.AsTuple());
  EXPECT_THAT(ListWaits().back().what, EndsWith(": 3 elements missing"));
  Put(1, 3);
  EXPECT_THAT(ListWaits().back().what, EndsWith(": 1 element missing"));
  Put(3, 4);
  EXPECT_EQ(later_.RunAll(), 1);
}

TEST_F(QueueTest, AMillionScalarsCostLittle) {
  struct {
    QueueKind kind;
    bool many;
  } const kCases[] = {{QueueKind::kFifo, false},
                      {QueueKind::kFifo, true},
                      {QueueKind::kRandomShuffle, false},
                      {QueueKind::kPriority, false}};
  for (const auto& c : kCases) {
    Make(c.kind, 2'000'000);
    const int64_t before = HeapBytes();
    if (c.many) {
      for (int64_t i = 0; i < 100; ++i) Put(i * 10'000, (i + 1) * 10'000);
    } else {
      for (int64_t i = 0; i < 1'000'000; ++i) {
        queue_->Enqueue(Caller(), One(i), Done([](Status) {}));
      }
    }
    ASSERT_EQ(queue_->size(), 1'000'000);
    const double each = static_cast<double>(HeapBytes() - before) / 1e6;
    EXPECT_LE(each, 100) << static_cast<int>(c.kind) << c.many;
    std::printf("%s%s: %.1f bytes a scalar\n", KindName(c.kind),
                c.many ? ", in batches" : "", each);
  }
}

TEST_F(QueueTest, SingleElementsAreChargedToTheBudget) {
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit();
  for (const QueueKind kind :
       {QueueKind::kFifo, QueueKind::kRandomShuffle, QueueKind::kPriority}) {
    const int64_t before = budget.used();
    Make(kind, 2'000'000);
    budget.set_limit(before + 1'000'000);
    Outcome put;
    for (int64_t i = 0; i < 100'000 && put.result.ok(); ++i) {
      queue_->Enqueue(Caller(), One(i), put.AsDone());
    }
    budget.set_limit(limit);
    EXPECT_EQ(put.result.status().code(), StatusCode::kResourceExhausted)
        << KindName(kind) << put.result.status();
    EXPECT_GT(queue_->size(), 1000);
    queue_ = nullptr;
    EXPECT_EQ(budget.used(), before);
  }
}

TEST_F(QueueTest, AnImpossibleBatchIsRefusedAtOnce) {
  Queue::Options o = Int64s(QueueKind::kFifo, 10);
  o.shapes = {PartialShape({int64_t{1} << 40})};
  queue_ = MakeRef<Queue>(o, "q");
  Outcome take;
  queue_->DequeueMany(Caller(), 1 << 20, SmallBatch::kRefuse, take.AsTuple());
  ASSERT_TRUE(take.ended);
  EXPECT_EQ(take.result.status().code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace millrace::ops
