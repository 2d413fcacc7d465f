#include "millrace/ops/data/iterator_run.h"

#include <gtest/gtest.h>

#include <deque>

#include "millrace/base/memory/memory_budget.h"
#include "millrace/device/devices.h"
#include "millrace/kernel/device_retirement.h"
#include "millrace/ops/dataset/prefetch.h"

namespace millrace::ops {
namespace {

constexpr int64_t kEnoughMillis = 60'000;

Element One(int64_t v) { return {Tensor::Scalar<int64_t>(v)}; }

// Returns the elements that are put into it, and the end after a negative
// number.
class Tap {
 public:
  void Put(int64_t v) {
    std::shared_ptr<PollTask> task;
    {
      MutexLock lock(mu_);
      values_.push_back(v);
      task = task_.lock();
    }
    if (task != nullptr) task->Wake();
  }
  StatusOr<Pull> Next(PollContext& ctx, Element* out) {
    MutexLock lock(mu_);
    task_ = ctx.task();
    if (values_.empty()) return Pull::kPending;
    const int64_t v = values_.front();
    if (v < 0) return Pull::kEnd;
    values_.pop_front();
    *out = One(v);
    return Pull::kElement;
  }

 private:
  Mutex mu_;
  std::deque<int64_t> values_;
  std::weak_ptr<PollTask> task_;
};

class TapIterator final : public DatasetIterator {
 public:
  explicit TapIterator(std::shared_ptr<Tap> tap) : tap_(std::move(tap)) {}
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    return tap_->Next(ctx, out);
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "tap", 1);
    return OkStatus();
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    return in.Count(prefix + "tap", 1).status();
  }

 private:
  const std::shared_ptr<Tap> tap_;
};

// A step with one node.
struct TestStep {
  explicit TestStep(Device& device)
      : context(node, device, environment, {}, {}) {
    node.name = "next";
    environment.cancel = &cancel;
  }
  NodeInfo node;
  CancelScope cancel;
  StepEnvironment environment;
  KernelContext context;
};

// The result of a request.
struct Outcome {
  IteratorRun::NextDone AsDone() {
    return [this](StatusOr<std::optional<Element>> r) {
      result = std::move(r);
      ended.Notify();
    };
  }
  int64_t Value() {
    EXPECT_TRUE(ended.WaitUntil(Deadline::AfterMillis(kEnoughMillis)));
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok() || !result->has_value()) return -1;
    return (**result)[0].scalar<int64_t>();
  }
  Notification ended;
  StatusOr<std::optional<Element>> result = std::optional<Element>();
};

class IteratorRunTest : public ::testing::Test {
 protected:
  IteratorRunTest() : retirement_(devices_) {
    devices_ = MakeDevices({}, "localhost", 0).value();
  }
  Device& device() { return *devices_[0]; }
  std::shared_ptr<IteratorRun> RunOf(
      std::shared_ptr<IteratorRuntime> runtime,
      std::unique_ptr<DatasetIterator> iterator) {
    return IteratorRun::Make(std::move(runtime), {}, std::move(iterator));
  }
  std::shared_ptr<IteratorRun> RunOf(std::unique_ptr<DatasetIterator> it) {
    TestStep step(device());
    return RunOf(IteratorRuntime::Make(step.context), std::move(it));
  }

  std::vector<std::unique_ptr<Device>> devices_;
  const DeviceRetirement retirement_;
};

TEST_F(IteratorRunTest, GivesElementsInTheOrderOfRequests) {
  const auto tap = std::make_shared<Tap>();
  const auto run = RunOf(std::make_unique<TapIterator>(tap));
  TestStep first(device()), second(device()), third(device());
  Outcome a, b, c;
  run->GetNext(first.context, "a", a.AsDone());
  run->GetNext(second.context, "b", b.AsDone());
  tap->Put(1);
  EXPECT_EQ(a.Value(), 1);
  EXPECT_FALSE(b.ended.HasBeenNotified());
  tap->Put(2);
  EXPECT_EQ(b.Value(), 2);
  tap->Put(-1);
  run->GetNext(third.context, "c", c.AsDone());
  EXPECT_EQ(c.Value(), -1);
}

