#include "millrace/ops/dataset/prefetch.h"

#include "millrace/ops/dataset/derived.h"

namespace millrace::ops {
namespace {

constexpr int64_t kMaxAutomaticSize = 512;

}  // namespace

StatusOr<Pull> PrefetchTask::Take(PollContext& ctx, Element* out) {
  bool wake = false;
  StatusOr<Pull> result = Pull::kPending;
  {
    MutexLock lock(mu_);
    if (!begun_) begun_ = wake = true;
    wake |= std::exchange(rest_, Rest::kNone) != Rest::kNone;
    if (!ready_.empty()) {
      wake |= static_cast<int64_t>(ready_.size()) >= options_.size ||
              std::exchange(no_room_, false);
      Item item = std::move(ready_.front());
      ready_.pop_front();
      charge_.Remove(item.element);
      if (item.status.ok()) {
        *out = std::move(item.element);
        result = Pull::kElement;
      } else {
        result = std::move(item.status);
      }
    } else if (ended_) {
      result = Pull::kEnd;
    } else {
      taker_ = ctx.task();
      if (options_.grows && options_.size < options_.max_size) {
        options_.size = std::min(options_.size * 2, options_.max_size);
        wake = true;
      }
    }
  }
  if (wake) Wake();
  return result;
}

void PrefetchTask::Begin() {
  {
    MutexLock lock(mu_);
    begun_ = true;
  }
  Wake();
}

void PrefetchTask::Close() {
  {
    MutexLock lock(mu_);
    closed_ = true;
    ready_.clear();
    charge_.Clear();
    taker_.reset();
  }
  Wake();
}

bool PrefetchTask::Settle(PollContext& ctx) {
  {
    MutexLock lock(mu_);
    if (rest_ == Rest::kNow) return true;
    rest_ = Rest::kAsked;
    taker_ = ctx.task();
  }
  Wake();
  return false;
}

Status PrefetchTask::Save(StateWriter& out, const std::string& prefix) {
  MutexLock lock(mu_);
  if (rest_ != Rest::kNow || iterator_ == nullptr) {
    return FailedPrecondition("the iterator is prefetching elements");
  }
  out.Int(prefix + "ready", static_cast<int64_t>(ready_.size()));
  for (size_t i = 0; i < ready_.size(); ++i) {
    out.Result(absl::StrCat(prefix, "ready", i), ready_[i].status,
               ready_[i].element);
  }
  out.Int(prefix + "ended", ended_);
  return out.Save(*iterator_, prefix + "in:");
}

Status PrefetchTask::Restore(StateReader& in, const std::string& prefix,
                             absl::Span<const DataType> types) {
  MutexLock lock(mu_);
  MR_ASSIGN_OR_RETURN(
      const int64_t ready,
      in.Size(prefix + "ready", std::max(options_.size, options_.max_size)));
  for (int64_t i = 0; i < ready; ++i) {
    Item item;
    MR_RETURN_IF_ERROR(in.Result(absl::StrCat(prefix, "ready", i), types,
                                 &item.status, &item.element));
    MR_RETURN_IF_ERROR(charge_.Add(item.element));
    ready_.push_back(std::move(item));
  }
  MR_ASSIGN_OR_RETURN(ended_, in.Flag(prefix + "ended"));
  return iterator_->Restore(in, prefix + "in:");
}

bool PrefetchTask::WantsElement() {
  MutexLock lock(mu_);
  if (closed_ || rest_ == Rest::kNow) return false;
  // What is in progress has its place, and is finished before a rest.
  if (pending_) return true;
  if (rest_ == Rest::kAsked || ended_ ||
      static_cast<int64_t>(ready_.size()) >= options_.size) {
    return false;
  }
  // Lack of memory ends the prefetching, not the sequence.
  no_room_ = !charge_.MakeRoom().ok() && !ready_.empty();
  return !no_room_;
}

void PrefetchTask::Poll() {
  PollContext context(*runtime_, shared_from_this(), runtime_->scope());
  while (WantsElement()) {
    Item item;
    const StatusOr<Pull> pull = context.Next(*iterator_, &item.element);
    pending_ = pull.ok() && *pull == Pull::kPending;
    if (pending_) break;
    if (!pull.ok()) item.status = pull.status();
    std::shared_ptr<PollTask> taker;
    {
      MutexLock lock(mu_);
      if (pull.ok() && *pull == Pull::kEnd) {
        ended_ = true;
      } else if (!closed_) {
        charge_.AddAlways(item.element);
        ready_.push_back(std::move(item));
      }
      // A cancelled runtime returns nothing but errors.
      if (!pull.ok() && runtime_->scope()->cancelled()) ended_ = true;
      taker = std::exchange(taker_, {}).lock();
    }
    if (taker != nullptr) taker->Wake();
  }
  bool closed = false, asked = false;
  {
    MutexLock lock(mu_);
    closed = closed_;
    asked = rest_ == Rest::kAsked;
  }
  if (closed) {
    iterator_ = nullptr;
    return;
  }
  if (!asked || pending_ || !context.Settle(*iterator_)) return;
  std::shared_ptr<PollTask> taker;
  {
    MutexLock lock(mu_);
    if (rest_ != Rest::kAsked) return;
    rest_ = Rest::kNow;
    taker = std::exchange(taker_, {}).lock();
  }
  if (taker != nullptr) taker->Wake();
}

namespace {

struct PrefetchParams {
  int64_t size = 0;  // -1: grows as needed
  int64_t least = 0;
};

class PrefetchIterator final : public UnchangedIterator<PrefetchParams> {
 public:
  using UnchangedIterator::UnchangedIterator;
  ~PrefetchIterator() override {
    if (task_ != nullptr) task_->Close();
  }
  Status Begin(IteratorRuntime& runtime) override {
    if (params().size == 0) return DerivedIterator::Begin(runtime);
    PrefetchTask::Options options{.size = params().size};
    if (params().size < 0) {
      options.size = std::clamp<int64_t>(params().least, 1, kMaxAutomaticSize);
      options.grows = true;
      options.max_size = kMaxAutomaticSize;
    }
    MR_ASSIGN_OR_RETURN(auto below, runtime.MakeIterator(dataset().input()));
    task_ = std::make_shared<PrefetchTask>(runtime, std::move(below), options);
    return OkStatus();
  }
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    return task_ == nullptr ? ctx.Next(*input_, out) : task_->Take(ctx, out);
  }
  bool Settle(PollContext& ctx) override {
    return task_ == nullptr ? ctx.Settle(*input_) : task_->Settle(ctx);
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    return task_ == nullptr ? out.Save(*input_, prefix)
                            : task_->Save(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    return task_ == nullptr
               ? input_->Restore(in, prefix)
               : task_->Restore(in, prefix, dataset().signature().types);
  }
  static int64_t Cardinality(const Parts& d) { return d.input().Cardinality(); }

 private:
  std::shared_ptr<PrefetchTask> task_;
};

StatusOr<Ref<DatasetValue>> BuildPrefetch(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  PrefetchParams p;
  MR_ASSIGN_OR_RETURN(p.size, ScalarInput<int64_t>(ctx, 1, "buffer_size"));
  if (p.size < -1) {
    return InvalidArgument("buffer_size must be >= 0 or set buffer_size to be ",
                           -1, " for auto-tuning");
  }
  MR_ASSIGN_OR_RETURN(p.least,
                      GetAttr<int64_t>(ctx.node().attrs, "buffer_size_min"));
  return MakeDataset<PrefetchIterator>(ctx, {input}, p);
}

}  // namespace

MR_KERNELS(PrefetchDataset, Cpu){MR_DATASET_KERNEL(BuildPrefetch)};

}  // namespace millrace::ops
