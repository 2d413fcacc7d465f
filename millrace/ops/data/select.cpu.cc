// Data sets that take their elements from others unchanged.
#include "millrace/ops/data/derived.h"
#include "millrace/ops/queue/resource_handle.h"

namespace millrace::ops {
namespace {

constexpr int64_t kInfinite = DatasetValue::kInfinite;
constexpr int64_t kUnknown = DatasetValue::kUnknown;

struct CountParams {
  int64_t count = 0;  // negative: no end
};

class TakeIterator final : public DerivedIterator<CountParams> {
 public:
  using DerivedIterator::DerivedIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    if (input_ == nullptr) return Pull::kEnd;
    if (params().count >= 0 && taken_ >= params().count) {
      input_ = nullptr;
      return Pull::kEnd;
    }
    MR_ASSIGN(const Pull pull, ctx.Next(*input_, out));
    if (pull == Pull::kElement) ++taken_;
    if (pull == Pull::kEnd) input_ = nullptr;
    return pull;
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "taken", taken_);
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN(taken_, in.Int(prefix + "taken", 0));
    return RestoreInput(in, prefix);
  }
  static int64_t Cardinality(const Parts& d) {
    const int64_t n = d.input().Cardinality(), count = d.params().count;
    if (count < 0) return n;
    if (count == 0) return 0;
    if (n == kUnknown) return kUnknown;
    return n == kInfinite ? count : std::min(n, count);
  }

 private:
  int64_t taken_ = 0;
};

class SkipIterator final : public DerivedIterator<CountParams> {
 public:
  using DerivedIterator::DerivedIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    if (input_ == nullptr || params().count < 0) return Pull::kEnd;
    for (;;) {
      MR_ASSIGN(const Pull pull, ctx.Next(*input_, out));
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
    MR_ASSIGN(skipped_, in.Int(prefix + "skipped", 0));
    return RestoreInput(in, prefix);
  }
  static int64_t Cardinality(const Parts& d) {
    const int64_t n = d.input().Cardinality(), count = d.params().count;
    if (count < 0) return 0;
    return n < 0 ? n : std::max<int64_t>(n - count, 0);
  }

 private:
  int64_t skipped_ = 0;
};

class RepeatIterator final : public DerivedIterator<CountParams> {
 public:
  using DerivedIterator::DerivedIterator;
  Status Begin(IteratorRuntime& runtime) override {
    if (params().count == 0) return OkStatus();
    return DerivedIterator::Begin(runtime);
  }
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    while (input_ != nullptr) {
      MR_ASSIGN(const Pull pull, ctx.Next(*input_, out));
      if (pull == Pull::kElement) empty_ = false;
      if (pull != Pull::kEnd) return pull;
      input_ = nullptr;
      ++done_;
      // Without an end an empty pass would be followed by empty passes only.
      const bool again = params().count < 0 ? !empty_ : done_ < params().count;
      if (!again) break;
      empty_ = true;
      MR_ASSIGN(input_, ctx.runtime().MakeIterator(dataset().input()));
    }
    return Pull::kEnd;
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "done", done_);
    out.Int(prefix + "empty", empty_);
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN(done_, in.Int(prefix + "done", 0));
    MR_ASSIGN(const int64_t empty, in.Int(prefix + "empty", 0));
    empty_ = empty != 0;
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

 private:
  int64_t done_ = 0;
  bool empty_ = true;
};

struct NoParams {};