TEST_F(IteratorRunTest, ACancelledRequestTakesNoElement) {
  const auto tap = std::make_shared<Tap>();
  const auto run = RunOf(std::make_unique<TapIterator>(tap));
  TestStep first(device()), second(device());
  Outcome a, b;
  run->GetNext(first.context, "a", a.AsDone());
  first.cancel.Cancel(DeadlineExceeded("late"));
  ASSERT_TRUE(a.ended.WaitUntil(Deadline::AfterMillis(kEnoughMillis)));
  EXPECT_EQ(a.result.status().code(), StatusCode::kDeadlineExceeded);
  tap->Put(7);
  run->GetNext(second.context, "b", b.AsDone());
  EXPECT_EQ(b.Value(), 7);
  // The step is over already.
  Outcome c;
  run->GetNext(first.context, "c", c.AsDone());
  ASSERT_TRUE(c.ended.WaitUntil(Deadline::AfterMillis(kEnoughMillis)));
  EXPECT_EQ(c.result.status().code(), StatusCode::kDeadlineExceeded);
}

TEST_F(IteratorRunTest, ServesWhoWaitsThoughNobodyElseHoldsIt) {
  const auto tap = std::make_shared<Tap>();
  auto run = RunOf(std::make_unique<TapIterator>(tap));
  const std::weak_ptr<IteratorRun> weak = run;
  TestStep step(device());
  Outcome a;
  run->GetNext(step.context, "a", a.AsDone());
  run->Retire();
  run = nullptr;
  tap->Put(5);
  EXPECT_EQ(a.Value(), 5);
  while (weak.lock() != nullptr) Yield();
}

TEST_F(IteratorRunTest, CloseEndsWhatWaits) {
  const auto run =
      RunOf(std::make_unique<TapIterator>(std::make_shared<Tap>()));
  TestStep step(device());
  Outcome a, b;
  run->GetNext(step.context, "a", a.AsDone());
  run->Close(Cancelled("gone"));
  ASSERT_TRUE(a.ended.WaitUntil(Deadline::AfterMillis(kEnoughMillis)));
  EXPECT_EQ(a.result.status().code(), StatusCode::kCancelled);
  run->GetNext(step.context, "b", b.AsDone());
  ASSERT_TRUE(b.ended.HasBeenNotified());
  EXPECT_EQ(b.result.status().code(), StatusCode::kCancelled);
}

