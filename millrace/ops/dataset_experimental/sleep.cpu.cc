// SleepDataset: waits before each element, without a thread.
#include <limits>

#include "millrace/base/clock.h"
#include "millrace/ops/dataset/derived.h"

namespace millrace::ops {
namespace {

struct SleepParams {
  int64_t microseconds = 0;
};

class SleepIterator final : public UnchangedIterator<SleepParams> {
 public:
  using UnchangedIterator::UnchangedIterator;
  ~SleepIterator() override { CancelTimer(); }
  Status Begin(IteratorRuntime& runtime) override {
    timer_ = &runtime.lanes().timer;
    return DerivedIterator::Begin(runtime);
  }
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    if (input_ == nullptr) return Pull::kEnd;
    if (!sleeping_) {
      constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 1000;
      wake_up_ = Deadline::After(std::min(params().microseconds, kMost) * 1000);
      sleeping_ = true;
    }
    if (!wake_up_.expired()) {
      // The timer's callback only posts.
      if (asking_.lock() != ctx.task()) {
        CancelTimer();
        asking_ = ctx.task();
        alarm_ = timer_->RunAt(wake_up_, [asking = asking_] {
          if (const auto task = asking.lock()) task->Wake();
        });
      }
      return Pull::kPending;
    }
    CancelTimer();
    const StatusOr<Pull> pull = ctx.Next(*input_, out);
    if (pull.ok() && *pull == Pull::kPending) return pull;
    sleeping_ = false;
    if (pull.ok() && *pull == Pull::kEnd) input_ = nullptr;
    return pull;
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    return RestoreInput(in, prefix);
  }
  static int64_t Cardinality(const Parts& d) { return d.input().Cardinality(); }

 private:
  void CancelTimer() {
    if (alarm_ != 0) timer_->Cancel(alarm_);
    alarm_ = 0;
    asking_.reset();
  }

  Timer* timer_ = nullptr;  // of the process
  bool sleeping_ = false;
  Deadline wake_up_;
  Timer::Id alarm_ = 0;
  std::weak_ptr<PollTask> asking_;  // whom the alarm wakes
};

StatusOr<Ref<DatasetValue>> BuildSleep(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  SleepParams p;
  MR_ASSIGN_OR_RETURN(p.microseconds,
                      ScalarInput<int64_t>(ctx, 1, "sleep_microseconds"));
  if (p.microseconds < 0) {
    return InvalidArgument("`sleep_microseconds` must be >= 0");
  }
  return MakeDataset<SleepIterator>(ctx, {input}, p);
}

}  // namespace

MR_KERNELS(SleepDataset, Cpu){MR_DATASET_KERNEL(BuildSleep)};
MR_KERNELS(ExperimentalSleepDataset, Cpu){MR_DATASET_KERNEL(BuildSleep)};

}  // namespace millrace::ops
