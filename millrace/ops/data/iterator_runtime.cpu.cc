#include "millrace/ops/data/iterator_runtime.h"

#include "millrace/base/random.h"
#include "millrace/graph/graph_proto.h"

namespace millrace::ops {
namespace {

// Bounds how deeply iterators call each other, each on the stack of the one
// above; data sets returned by functions of data sets count, too.
constexpr int kMaxNextDepth = 2 * DatasetValue::kMaxDepth;
// The number of calls of Next before other tasks have their turn on the thread.
constexpr int kStepsPerPoll = 1024;

// The number of iterators that one call of MakeIterator may make, including
// those below: an input may occur many times in a data set.
constexpr int kMaxIteratorsPerMake = 100'000;
// The memory charged for an iterator of any kind.
constexpr int64_t kBytesPerIterator = 512;

// The depth to which MakeIterator nests on this thread, and the number of
// iterators made.
thread_local int make_depth = 0;
thread_local int make_count = 0;
// A pointer, to a list of the outermost call: extensions of Python have little
// memory of threads' own.
thread_local std::vector<const DatasetValue*>* make_path = nullptr;

}  // namespace

StatusOr<Pull> PollContext::Next(DatasetIterator& iterator, Element* out) {
  if (runtime_.scope()->cancelled()) return runtime_.scope()->status();
  if (scope_->cancelled()) return Pull::kPending;
  if (++steps_ > kStepsPerPoll) {
    task_->Wake();
    return Pull::kPending;
  }
  if (depth_ >= kMaxNextDepth) {
    return ResourceExhausted("iterators of data sets nest deeper than ",
                             kMaxNextDepth);
  }
  ++depth_;
  StatusOr<Pull> result = iterator.Next(*this, out);
  --depth_;
  // The end of a sequence is not an error, and the same code from a call above
  // (a closed queue in a filter) must not be mistaken for it.
  if (result.status().code() == StatusCode::kOutOfRange) [[unlikely]] {
    return Internal("Iterator returned `OutOfRange`. Original message: ",
                    result.status().message());
  }
  return result;
}

bool PollContext::Settle(DatasetIterator& iterator) {
  if (depth_ >= kMaxNextDepth) return true;
  ++depth_;
  const bool settled = iterator.Settle(*this);
  --depth_;
  return settled;
}

IteratorRuntime::IteratorRuntime(KernelContext& ctx)
    : device_(ctx.device()),
      files_(ctx.step().files),
      device_use_(&device_),
      files_use_(files_),
      session_handle_(ctx.step().session_handle),
      call_depth_(ctx.step().call_depth),
      next_step_(static_cast<int64_t>(RandomUint64() >> 8)) {}

std::shared_ptr<IteratorRuntime> IteratorRuntime::Make(KernelContext& ctx) {
  return std::shared_ptr<IteratorRuntime>(new IteratorRuntime(ctx));
}

std::shared_ptr<FunctionRunner> IteratorRuntime::RunnerOf(
    const std::shared_ptr<const FunctionSource>& source,
    const NameAttrList& function) {
  std::string key = SerializeAttrValue(function);
  MutexLock lock(mu_);
  Runner& found = runners_[{source.get(), std::move(key)}];
  if (found.runner == nullptr) found = {source, source->NewRunner()};
  return found.runner;
}

StepEnvironment IteratorRuntime::Environment(FunctionRunner* runner,
                                             StepContainer* container,
                                             CancelScope* cancel) {
  StepEnvironment environment;
  environment.step_id = next_step_.fetch_add(1, std::memory_order_relaxed);
  environment.cancel = cancel;
  environment.container = container;
  environment.functions = runner;
  environment.files = files_;
  environment.session_handle = session_handle_;
  environment.call_depth = call_depth_;
  return environment;
}

absl::Span<const DatasetValue* const> IteratorRuntime::DatasetsAbove() const {
  if (make_depth == 0 || make_path->front() != root_.load()) return {};
  return absl::MakeConstSpan(*make_path);
}

StatusOr<std::unique_ptr<DatasetIterator>> IteratorRuntime::MakeIterator(
    const DatasetValue& dataset) {
  if (make_depth > DatasetValue::kMaxDepth) {
    return ResourceExhausted("iterators of data sets nest deeper than ",
                             DatasetValue::kMaxDepth);
  }
  std::vector<const DatasetValue*> path;
  if (make_depth == 0) {
    make_count = 0;
    make_path = &path;
    const DatasetValue* none = nullptr;
    root_.compare_exchange_strong(none, &dataset);
  }
  if (++make_count > kMaxIteratorsPerMake) {
    return ResourceExhausted("a data set has more than ", kMaxIteratorsPerMake,
                             " others below it");
  }
  ++make_depth;
  make_path->push_back(&dataset);
  auto made = dataset.MakeIterator(*this);
  make_path->pop_back();
  if (--make_depth == 0) make_path = nullptr;
  if (made.ok()) {
    MR_RETURN_IF_ERROR((*made)->charge_.Set(kBytesPerIterator, "an iterator"));
  }
  return made;
}

}  // namespace millrace::ops