TEST_F(IteratorRunTest, APrefetchWithoutMemoryGoesOnWithTheNextElement) {
  const auto tap = std::make_shared<Tap>();
  constexpr int kElements = 300;
  for (int i = 0; i < kElements; ++i) tap->Put(i);
  TestStep maker(device());
  const auto runtime = IteratorRuntime::Make(maker.context);
  auto task = std::make_shared<PrefetchTask>(
      *runtime, std::make_unique<TapIterator>(tap),
      PrefetchTask::Options{.size = 200});
  const auto run = RunOf(
      runtime, std::make_unique<PrefetchingIterator>(
                   std::move(task), std::vector<DataType>{DataType::kInt64}));
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit();
  budget.set_limit(budget.used() + 10'000);  // room for less
  for (int i = 0; i < kElements; ++i) {
    TestStep step(device());
    Outcome a;
    run->GetNext(step.context, "a", a.AsDone());
    EXPECT_EQ(a.Value(), i);
  }
  budget.set_limit(limit);
}

// Saves the state of `run`, into `state` when the outcome ends.
void SaveInto(IteratorRun& run, KernelContext& ctx, VariantElement* state,
              Outcome* outcome) {
  run.RunExclusively(
      ctx, "save",
      [state](DatasetIterator& iterator) -> Status {
        StateWriter writer;
        MR_RETURN_IF_ERROR(iterator.Save(writer, ""));
        MR_ASSIGN_OR_RETURN(*state, writer.Take());
        return OkStatus();
      },
      Done([outcome](Status status) {
        if (!status.ok()) outcome->result = std::move(status);
        outcome->ended.Notify();
      }));
}

TEST_F(IteratorRunTest, ASaveWaitsForWhatIsInProgressAndTheWorkGoesOn) {
  const auto tap = std::make_shared<Tap>();
  TestStep maker(device());
  const auto runtime = IteratorRuntime::Make(maker.context);
  const std::vector<DataType> types{DataType::kInt64};
  const auto prefetch = [&](const std::shared_ptr<Tap>& from) {
    return std::make_unique<PrefetchingIterator>(
        std::make_shared<PrefetchTask>(*runtime,
                                       std::make_unique<TapIterator>(from),
                                       PrefetchTask::Options{.size = 3}),
        types);
  };
  const auto run = RunOf(runtime, prefetch(tap));
  TestStep first(device()), second(device()), third(device());
  Outcome one, saved, two;
  tap->Put(1);
  run->GetNext(first.context, "one", one.AsDone());
  EXPECT_EQ(one.Value(), 1);
  // The prefetching waits for the second element.
  VariantElement state;
  SaveInto(*run, second.context, &state, &saved);
  EXPECT_FALSE(saved.ended.WaitUntil(Deadline::AfterMillis(20)));
  tap->Put(2);
  EXPECT_EQ(saved.Value(), -1);
  ASSERT_NE(state, nullptr);
  // It did not begin with the third one, and does so with the next request.
  tap->Put(3);
  run->GetNext(third.context, "two", two.AsDone());
  EXPECT_EQ(two.Value(), 2);

  const auto other = std::make_shared<Tap>();
  std::unique_ptr<PrefetchingIterator> restored = prefetch(other);
  StateReader reader(Ref<const IteratorStateValue>::Share(
                         static_cast<const IteratorStateValue*>(state.get())),
                     *runtime);
  ASSERT_TRUE(restored->Restore(reader, "").ok());
  const auto restored_run = RunOf(runtime, std::move(restored));
  other->Put(7);
  for (const int64_t expected : {2, 7}) {
    TestStep step(device());
    Outcome next;
    restored_run->GetNext(step.context, "next", next.AsDone());
    EXPECT_EQ(next.Value(), expected);
  }
}

TEST_F(IteratorRunTest, WorkAheadThatDoesNotRestIsNotSaved) {
  TestStep maker(device());
  const auto runtime = IteratorRuntime::Make(maker.context);
  const auto task = std::make_shared<PrefetchTask>(
      *runtime, std::make_unique<TapIterator>(std::make_shared<Tap>()),
      PrefetchTask::Options{});
  StateWriter writer;
  EXPECT_EQ(task->Save(writer, "").code(), StatusCode::kFailedPrecondition);
}

TEST_F(IteratorRunTest, WorkAheadThatNestsTooDeeplyIsNotSaved) {
  TestStep maker(device()), step(device());
  const auto runtime = IteratorRuntime::Make(maker.context);
  const std::vector<DataType> types{DataType::kInt64};
  std::unique_ptr<DatasetIterator> top =
      std::make_unique<TapIterator>(std::make_shared<Tap>());
  for (int i = 0; i < 2 * StateWriter::kMaxDepth; ++i) {
    top = std::make_unique<PrefetchingIterator>(
        std::make_shared<PrefetchTask>(*runtime, std::move(top),
                                       PrefetchTask::Options{}),
        types);
  }
  const auto run = RunOf(runtime, std::move(top));
  VariantElement state;
  Outcome saved;
  SaveInto(*run, step.context, &state, &saved);
  ASSERT_TRUE(saved.ended.WaitUntil(Deadline::AfterMillis(kEnoughMillis)));
  EXPECT_EQ(saved.result.status().code(), StatusCode::kResourceExhausted)
      << saved.result.status();
}

// Gets its elements from the run of another iterator.
class AskingIterator final : public DatasetIterator {
 public:
  AskingIterator(Device& device, std::shared_ptr<IteratorRun> below)
      : step_(device), below_(std::move(below)) {}
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    if (answer_ == nullptr) {
      answer_ = std::make_shared<Answer>();
      answer_->task = ctx.task();
      below_->GetNext(step_.context, "below",
                      [answer = answer_](StatusOr<std::optional<Element>> r) {
                        {
                          MutexLock lock(answer->mu);
                          answer->element = **std::move(r);
                          answer->there = true;
                        }
                        if (auto task = answer->task.lock()) task->Wake();
                      });
    }
    MutexLock lock(answer_->mu);
    if (!answer_->there) return Pull::kPending;
    *out = answer_->element;
    return Pull::kElement;
  }

 private:
  struct Answer {
    std::weak_ptr<PollTask> task;
    Mutex mu;
    bool there = false;
    Element element;
  };
  TestStep step_;
  const std::shared_ptr<IteratorRun> below_;
  std::shared_ptr<Answer> answer_;
};

TEST_F(IteratorRunTest, ManyRunsThatAskEachOtherTakeLittleStack) {
  const auto tap = std::make_shared<Tap>();
  std::vector<std::shared_ptr<IteratorRun>> runs;
  runs.push_back(RunOf(std::make_unique<TapIterator>(tap)));
  for (int i = 0; i < 20'000; ++i) {
    runs.push_back(
        RunOf(std::make_unique<AskingIterator>(device(), runs.back())));
  }
  TestStep step(device());
  Outcome a;
  runs.back()->GetNext(step.context, "a", a.AsDone());
  tap->Put(3);
  EXPECT_EQ(a.Value(), 3);
  // Closes from the lowest run on, as each holds the one before it.
  for (const auto& run : runs) run->Close(Cancelled("over"));
}

}  // namespace
}  // namespace millrace::ops
