// Kernels of data sets that select elements of another one, unchanged.
#include "millrace/ops/dataset/shard.h"

namespace millrace::ops {
namespace {

// A number of shards that stock replaces where it distributes a data set.
constexpr int64_t kShardHint = -1;

struct CountParams {
  int64_t count = 0;  // if negative, without end
};

class TakeIterator final : public UnchangedIterator<CountParams> {
 public:
  using UnchangedIterator::UnchangedIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    if (input_ == nullptr) return Pull::kEnd;
    if (params().count >= 0 && taken_ >= params().count) {
      input_ = nullptr;
      return Pull::kEnd;
    }
    MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, out));
    if (pull == Pull::kElement) ++taken_;
    if (pull == Pull::kEnd) input_ = nullptr;
    return pull;
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "taken", taken_);
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(taken_, in.Count(prefix + "taken"));
    return RestoreInput(in, prefix);
  }
  static int64_t Cardinality(const Parts& d) {
    const int64_t n = d.input().Cardinality(), count = d.params().count;
    if (count < 0) return n;
    if (count == 0) return 0;
    if (n == kUnknown) return kUnknown;
    return n == kInfinite ? count : std::min(n, count);
  }
  static absl::string_view NameInPaths(const Parts&) { return "FiniteTake"; }

 private:
  int64_t taken_ = 0;
};

class SkipIterator final : public UnchangedIterator<CountParams> {
 public:
  using UnchangedIterator::UnchangedIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    if (input_ == nullptr || params().count < 0) return Pull::kEnd;
    for (;;) {
      MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, out));
      if (pull == Pull::kEnd) input_ = nullptr;
      if (pull != Pull::kElement || skipped_ >= params().count) return pull;
      ++skipped_;
    }
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "skipped", skipped_);
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(skipped_, in.Count(prefix + "skipped"));
    return RestoreInput(in, prefix);
  }
  static int64_t Cardinality(const Parts& d) {
    const int64_t n = d.input().Cardinality(), count = d.params().count;
    if (count < 0) return 0;
    return n < 0 ? n : std::max<int64_t>(n - count, 0);
  }
  static absl::string_view NameInPaths(const Parts&) { return "FiniteSkip"; }

 private:
  int64_t skipped_ = 0;
};

class RepeatIterator final : public UnchangedIterator<CountParams> {
 public:
  using UnchangedIterator::UnchangedIterator;
  Status Begin(IteratorRuntime& runtime) override {
    if (params().count == 0) return OkStatus();
    return DerivedIterator::Begin(runtime);
  }
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    while (input_ != nullptr) {
      MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, out));
      if (pull == Pull::kElement) empty_ = false;
      if (pull != Pull::kEnd) return pull;
      input_ = nullptr;
      ++done_;
      // In an endless repetition, an empty pass would be followed by empty
      // passes only.
      const bool again = params().count < 0 ? !empty_ : done_ < params().count;
      if (!again) break;
      empty_ = true;
      MR_ASSIGN_OR_RETURN(input_,
                          ctx.runtime().MakeIterator(dataset().input()));
    }
    return Pull::kEnd;
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "done", done_);
    out.Int(prefix + "empty", empty_);
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(done_, in.Count(prefix + "done"));
    MR_ASSIGN_OR_RETURN(empty_, in.Flag(prefix + "empty"));
    return RestoreInput(in, prefix);
  }
  static int64_t Cardinality(const Parts& d) {
    const int64_t n = d.input().Cardinality(), count = d.params().count;
    if (count == 0 || n == 0) return 0;
    if (count < 0) return kInfinite;
    if (n < 0) return n;
    int64_t product = 0;
    return __builtin_mul_overflow(n, count, &product) ? kInfinite : product;
  }
  static absl::string_view NameInPaths(const Parts& d) {
    return d.params().count < 0 ? "ForeverRepeat" : "FiniteRepeat";
  }

 private:
  int64_t done_ = 0;
  bool empty_ = true;
};

template <class It>
StatusOr<Ref<DatasetValue>> BuildCounted(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  MR_ASSIGN_OR_RETURN(const int64_t count,
                      ScalarInput<int64_t>(ctx, 1, "count"));
  return MakeDataset<It>(ctx, {input}, {.count = count});
}

StatusOr<Ref<DatasetValue>> BuildShard(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  ShardParams p;
  MR_ASSIGN_OR_RETURN(p.shards, ScalarInput<int64_t>(ctx, 1, "num_shards"));
  if (p.shards == kShardHint) {
    return FailedPrecondition(
        "`tf.data.Dataset.shard(SHARD_HINT, ...)` can only be used in "
        "`tf.distribute.Strategy.experimental_distribute_dataset()` with "
        "`tf.data.experimental.AutoShardPolicy.HINT` policy, or tf.data "
        "service with "
        "`tf.data.experimental.service.ShardingPolicy.HINT` processing mode.");
  }
  if (p.shards <= 0) {
    return InvalidArgument(
        "Number of shards must be greater than zero (currently num_shards = ",
        p.shards, ").");
  }
  MR_ASSIGN_OR_RETURN(p.index, ScalarInput<int64_t>(ctx, 2, "index"));
  if (p.index < 0 || p.index >= p.shards) {
    return InvalidArgument("Index must be between 0 and ", p.shards - 1,
                           " (currently index = ", p.index, ").");
  }
  MR_ASSIGN_OR_RETURN(p.require_non_empty,
                      GetAttr<bool>(ctx.node().attrs, "require_non_empty"));
  return MakeDataset<ShardIterator>(ctx, {input}, p);
}

}  // namespace

MR_KERNELS(TakeDataset, Cpu){MR_DATASET_KERNEL(BuildCounted<TakeIterator>)};
MR_KERNELS(SkipDataset, Cpu){MR_DATASET_KERNEL(BuildCounted<SkipIterator>)};
MR_KERNELS(RepeatDataset, Cpu){MR_DATASET_KERNEL(BuildCounted<RepeatIterator>)};
MR_KERNELS(ShardDataset, Cpu){MR_DATASET_KERNEL(BuildShard)};

}  // namespace millrace::ops
