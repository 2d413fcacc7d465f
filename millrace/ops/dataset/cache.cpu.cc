// Kernels of data sets that keep the elements of the first pass for later ones,
// in memory or in a file.
#include "millrace/kernel/resource.h"
#include "millrace/ops/data/blocking_call.h"
#include "millrace/ops/data/elements_charge.h"
#include "millrace/ops/dataset/anonymous_handle.h"
#include "millrace/ops/dataset/derived.h"
#include "millrace/ops/dataset/file_cache.h"

namespace millrace::ops {
namespace {

constexpr size_t kElementsPerRead = 64;

// A cache that the first complete pass fills. Thread-safe.
class MemoryCache final : public Resource {
 public:
  static constexpr absl::string_view kTypeName =
      "tensorflow::data::MemoryCacheManager";
  struct Contents {
    std::vector<Element> elements;
    ElementsCharge charge{"a cache"};
  };
  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override { return "cache of a data set"; }

  // Returns null until the first pass has ended.
  std::shared_ptr<const Contents> contents() const {
    MutexLock lock(mu_);
    return contents_;
  }
  void Complete(std::shared_ptr<const Contents> contents) {
    MutexLock lock(mu_);
    if (contents_ == nullptr) contents_ = std::move(contents);
  }

 private:
  mutable Mutex mu_;
  std::shared_ptr<const Contents> contents_;  // guarded by mu_
};

struct MemoryCacheParams {
  Ref<MemoryCache> cache;
};

class MemoryCacheIterator final : public UnchangedIterator<MemoryCacheParams> {
 public:
  using UnchangedIterator::UnchangedIterator;
  Status Begin(IteratorRuntime& runtime) override {
    contents_ = params().cache->contents();
    if (contents_ != nullptr) return OkStatus();
    gathered_ = std::make_shared<MemoryCache::Contents>();
    return DerivedIterator::Begin(runtime);
  }
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    if (contents_ != nullptr) {
      if (next_ >= contents_->elements.size()) return Pull::kEnd;
      *out = contents_->elements[next_++];
      return Pull::kElement;
    }
    if (input_ == nullptr) return Pull::kEnd;
    MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, out));
    if (pull == Pull::kEnd) input_ = nullptr;
    if (pull == Pull::kPending || gathered_ == nullptr) return pull;
    if (pull == Pull::kElement) {
      failed_ = gathered_->charge.Add(*out);
      if (!failed_.ok()) {
        // Later passes would lack elements, so there are none.
        gathered_ = nullptr;
        input_ = nullptr;
        return failed_;
      }
      gathered_->elements.push_back(*out);
      const auto count = static_cast<int64_t>(gathered_->elements.size());
      // As in stock, a pass that stops right behind the last element is
      // complete.
      if (count != dataset().input().Cardinality()) return pull;
    }
    params().cache->Complete(std::exchange(gathered_, nullptr));
    return pull;
  }
  // The elements are saved, too, until the last one has been returned: of this
  // pass while it fills the cache, else those of the cache.
  Status Save(StateWriter& out, const std::string& prefix) override {
    MR_RETURN_IF_ERROR(failed_);
    const bool fills = gathered_ != nullptr;
    const std::shared_ptr<const MemoryCache::Contents> known =
        fills                  ? gathered_
        : contents_ != nullptr ? contents_
                               : std::shared_ptr<const MemoryCache::Contents>(
                                     params().cache->contents());
    const size_t count = known == nullptr ? 0 : known->elements.size();
    out.Int(prefix + "fills", fills);
    out.Int(prefix + "next",
            static_cast<int64_t>(contents_ == nullptr ? count : next_));
    out.Int(prefix + "elements", static_cast<int64_t>(count));
    for (size_t i = 0; i < count; ++i) {
      out.Element(absl::StrCat(prefix, "element", i), known->elements[i]);
    }
    return fills ? SaveInput(out, prefix) : OkStatus();
  }
  // A cache that is complete already keeps what it has.
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(const bool fills, in.Flag(prefix + "fills"));
    MR_ASSIGN_OR_RETURN(const int64_t next, in.Count(prefix + "next"));
    MR_ASSIGN_OR_RETURN(const int64_t count, in.Size(prefix + "elements"));
    next_ = static_cast<size_t>(next);
    if (contents_ != nullptr) return OkStatus();
    for (int64_t i = 0; i < count; ++i) {
      MR_ASSIGN_OR_RETURN(Element element,
                          in.Element(absl::StrCat(prefix, "element", i),
                                     dataset().signature().types));
      MR_RETURN_IF_ERROR(gathered_->charge.Add(element));
      gathered_->elements.push_back(std::move(element));
    }
    if (fills) return RestoreInput(in, prefix);
    input_ = nullptr;
    params().cache->Complete(std::exchange(gathered_, nullptr));
    contents_ = params().cache->contents();
    return OkStatus();
  }
  static int64_t Cardinality(const Parts& d) { return d.input().Cardinality(); }
  static absl::string_view NameInPaths(const Parts&) {
    return "MemoryCacheImpl";
  }

 private:
  std::shared_ptr<const MemoryCache::Contents> contents_;
  size_t next_ = 0;
  std::shared_ptr<MemoryCache::Contents> gathered_;
  Status failed_;  // for lack of memory, which ends the pass
};

