// Kernels of data sets that call a function for several elements at a time.
#include <deque>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/ops/data/captured_function.h"
#include "millrace/ops/data/gathered_elements.h"
#include "millrace/ops/data/slices.h"
#include "millrace/ops/dataset/derived.h"
#include "millrace/ops/dataset/rest.h"

namespace millrace::ops {
namespace {

// More concurrent calls would only take memory.
constexpr int64_t kMaxCalls = 4096;
constexpr int64_t kBytesPerCall = 1024;  // without its tensors

// Calls the function for the elements of an iterator, ahead of the consumer of
// the results. Thread-safe, with one consumer.
class MapTask final : public PollTask {
 public:
  MapTask(IteratorRuntime& runtime, std::unique_ptr<DatasetIterator> iterator,
          int64_t calls, bool ordered, bool preserve_cardinality)
      : PollTask(runtime.lanes().inter_op),
        runtime_(runtime.shared_from_this()),
        iterator_(std::move(iterator)),
        calls_(static_cast<size_t>(calls)),
        ordered_(ordered),
        preserve_cardinality_(preserve_cardinality) {}

  // Binds the function that is called; `args` are the types of elements.
  Status Bind(std::shared_ptr<const CapturedFunction> function,
              absl::Span<const DataType> args) {
    const size_t captured = function->captured().size();
    MR_RETURN_IF_ERROR(function_.Bind(*runtime_, std::move(function), args));
    // A call has its arguments twice, to be made again.
    const size_t tensors =
        2 * args.size() + captured + function_.result_types().size();
    bytes_per_call_ =
        kBytesPerCall + static_cast<int64_t>(tensors * sizeof(Tensor));
    return OkStatus();
  }
  const std::vector<DataType>& result_types() const {
    return function_.result_types();
  }

  StatusOr<Pull> Take(PollContext& ctx, Element* out) {
    StatusOr<Pull> result = Pull::kPending;
    bool wake = false;
    {
      MutexLock lock(mu_);
      if (!begun_) begun_ = wake = true;
      wake |= std::exchange(rest_, Rest::kNone) != Rest::kNone;
      auto slot = slots_.begin();
      while (!ordered_ && slot != slots_.end() && !(*slot)->over) ++slot;
      if (slot != slots_.end() && (*slot)->over) {
        wake = true;
        if ((*slot)->at_end) {
          slots_.clear();
          ended_ = true;
          result = Pull::kEnd;
        } else {
          if ((*slot)->status.ok()) {
            *out = std::move((*slot)->results);
            result = Pull::kElement;
          } else {
            result = (*slot)->status;
          }
          slots_.erase(slot);
        }
      } else if (slots_.empty() && ended_) {
        result = Pull::kEnd;
      } else {
        taker_ = ctx.task();
      }
    }
    if (wake) Wake();
    return result;
  }

  // These do what those of DatasetIterator do; Restore precedes the work.
  bool Settle(PollContext& ctx) {
    {
      MutexLock lock(mu_);
      if (rest_ == Rest::kNow) return true;
      rest_ = Rest::kAsked;
      taker_ = ctx.task();
    }
    Wake();
    return false;
  }
  Status Save(StateWriter& out, const std::string& prefix) {
    MutexLock lock(mu_);
    if (rest_ != Rest::kNow || iterator_ == nullptr) {
      return FailedPrecondition("the iterator is calling its function");
    }
    out.Int(prefix + "results", static_cast<int64_t>(slots_.size()));
    for (size_t i = 0; i < slots_.size(); ++i) {
      const std::string name = absl::StrCat(prefix, "result", i);
      out.Int(name + ":at_end", slots_[i]->at_end);
      out.Result(name, slots_[i]->status, slots_[i]->results);
    }
    out.Int(prefix + "ended", ended_);
    return ended_ ? OkStatus() : out.Save(*iterator_, prefix + "in:");
  }
  Status Restore(StateReader& in, const std::string& prefix) {
    MutexLock lock(mu_);
    MR_ASSIGN_OR_RETURN(
        const int64_t results,
        in.Size(prefix + "results", static_cast<int64_t>(calls_)));
    MR_RETURN_IF_ERROR(
        charge_.Set(results * bytes_per_call_, "calls of a function"));
    for (int64_t i = 0; i < results; ++i) {
      const std::string name = absl::StrCat(prefix, "result", i);
      auto slot = std::make_shared<Slot>();
      slot->over = true;
      MR_ASSIGN_OR_RETURN(slot->at_end, in.Flag(name + ":at_end"));
      MR_RETURN_IF_ERROR(in.Result(name, function_.result_types(),
                                   &slot->status, &slot->results));
      slots_.push_back(std::move(slot));
    }
    MR_ASSIGN_OR_RETURN(ended_, in.Flag(prefix + "ended"));
    return ended_ ? OkStatus() : iterator_->Restore(in, prefix + "in:");
  }

  void Close() {
    {
      MutexLock lock(mu_);
      closed_ = true;
      taker_.reset();
    }
    Wake();
  }

