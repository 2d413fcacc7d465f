// Operations that wait on accumulators and staging areas, and end early.
#include "millrace/ops/queue/waiters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/device/devices.h"
#include "millrace/ops/queue/accumulator.h"
#include "millrace/ops/queue/staging.h"

namespace millrace::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;

// A node in a step of its own.
struct Call {
  explicit Call(Device& device)
      : ctx(node, device, step, absl::Span<EdgeValue>(),
            absl::Span<EdgeValue>()) {
    node.name = "n";
    step.cancel = &cancel;
  }
  Done AsDone() {
    return Done([this](Status s) {
      status = std::move(s);
      ended.Notify();
    });
  }
  // Expects a tuple of one int64 vector.
  StagedDone AsUse() {
    return [this](const StagedTuple& t) {
      const auto flat = t[0].flat<int64_t>();
      got.assign(flat.begin(), flat.end());
      return OkStatus();
    };
  }
  Status Wait() {
    ended.Wait();
    return status;
  }

  NodeInfo node;
  CancelScope cancel;
  StepEnvironment step;
  KernelContext ctx;
  Status status;
  Notification ended;
  std::vector<int64_t> got;
};

class WaitersTest : public ::testing::Test {
 protected:
  WaitersTest() : devices_(*MakeDevices({}, "a", 0)) {}
  Device& device() { return *devices_[0]; }
  static StagedTuple Tuple(int64_t v) { return {Tensor::Vector<int64_t>({v})}; }
  void Put(StagingArea& area, int64_t v) {
    Call put(device());
    area.Put(put.ctx, Tuple(v), put.AsDone());
    EXPECT_TRUE(put.Wait().ok());
  }

  std::vector<std::unique_ptr<Device>> devices_;
};

TEST_F(WaitersTest, AnUnstageThatIsCancelledTakesNothing) {
  const auto area = MakeRef<StagingArea>(StagingLimits{}, "area");
  Call late(device()), next(device());
  area->Get(late.ctx, late.AsUse(), late.AsDone());
  area->Get(next.ctx, next.AsUse(), next.AsDone());
  EXPECT_EQ(area->waiting(), 2);
  late.cancel.Cancel(DeadlineExceeded("late"));
  EXPECT_EQ(late.Wait(), DeadlineExceeded("late"));
  Put(*area, 7);
  EXPECT_TRUE(next.Wait().ok());
  EXPECT_THAT(next.got, ElementsAre(7));
  EXPECT_EQ(area->waiting(), 0);
}

TEST_F(WaitersTest, AStageThatIsCancelledAddsNothing) {
  const auto area = MakeRef<StagingArea>(StagingLimits{.capacity = 1}, "area");
  Put(*area, 1);
  Call late(device()), next(device()), take(device());
  area->Put(late.ctx, Tuple(2), late.AsDone());
  area->Put(next.ctx, Tuple(3), next.AsDone());
  late.cancel.Cancel(Cancelled("stop"));
  EXPECT_EQ(late.Wait(), Cancelled("stop"));
  area->Get(take.ctx, take.AsUse(), take.AsDone());
  EXPECT_TRUE(take.Wait().ok());
  EXPECT_THAT(take.got, ElementsAre(1));
  EXPECT_TRUE(next.Wait().ok());
  EXPECT_EQ(area->size(), 1);
}

// The timer that ends a step may be late; its client has its answer already.
TEST_F(WaitersTest, WhatWaitsBeyondItsDeadlineGetsNothingAndBringsNothing) {
  const auto area = MakeRef<StagingArea>(StagingLimits{.capacity = 1}, "area");
  Call get(device()), put(device()), take(device());
  get.step.deadline = put.step.deadline = Deadline::At(0);
  area->Get(get.ctx, get.AsUse(), get.AsDone());
  Put(*area, 1);
  EXPECT_EQ(area->size(), 1);
  area->Put(put.ctx, Tuple(2), put.AsDone());
  area->Get(take.ctx, take.AsUse(), take.AsDone());
  EXPECT_TRUE(take.Wait().ok());
  EXPECT_THAT(take.got, ElementsAre(1));
  EXPECT_EQ(area->size(), 0);
  EXPECT_EQ(area->waiting(), 2);
  for (Call* late : {&get, &put}) {
    late->cancel.Cancel(DeadlineExceeded("late"));
    EXPECT_EQ(late->Wait(), DeadlineExceeded("late"));
  }
  EXPECT_EQ(area->size(), 0);
}