struct FileCacheParams {
  std::string prefix;
};

class FileCacheIterator final : public UnchangedIterator<FileCacheParams> {
 public:
  using UnchangedIterator::UnchangedIterator;
  ~FileCacheIterator() override {
    if (file_ == nullptr || finished_) return;
    // Runs after what the blocking pool still does with the file; if the pool
    // accepts no more, the file's last owner does it.
    runtime_->lanes()
        .blocking
        .TrySchedule([file = file_] {
          MutexLock lock(file->mu);
          file->cache.Abandon();
        })
        .IgnoreError();
  }
  Status Begin(IteratorRuntime& runtime) override {
    runtime_ = runtime.shared_from_this();
    return DerivedIterator::Begin(runtime);
  }

  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    for (;;) {
      if (call_.in_progress()) {
        const StatusOr<Pull> done = call_.Finish();
        if (!done.ok()) {
          if (stage_ == Stage::kOpening) file_ = nullptr;
          return done;
        }
        if (*done == Pull::kPending) return done;
        switch (stage_) {
          case Stage::kOpening:
            stage_ =
                file_->cache.is_reading() ? Stage::kReading : Stage::kWriting;
            if (pass_over_ > 0 && stage_ == Stage::kWriting) {
              stage_ = Stage::kEnd;
              return FailedPrecondition(
                  "the iterator was saved while it read a cache that is not "
                  "there any more: ",
                  params().prefix);
            }
            break;
          case Stage::kWriting:
            *out = std::move(element_);
            return Pull::kElement;
          case Stage::kReading:
            next_ = 0;
            break;
          case Stage::kFinishing:
            finished_ = true;
            stage_ = Stage::kEnd;
            break;
          case Stage::kEnd:
            break;
        }
        continue;
      }
      switch (stage_) {
        case Stage::kOpening:
          file_ = std::make_shared<File>(runtime_, params().prefix,
                                         dataset().signature().types);
          MR_RETURN_IF_ERROR(call_.Start(ctx, [file = file_] {
            MutexLock lock(file->mu);
            return file->cache.Open();
          }));
          break;
        case Stage::kWriting: {
          MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, &element_));
          if (pull == Pull::kPending) return pull;
          if (pull == Pull::kEnd) stage_ = Stage::kFinishing;
          MR_RETURN_IF_ERROR(call_.Start(
              ctx,
              [file = file_, ends = pull == Pull::kEnd, element = element_] {
                MutexLock lock(file->mu);
                return ends ? file->cache.Finish() : file->cache.Add(element);
              }));
          break;
        }
        case Stage::kReading:
          if (next_ < file_->elements.size()) {
            *out = std::move(file_->elements[next_++]);
            ++taken_;
            if (taken_ <= pass_over_) break;
            return Pull::kElement;
          }
          if (file_->at_end) return Pull::kEnd;
          MR_RETURN_IF_ERROR(
              call_.Start(ctx, [runtime = runtime_, file = file_] {
                MutexLock lock(file->mu);
                auto read =
                    file->cache.Read(kElementsPerRead, runtime->allocator());
                if (!read.ok()) return read.status();
                file->at_end = read->size() < kElementsPerRead;
                file->elements = *std::move(read);
                return OkStatus();
              }));
          break;
        case Stage::kFinishing:
        case Stage::kEnd:
          return Pull::kEnd;
      }
    }
  }
  // Saves how many elements of a complete file were returned. A file that is
  // being written belongs to this process.
  Status Save(StateWriter& out, const std::string& prefix) override {
    if (stage_ == Stage::kWriting || stage_ == Stage::kFinishing) {
      return Unimplemented(
          "the state of an iterator that fills a cache file cannot be saved "
          "before its end");
    }
    out.Int(prefix + "over", stage_ == Stage::kEnd);
    out.Int(prefix + "read", std::max(taken_, pass_over_));
    return stage_ == Stage::kEnd ? OkStatus() : SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(const bool over, in.Flag(prefix + "over"));
    MR_ASSIGN_OR_RETURN(pass_over_, in.Count(prefix + "read"));
    if (!over) return RestoreInput(in, prefix);
    stage_ = Stage::kEnd;
    return OkStatus();
  }
  static int64_t Cardinality(const Parts& d) { return d.input().Cardinality(); }
  static absl::string_view NameInPaths(const Parts&) { return "FileCacheImpl"; }

 private:
  enum class Stage { kOpening, kWriting, kReading, kFinishing, kEnd };
  // A file, used by one call on the blocking pool or between two calls.
  struct File {
    File(std::shared_ptr<IteratorRuntime> r, std::string prefix,
         std::vector<DataType> types)
        : runtime(std::move(r)),
          cache(runtime->files(), std::move(prefix), std::move(types)) {}
    const std::shared_ptr<IteratorRuntime> runtime;  // keeps the file system
    Mutex mu;  // held against the end of the iterator
    CacheFile cache;
    std::vector<Element> elements;
    bool at_end = false;
  };

  std::shared_ptr<IteratorRuntime> runtime_;
  Stage stage_ = Stage::kOpening;
  BlockingCall call_;
  std::shared_ptr<File> file_;
  Element element_;  // being written
  size_t next_ = 0;
  // Elements returned, or passed over after a restore, as far as they are read.
  int64_t taken_ = 0, pass_over_ = 0;
  bool finished_ = false;
};