 private:
  struct Slot {
    FunctionCall call;  // used by Poll alone
    // Guarded by mu_:
    bool over = false, at_end = false;
    Status status;
    Element results;
  };
  using SlotPtr = std::shared_ptr<Slot>;

  void Poll() override {
    PollContext context(*runtime_, shared_from_this(), runtime_->scope());
    bool finished = FinishCalls(context);
    while (StartCall(context, &finished)) {
    }
    const bool rests = CanRest(context);
    std::shared_ptr<PollTask> taker;
    bool closed = false;
    {
      MutexLock lock(mu_);
      closed = closed_;
      const bool begins_rest = rests && rest_ == Rest::kAsked;
      if (begins_rest) rest_ = Rest::kNow;
      if (finished || ended_ || begins_rest)
        taker = std::exchange(taker_, {}).lock();
    }
    if (taker != nullptr) taker->Wake();
    if (closed) {
      iterator_ = nullptr;
      running_.clear();
    }
  }

  // Returns whether nothing is in progress any more, as was asked for.
  bool CanRest(PollContext& ctx) {
    if (!running_.empty()) return false;
    {
      MutexLock lock(mu_);
      if (closed_ || rest_ != Rest::kAsked) return false;
      // A function has ended the sequence; the rest of the input is not saved.
      if (ended_) return true;
    }
    return !pending_ && ctx.Settle(*iterator_);
  }

  bool FinishCalls(PollContext& ctx) {
    bool finished = false;
    for (const SlotPtr& slot : running_) finished |= FinishCall(ctx, slot);
    running_.erase(std::remove_if(running_.begin(), running_.end(),
                                  [](const SlotPtr& slot) {
                                    return !slot->call.in_progress();
                                  }),
                   running_.end());
    return finished;
  }

  bool FinishCall(PollContext& ctx, const SlotPtr& slot) {
    Element results;
    const StatusOr<Pull> done = slot->call.Finish(ctx, &results);
    if (done.ok() && *done == Pull::kPending) return false;
    MutexLock lock(mu_);
    slot->over = true;
    slot->status = done.status();
    slot->results = std::move(results);
    if (slot->status.code() == StatusCode::kOutOfRange) {
      if (preserve_cardinality_) {
        slot->status =
            InvalidArgument("Function invocation produced OutOfRangeError: ",
                            slot->status.message());
      } else {
        slot->at_end = true;
      }
    } else {
      slot->status = function_.InContext(slot->status);
    }
    return true;
  }

  // Returns false if no more calls can start at the moment.
  bool StartCall(PollContext& ctx, bool* finished) {
    {
      MutexLock lock(mu_);
      // An element that is in progress has its place, also before a rest.
      if (closed_ || ended_ || slots_.size() >= calls_ ||
          (rest_ != Rest::kNone && !pending_)) {
        return false;
      }
      const Status room =
          charge_.Set(static_cast<int64_t>(slots_.size() + 1) * bytes_per_call_,
                      "calls of a function");
      if (!room.ok() && !slots_.empty() && !pending_) return false;
    }
    Element element;
    const StatusOr<Pull> pull = ctx.Next(*iterator_, &element);
    pending_ = pull.ok() && *pull == Pull::kPending;
    if (pending_) return false;
    auto slot = std::make_shared<Slot>();
    const bool calls = pull.ok() && *pull == Pull::kElement;
    {
      MutexLock lock(mu_);
      if (pull.ok() && *pull == Pull::kEnd) {
        ended_ = true;
        return false;
      }
      slot->over = !calls;
      slot->status = pull.status();
      slots_.push_back(slot);
      if (!pull.ok() && runtime_->scope()->cancelled()) ended_ = true;
    }
    if (!calls) {
      *finished = true;
      return true;
    }
    // The call starts on another thread, since this one has more calls to
    // start.
    slot->call.Start(ctx, function_, std::move(element), /*on_pool=*/true);
    running_.push_back(std::move(slot));
    return true;
  }

  const std::shared_ptr<IteratorRuntime> runtime_;
  // Of Poll, as all that follows; of Save, too, while the work rests.
  std::unique_ptr<DatasetIterator> iterator_;
  BoundFunction function_;
  int64_t bytes_per_call_ = kBytesPerCall;
  std::vector<SlotPtr> running_;
  bool pending_ = false;  // what Next returned