class ZipIterator final : public DerivedIterator<NoParams> {
 public:
  using DerivedIterator::DerivedIterator;
  Status Begin(IteratorRuntime& runtime) override {
    for (const DatasetRef& input : dataset().inputs()) {
      MR_ASSIGN(auto iterator, runtime.MakeIterator(*input));
      inputs_.push_back(std::move(iterator));
    }
    parts_.resize(inputs_.size());
    return OkStatus();
  }
  // As in stock all inputs advance where one of them has an error, which is
  // then the element's; the end of one is told behind it.
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    if (inputs_.empty()) return Pull::kEnd;
    for (; at_ < inputs_.size(); ++at_) {
      StatusOr<Pull> pull = ctx.Next(*inputs_[at_], &parts_[at_]);
      if (pull.ok() && *pull == Pull::kPending) return pull;
      if (!pull.ok()) UpdateStatus(status_, pull.status());
      if (pull.ok() && *pull == Pull::kEnd) {
        ended_ = true;
        if (status_.ok()) break;
      }
    }
    at_ = 0;
    if (ended_) inputs_.clear();
    MR_RETURN_IF_ERROR(std::exchange(status_, OkStatus()));
    if (ended_) return Pull::kEnd;
    out->clear();
    for (Element& part : parts_) {
      std::move(part.begin(), part.end(), std::back_inserter(*out));
      part.clear();
    }
    return Pull::kElement;
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "ended", inputs_.empty());
    for (size_t i = 0; i < inputs_.size(); ++i) {
      MR_RETURN_IF_ERROR(
          inputs_[i]->Save(out, absl::StrCat(prefix, "in", i, ":")));
    }
    return OkStatus();
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN(const int64_t ended, in.Int(prefix + "ended", 0));
    if (ended != 0) inputs_.clear();
    for (size_t i = 0; i < inputs_.size(); ++i) {
      MR_RETURN_IF_ERROR(
          inputs_[i]->Restore(in, absl::StrCat(prefix, "in", i, ":")));
    }
    return OkStatus();
  }
  static int64_t Cardinality(const Parts& d) {
    int64_t least = kInfinite;
    for (const DatasetRef& input : d.inputs()) {
      const int64_t n = input->Cardinality();
      if (n == kUnknown) return kUnknown;
      if (n != kInfinite) least = least == kInfinite ? n : std::min(least, n);
    }
    return least;
  }

 private:
  std::vector<std::unique_ptr<DatasetIterator>> inputs_;
  // Of the element that is being gathered.
  std::vector<Element> parts_;
  size_t at_ = 0;
  bool ended_ = false;
  Status status_;
};

class ConcatenateIterator final : public DerivedIterator<NoParams> {
 public:
  using DerivedIterator::DerivedIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    while (input_ != nullptr) {
      MR_ASSIGN(const Pull pull, ctx.Next(*input_, out));
      if (pull != Pull::kEnd) return pull;
      input_ = nullptr;
      if (++at_ == dataset().inputs().size()) break;
      MR_ASSIGN(input_, ctx.runtime().MakeIterator(dataset().input(at_)));
    }
    return Pull::kEnd;
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "at", static_cast<int64_t>(at_));
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN(const int64_t at, in.Int(prefix + "at", 0));
    at_ = at == 0 ? 0 : 1;
    if (at_ == 1) {
      MR_ASSIGN(input_, in.runtime().MakeIterator(dataset().input(1)));
    }
    return RestoreInput(in, prefix);
  }
  static int64_t Cardinality(const Parts& d) {
    const int64_t a = d.input(0).Cardinality(), b = d.input(1).Cardinality();
    if (a == kInfinite || b == kInfinite) return kInfinite;
    if (a == kUnknown || b == kUnknown) return kUnknown;
    int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? kInfinite : sum;
  }

 private:
  size_t at_ = 0;
};

struct ShardParams {
  int64_t shards = 1;
  int64_t index = 0;
  bool require_non_empty = false;
};

class ShardIterator final : public DerivedIterator<ShardParams> {
 public:
  using DerivedIterator::DerivedIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    while (input_ != nullptr) {
      MR_ASSIGN(const Pull pull, ctx.Next(*input_, out));
      if (pull == Pull::kPending) return pull;
      if (pull == Pull::kEnd) {
        input_ = nullptr;
        break;
      }
      if (found_.empty()) {
        if (number_++ % params().shards != params().index) continue;
        if (!params().require_non_empty) return pull;
        found_ = std::move(*out);
        taken_at_ = number_;
      } else {
        ++number_;
      }
      // There must be one for each other shard, too.
      if (number_ >= params().shards) {
        *out = std::exchange(found_, {});
        return Pull::kElement;
      }
    }
    if (found_.empty()) return Pull::kEnd;
    found_.clear();
    return InvalidArgument(
        "Could not apply FILE based sharding: the dataset only has ", taken_at_,
        " file(s), which is not enough for the required ", params().shards,
        " shards/workers.");
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "number", number_);
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN(number_, in.Int(prefix + "number", 0));
    return RestoreInput(in, prefix);
  }
  static int64_t Cardinality(const Parts& d) {
    const int64_t n = d.input().Cardinality();
    if (n < 0) return n;
    const ShardParams& p = d.params();
    return n / p.shards + (p.index < n % p.shards ? 1 : 0);
  }

 private:
  int64_t number_ = 0;
  // Of this shard, while the others' are looked for; its number, from 1.
  Element found_;
  int64_t taken_at_ = 0;
};