StatusOr<Ref<DatasetValue>> BuildCache(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  MR_ASSIGN_OR_RETURN(std::string prefix, StringInput(ctx, 1, "filename"));
  if (!prefix.empty()) {
    return MakeDataset<FileCacheIterator>(ctx, {input}, {std::move(prefix)});
  }
  MemoryCacheParams p;
  // The cache is shared, or new if there is no handle or its object is gone.
  if (ctx.num_inputs() > 2) p.cache = OwnedByInput<MemoryCache>(ctx, 2);
  if (p.cache == nullptr) p.cache = MakeRef<MemoryCache>();
  return MakeDataset<MemoryCacheIterator>(ctx, {input}, std::move(p));
}

Status AnonymousMemoryCacheOp(KernelContext& ctx) {
  SetAnonymousHandle(ctx, "AnonymousMemoryCache", MemoryCache::kTypeName,
                     MakeRef<MemoryCache>());
  return SetNoDeleter(ctx);
}

}  // namespace

MR_KERNELS(CacheDataset, Cpu){MR_DATASET_KERNEL(BuildCache)};
MR_KERNELS(CacheDatasetV2, Cpu){MR_DATASET_KERNEL(BuildCache)};
MR_KERNELS(AnonymousMemoryCache, Cpu){
    {.make = MakeFunctionKernel<AnonymousMemoryCacheOp>, .cheap = true}};
MR_KERNELS(DummyMemoryCache, Cpu){kDummyHandle};
MR_KERNELS(DeleteMemoryCache, Cpu){kDeleteNothing};

}  // namespace millrace::ops