  const size_t calls_;
  const bool ordered_, preserve_cardinality_;
  Mutex mu_;                   // guards all below
  std::deque<SlotPtr> slots_;  // in the order of the elements
  MemoryCharge charge_;
  bool begun_ = false, ended_ = false, closed_ = false;
  Rest rest_ = Rest::kNone;
  std::weak_ptr<PollTask> taker_;  // set while it waits
};

struct ParallelMapParams {
  std::shared_ptr<const CapturedFunction> function;
  int64_t calls = 1;  // -1: as many as threads
  bool ordered = true;
  bool preserve_cardinality = false;
  // for MapAndBatchDataset, else 0
  int64_t batch_size = 0;
  bool drop_remainder = false;
};

class ParallelMapIterator final : public DerivedIterator<ParallelMapParams> {
 public:
  using DerivedIterator::DerivedIterator;
  ~ParallelMapIterator() override {
    if (task_ != nullptr) task_->Close();
  }
  Status Begin(IteratorRuntime& runtime) override {
    MR_ASSIGN_OR_RETURN(auto below, runtime.MakeIterator(dataset().input()));
    int64_t calls = params().calls;
    if (calls < 0) calls = runtime.lanes().inter_op.width();
    calls = std::clamp<int64_t>(calls, 1, kMaxCalls);
    task_ = std::make_shared<MapTask>(runtime, std::move(below), calls,
                                      params().ordered,
                                      params().preserve_cardinality);
    MR_RETURN_IF_ERROR(
        task_->Bind(params().function, dataset().input().signature().types));
    return CheckTypes(dataset().signature().types, task_->result_types());
  }
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    if (params().batch_size == 0) return task_->Take(ctx, out);
    // As in stock, the first error of a batch is the error of the whole batch.
    for (; !ended_ && taken_ < params().batch_size; ++taken_) {
      Element element;
      const StatusOr<Pull> pull = task_->Take(ctx, &element);
      if (!pull.ok()) {
        UpdateStatus(status_, pull.status());
      } else if (*pull == Pull::kPending) {
        return pull;
      } else if (*pull == Pull::kEnd) {
        ended_ = true;
      } else {
        Status added = gathered_.Add(std::move(element));
        if (!added.ok()) {
          taken_ = 0;
          return added;
        }
      }
    }
    taken_ = 0;
    const std::vector<Element> batch = gathered_.Take();
    MR_RETURN_IF_ERROR(std::exchange(status_, OkStatus()));
    if (batch.empty() ||
        (params().drop_remainder &&
         static_cast<int64_t>(batch.size()) < params().batch_size)) {
      return Pull::kEnd;
    }
    MR_ASSIGN_OR_RETURN(*out, Stack(batch, ctx.runtime().allocator()));
    return Pull::kElement;
  }
  bool Settle(PollContext& ctx) override { return task_->Settle(ctx); }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "last", ended_);
    return task_->Save(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(ended_, in.Flag(prefix + "last"));
    return task_->Restore(in, prefix);
  }
  static int64_t Cardinality(const Parts& d) {
    return d.params().preserve_cardinality && d.params().batch_size == 0
               ? d.input().Cardinality()
               : DatasetValue::kUnknown;
  }

 private:
  std::shared_ptr<MapTask> task_;
  // The batch that is being gathered.
  GatheredElements gathered_;
  int64_t taken_ = 0;
  Status status_;
  bool ended_ = false;
};

// Says whether the data set returns the function's results, or batches of them.
enum class Gives { kElements, kBatches };

template <Gives kGives>
StatusOr<Ref<DatasetValue>> BuildParallelMap(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  const AttrMap& attrs = ctx.node().attrs;
  ParallelMapParams p;
  MR_ASSIGN_OR_RETURN(p.function,
                      CapturedFunction::Make(ctx, "f", "other_arguments"));
  MR_ASSIGN_OR_RETURN(p.preserve_cardinality,
                      GetAttr<bool>(attrs, "preserve_cardinality"));
  MR_ASSIGN_OR_RETURN(p.ordered, IsDeterministic(attrs));
  int i = 1 + static_cast<int>(p.function->captured().size());
  if constexpr (kGives == Gives::kBatches) {
    MR_ASSIGN_OR_RETURN(p.batch_size,
                        ScalarInput<int64_t>(ctx, i, "batch_size"));
    if (p.batch_size <= 0) {
      return InvalidArgument("batch_size must be greater than zero.");
    }
    MR_ASSIGN_OR_RETURN(p.drop_remainder,
                        ScalarInput<bool>(ctx, i + 2, "drop_remainder"));
    ++i;
  }
  if (ctx.input(i).rank() != 0) {
    return InvalidArgument("num_parallel_calls must be a scalar");
  }
  p.calls = IntValues(ctx.input(i))[0];
  if (p.calls <= 0 && p.calls != -1) {
    return InvalidArgument("num_parallel_calls must be greater than zero.");
  }
  const Element kept = p.function->captured();
  return MakeDataset<ParallelMapIterator>(ctx, {input}, std::move(p), kept);
}

}  // namespace

MR_KERNELS(ParallelMapDataset,
           Cpu){MR_DATASET_KERNEL(BuildParallelMap<Gives::kElements>)};
MR_KERNELS(ParallelMapDatasetV2,
           Cpu){MR_DATASET_KERNEL(BuildParallelMap<Gives::kElements>)};
MR_KERNELS(MapAndBatchDataset,
           Cpu){MR_DATASET_KERNEL(BuildParallelMap<Gives::kBatches>)};
MR_KERNELS(ExperimentalMapAndBatchDataset,
           Cpu){MR_DATASET_KERNEL(BuildParallelMap<Gives::kBatches>)};

}  // namespace millrace::ops