TEST_F(WaitersTest, ATakeThatIsCancelledLeavesTheGradients) {
  const auto sum = MakeRef<Accumulator>(
      Accumulator::Options{.shape = PartialShape({1})}, "sum");
  Call late(device()), apply(device()), take(device());
  float mean = 0;
  const auto use = [&](const Accumulator::Sum& s) {
    mean = s.values.flat<float>()[0];
    return OkStatus();
  };
  sum->Take(late.ctx, 2, use, late.AsDone());
  EXPECT_TRUE(sum->ApplyDense(apply.ctx, 0, Tensor::Vector<float>({2})).ok());
  late.cancel.Cancel(DeadlineExceeded("late"));
  EXPECT_EQ(late.Wait(), DeadlineExceeded("late"));
  EXPECT_EQ(sum->num_accumulated(), 1);
  sum->Take(take.ctx, 2, use, take.AsDone());
  EXPECT_TRUE(sum->ApplyDense(apply.ctx, 0, Tensor::Vector<float>({4})).ok());
  EXPECT_TRUE(take.Wait().ok());
  EXPECT_EQ(mean, 3);
}

TEST_F(WaitersTest, ATakeSaysHowManyGradientsAreMissing) {
  const auto sum = MakeRef<Accumulator>(
      Accumulator::Options{.shape = PartialShape({1})}, "sum");
  const auto what = [] { return ListWaits().back().what; };
  Call take(device()), apply(device());
  take.node.name = "taker";
  take.step.step_id = 5;
  const auto use = [](const Accumulator::Sum&) { return OkStatus(); };
  sum->Take(take.ctx, 3, use, take.AsDone());
  EXPECT_EQ(what(),
            "take of 3 gradients from accumulator sum, node taker, step 5: "
            "3 gradients missing");
  EXPECT_TRUE(sum->ApplyDense(apply.ctx, 0, Tensor::Vector<float>({1})).ok());
  EXPECT_TRUE(sum->ApplyDense(apply.ctx, 0, Tensor::Vector<float>({1})).ok());
  EXPECT_THAT(what(), EndsWith(": 1 gradient missing"));
  // A stale gradient does not count.
  sum->SetGlobalStep(7);
  EXPECT_TRUE(sum->ApplyDense(apply.ctx, 6, Tensor::Vector<float>({1})).ok());
  EXPECT_THAT(what(), EndsWith(": 1 gradient missing"));
  EXPECT_TRUE(sum->ApplyDense(apply.ctx, 7, Tensor::Vector<float>({1})).ok());
  EXPECT_TRUE(take.Wait().ok());
}

TEST_F(WaitersTest, ATakeBehindAnotherMissesAllThatItWants) {
  const auto sum = MakeRef<Accumulator>(
      Accumulator::Options{.shape = PartialShape({1})}, "sum");
  Call first(device()), second(device()), apply(device());
  const auto use = [](const Accumulator::Sum&) { return OkStatus(); };
  sum->Take(first.ctx, 2, use, first.AsDone());
  EXPECT_TRUE(sum->ApplyDense(apply.ctx, 0, Tensor::Vector<float>({1})).ok());
  sum->Take(second.ctx, 3, use, second.AsDone());
  const auto what = [] { return ListWaits().back().what; };
  EXPECT_THAT(what(), EndsWith(": 3 gradients missing"));
  EXPECT_TRUE(sum->ApplyDense(apply.ctx, 0, Tensor::Vector<float>({1})).ok());
  EXPECT_TRUE(first.Wait().ok());
  EXPECT_THAT(what(), EndsWith(": 3 gradients missing"));
  EXPECT_TRUE(sum->ApplyDense(apply.ctx, 1, Tensor::Vector<float>({1})).ok());
  EXPECT_THAT(what(), EndsWith(": 2 gradients missing"));
  sum->OnRemoved();
  EXPECT_EQ(second.Wait().code(), StatusCode::kCancelled);
}

TEST_F(WaitersTest, RemovalEndsAllThatWaits) {
  const auto area = MakeRef<StagingArea>(StagingLimits{}, "area");
  Call take(device());
  area->Get(take.ctx, take.AsUse(), take.AsDone());
  area->OnRemoved();
  EXPECT_EQ(take.Wait().code(), StatusCode::kCancelled);
  // This call has looked the resource up before.
  Call late(device());
  area->Get(late.ctx, late.AsUse(), late.AsDone());
  EXPECT_EQ(late.Wait().code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace millrace::ops
