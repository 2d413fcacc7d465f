#include "millrace/ops/data/sharded_elements.h"

#include <gtest/gtest.h>

#include "millrace/device/devices.h"
#include "millrace/kernel/device_retirement.h"

namespace millrace::ops {
namespace {

constexpr int64_t kLongMillis = 60'000;

// Returns the numbers below `count`; number `bad` is an error.
class NumberIterator final : public DatasetIterator {
 public:
  NumberIterator(int64_t count, std::shared_ptr<std::atomic<int64_t>> taken,
                 int64_t bad = -1)
      : count_(count), bad_(bad), taken_(std::move(taken)) {}
  StatusOr<Pull> Next(PollContext&, Element* out) override {
    if (taken_->load() >= count_) return Pull::kEnd;
    const int64_t number = taken_->fetch_add(1);
    if (number == bad_) return InvalidArgument("a bad number");
    out->assign(1, Tensor::Scalar<int64_t>(number));
    return Pull::kElement;
  }

 private:
  const int64_t count_, bad_;
  const std::shared_ptr<std::atomic<int64_t>> taken_;
};

// A step with one node, which gets an element.
class ShardStep {
 public:
  explicit ShardStep(Device& device)
      : context_(node_, device, environment_, {}, absl::MakeSpan(outputs_)) {
    node_.name = "next";
    node_.output_types = {DataType::kInt64};
    node_.attrs.Set("output_types", AttrValue::TypeList{DataType::kInt64});
    node_.attrs.Set("output_shapes", AttrValue::ShapeList{PartialShape({})});
    environment_.cancel = &cancel_;
  }

  KernelContext& context() { return context_; }
  void Begin(ShardedElements& elements, int64_t shard,
             const std::shared_ptr<DealerTask>& dealer) {
    elements.GetNext(context_, shard, dealer, Done([this](Status status) {
                       status_ = std::move(status);
                       ended_.Notify();
                     }));
  }
  void Cancel() { cancel_.Cancel(DeadlineExceeded("late")); }
  bool ended() const { return ended_.HasBeenNotified(); }
  Status End() {
    EXPECT_TRUE(ended_.WaitUntil(Deadline::AfterMillis(kLongMillis)));
    return status_;
  }
  int64_t Value() {
    const Status status = End();
    EXPECT_TRUE(status.ok()) << status;
    return status.ok() ? outputs_[0].tensor.scalar<int64_t>() : -1;
  }

 private:
  NodeInfo node_;
  CancelScope cancel_;
  StepEnvironment environment_;
  std::vector<EdgeValue> outputs_ = std::vector<EdgeValue>(1);
  KernelContext context_;
  Notification ended_;
  Status status_;
};

class ShardedElementsTest : public ::testing::Test {
 protected:
  ShardedElementsTest() : retirement_(devices_) {
    devices_ = MakeDevices({}, "localhost", 0).value();
  }
  Device& device() { return *devices_[0]; }
  void Deal(int64_t count, int64_t shards, int64_t size, int64_t bad = -1) {
    ShardStep maker(device());
    elements_ = MakeRef<ShardedElements>(shards, size);
    dealer_ = std::make_shared<DealerTask>(
        IteratorRuntime::Make(maker.context()),
        std::make_unique<NumberIterator>(count, taken_, bad), elements_);
  }
  int64_t Next(int64_t shard) {
    ShardStep step(device());
    step.Begin(*elements_, shard, dealer_);
    return step.Value();
  }
  StatusCode NextError(int64_t shard) {
    ShardStep step(device());
    step.Begin(*elements_, shard, dealer_);
    return step.End().code();
  }

  std::vector<std::unique_ptr<Device>> devices_;
  const DeviceRetirement retirement_;
  const std::shared_ptr<std::atomic<int64_t>> taken_ =
      std::make_shared<std::atomic<int64_t>>(0);
  Ref<ShardedElements> elements_;
  std::shared_ptr<DealerTask> dealer_;
};

TEST_F(ShardedElementsTest, ShardsHaveTheirTurns) {
  Deal(7, 3, 4);
  EXPECT_EQ(Next(1), 1);
  EXPECT_EQ(Next(1), 4);
  EXPECT_EQ(Next(0), 0);
  EXPECT_EQ(Next(2), 2);
  EXPECT_EQ(Next(0), 3);
  EXPECT_EQ(Next(0), 6);
  EXPECT_EQ(Next(2), 5);
  EXPECT_EQ(NextError(0), StatusCode::kOutOfRange);
  EXPECT_EQ(NextError(1), StatusCode::kOutOfRange);
}

TEST_F(ShardedElementsTest, AnErrorHasItsTurn) {
  Deal(4, 2, 4, 1);
  EXPECT_EQ(Next(0), 0);
  EXPECT_EQ(NextError(1), StatusCode::kInvalidArgument);
  EXPECT_EQ(Next(1), 3);
  EXPECT_EQ(Next(0), 2);
}

TEST_F(ShardedElementsTest, AShardThatNobodyAsksForStopsTheOthers) {
  Deal(100, 2, 2);
  EXPECT_EQ(Next(0), 0);
  EXPECT_EQ(Next(0), 2);
  EXPECT_EQ(Next(0), 4);
  ShardStep waits(device());
  waits.Begin(*elements_, 0, dealer_);
  EXPECT_FALSE(waits.ended());
  EXPECT_EQ(Next(1), 1);
  EXPECT_EQ(waits.Value(), 6);
  EXPECT_LE(taken_->load(), 12);
}

TEST_F(ShardedElementsTest, ACancelledOperationTakesNoElement) {
  Deal(100, 2, 1);
  EXPECT_EQ(Next(0), 0);
  EXPECT_EQ(Next(0), 2);
  ShardStep waits(device());
  waits.Begin(*elements_, 0, dealer_);
  waits.Cancel();
  EXPECT_EQ(waits.End().code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Next(1), 1);
  EXPECT_EQ(Next(0), 4);
}

TEST_F(ShardedElementsTest, CloseEndsWhatWaits) {
  Deal(100, 2, 1);
  EXPECT_EQ(Next(0), 0);
  EXPECT_EQ(Next(0), 2);
  ShardStep waits(device());
  waits.Begin(*elements_, 0, dealer_);
  dealer_->Close();
  EXPECT_EQ(waits.End().code(), StatusCode::kCancelled);
  EXPECT_EQ(NextError(0), StatusCode::kCancelled);
}

}  // namespace
}  // namespace millrace::ops