// The input as it is: options and threads are the server's.
class SameIterator final : public DerivedIterator<NoParams> {
 public:
  using DerivedIterator::DerivedIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    return ctx.Next(*input_, out);
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    return input_->Save(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    return input_->Restore(in, prefix);
  }
  static int64_t Cardinality(const Parts& d) { return d.input().Cardinality(); }
};

template <class It>
StatusOr<Ref<DatasetValue>> BuildCounted(KernelContext& ctx) {
  MR_ASSIGN(const DatasetRef input, DatasetOfInput(ctx, 0));
  MR_ASSIGN(const int64_t count, ScalarInput<int64_t>(ctx, 1, "count"));
  return MakeDataset<It>(ctx, {input}, {.count = count});
}

StatusOr<Ref<DatasetValue>> BuildZip(KernelContext& ctx) {
  std::vector<DatasetRef> inputs;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    MR_ASSIGN(DatasetRef input, DatasetOfInput(ctx, i));
    inputs.push_back(std::move(input));
  }
  return MakeDataset<ZipIterator>(ctx, std::move(inputs), {});
}

StatusOr<Ref<DatasetValue>> BuildConcatenate(KernelContext& ctx) {
  MR_ASSIGN(DatasetRef first, DatasetOfInput(ctx, 0));
  MR_ASSIGN(DatasetRef second, DatasetOfInput(ctx, 1));
  if (first->signature().types != second->signature().types) {
    return InvalidArgument(
        "input dataset and dataset to concatenate have different output_types ",
        TypesText(first->signature().types), " and ",
        TypesText(second->signature().types));
  }
  return MakeDataset<ConcatenateIterator>(
      ctx, {std::move(first), std::move(second)}, {});
}

StatusOr<Ref<DatasetValue>> BuildShard(KernelContext& ctx) {
  MR_ASSIGN(const DatasetRef input, DatasetOfInput(ctx, 0));
  ShardParams p;
  MR_ASSIGN(p.shards, ScalarInput<int64_t>(ctx, 1, "num_shards"));
  if (p.shards <= 0) {
    return InvalidArgument(
        "Number of shards must be greater than zero (currently num_shards = ",
        p.shards, ").");
  }
  MR_ASSIGN(p.index, ScalarInput<int64_t>(ctx, 2, "index"));
  if (p.index < 0 || p.index >= p.shards) {
    return InvalidArgument("Index must be between 0 and ", p.shards - 1,
                           " (currently index = ", p.index, ").");
  }
  MR_ASSIGN(p.require_non_empty,
            GetAttr<bool>(ctx.node().attrs, "require_non_empty"));
  return MakeDataset<ShardIterator>(ctx, {input}, p);
}

StatusOr<Ref<DatasetValue>> BuildSame(KernelContext& ctx) {
  MR_ASSIGN(const DatasetRef input, DatasetOfInput(ctx, 0));
  return MakeDataset<SameIterator>(ctx, {input}, {});
}

Status Cardinality(KernelContext& ctx) {
  MR_ASSIGN(const DatasetRef dataset, DatasetOfInput(ctx, 0));
  ctx.set_output(0, Tensor::Scalar<int64_t>(dataset->Cardinality()));
  return OkStatus();
}

}  // namespace

MR_KERNELS(TakeDataset, Cpu){MR_DATASET_KERNEL(BuildCounted<TakeIterator>)};
MR_KERNELS(SkipDataset, Cpu){MR_DATASET_KERNEL(BuildCounted<SkipIterator>)};
MR_KERNELS(RepeatDataset, Cpu){MR_DATASET_KERNEL(BuildCounted<RepeatIterator>)};
MR_KERNELS(ZipDataset, Cpu){MR_DATASET_KERNEL(BuildZip)};
MR_KERNELS(ConcatenateDataset, Cpu){MR_DATASET_KERNEL(BuildConcatenate)};
MR_KERNELS(ShardDataset, Cpu){MR_DATASET_KERNEL(BuildShard)};
MR_KERNELS(OptionsDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(RewriteDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(ModelDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(FinalizeDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(MaxIntraOpParallelismDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(PrivateThreadPoolDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(DatasetCardinality,
           Cpu){{.make = MakeFunctionKernel<Cardinality>, .cheap = true}};

}  // namespace millrace::ops
