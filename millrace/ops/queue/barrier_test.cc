#include "millrace/ops/queue/barrier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "millrace/base/memory/memory_budget.h"

namespace millrace::ops {
namespace {

using ::testing::ElementsAre;

class BarrierTest : public ::testing::Test {
 protected:
  QueueCaller Caller(CancelScope* cancel = nullptr) {
    QueueCaller caller;
    caller.cancel = cancel;
    caller.allocator = HostAllocator();
    caller.completions = &later_;
    return caller;
  }
  Status Insert(int component, std::vector<std::string> keys,
                std::vector<int64_t> values) {
    Status result = Internal("not done");
    barrier_->InsertMany(Caller(), component,
                         Tensor::Vector<std::string>(absl::MakeConstSpan(keys)),
                         Tensor::Vector<int64_t>(absl::MakeConstSpan(values)),
                         Done([&](Status s) { result = std::move(s); }));
    return result;
  }
  void Take(int64_t n, CancelScope* cancel = nullptr) {
    ended_ = false;
    barrier_->TakeMany(Caller(cancel), n, false,
                       [this](StatusOr<QueueTuple> r) {
                         ended_ = true;
                         taken_ = std::move(r);
                       });
  }
  void Close() {
    barrier_->Close(Caller(), PendingEnqueues::kWaitFor,
                    Done([](Status s) { EXPECT_TRUE(s.ok()) << s; }));
  }
  std::vector<int64_t> Component(size_t i) const {
    const auto flat = (*taken_)[2 + i].flat<int64_t>();
    return {flat.begin(), flat.end()};
  }

  InlineQueue later_;
  const Ref<Barrier> barrier_ =
      MakeRef<Barrier>(Barrier::Options{{DataType::kInt64, DataType::kInt64},
                                        {PartialShape({}), PartialShape({})}},
                       "b");
  bool ended_ = false;
  StatusOr<QueueTuple> taken_ = QueueTuple();
};

TEST_F(BarrierTest, AWaitingTakeGetsWhatIsCompletedByTheOldestKey) {
  Take(2);
  EXPECT_TRUE(Insert(0, {"a"}, {1}).ok());
  EXPECT_TRUE(Insert(0, {"b"}, {2}).ok());
  EXPECT_TRUE(Insert(1, {"b"}, {20}).ok());
  EXPECT_FALSE(ended_);
  EXPECT_TRUE(Insert(1, {"a"}, {10}).ok());
  later_.RunAll();
  ASSERT_TRUE(ended_ && taken_.ok());
  EXPECT_THAT(Component(0), ElementsAre(1, 2));
  EXPECT_THAT(Component(1), ElementsAre(10, 20));
}

TEST_F(BarrierTest, ACancelledTakeLosesNothing) {
  CancelScope step;
  EXPECT_TRUE(Insert(0, {"a", "b"}, {1, 2}).ok());
  EXPECT_TRUE(Insert(1, {"a", "b"}, {10, 20}).ok());
  Take(3, &step);
  step.Cancel(DeadlineExceeded("late"));
  later_.RunAll();
  ASSERT_TRUE(ended_);
  EXPECT_EQ(taken_.status(), DeadlineExceeded("late"));
  EXPECT_EQ(barrier_->ready_size(), 2);
  Take(2);
  EXPECT_THAT(Component(1), ElementsAre(10, 20));
}

TEST_F(BarrierTest, ClosedItEndsTakesOnceTheLastTupleIsComplete) {
  EXPECT_TRUE(Insert(0, {"a"}, {1}).ok());
  Close();
  EXPECT_EQ(Insert(0, {"b"}, {1}).code(), StatusCode::kCancelled);
  Take(1);
  EXPECT_FALSE(ended_);
  EXPECT_TRUE(Insert(1, {"a"}, {10}).ok());
  later_.RunAll();
  ASSERT_TRUE(ended_ && taken_.ok());
  EXPECT_THAT(Component(1), ElementsAre(10));
  Take(1);
  EXPECT_EQ(taken_.status().code(), StatusCode::kOutOfRange);
}

TEST_F(BarrierTest, ARowAtFaultLeavesThoseBeforeIt) {
  EXPECT_TRUE(Insert(0, {"a", "b"}, {1, 2}).ok());
  EXPECT_TRUE(Insert(1, {"b"}, {20}).ok());
  EXPECT_EQ(Insert(0, {"c", "c"}, {3, 4}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(barrier_->ready_size(), 1);
  EXPECT_EQ(barrier_->incomplete_size(), 2);
}

TEST_F(BarrierTest, TuplesThatAreNotCompleteAreChargedToTheBudget) {
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit(), before = budget.used();
  budget.set_limit(before + 1'000'000);
  Status status;
  int64_t keys = 0;
  for (; keys < 100'000 && status.ok(); ++keys) {
    status = Insert(0, {absl::StrCat(keys)}, {1});
  }
  budget.set_limit(limit);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
  EXPECT_GT(keys, 1000);
  barrier_->OnRemoved();
  EXPECT_EQ(budget.used(), before);
}

}  // namespace
}  // namespace millrace::ops
