// Kernels of the figures of iterations.
#include "millrace/base/clock.h"
#include "millrace/kernel/handle_kernel.h"
#include "millrace/ops/dataset/same_iterator.h"
#include "millrace/ops/dataset_experimental/stats_aggregator.h"

namespace millrace::ops {
namespace {

struct StatsParams {
  std::string tag;
};

// Begins with the aggregator of the data set around this one.
class StatsIterator : public SameIteratorOf<StatsParams> {
 public:
  using SameIteratorOf::SameIteratorOf;
  Status Begin(IteratorRuntime& runtime) override {
    stats_ = runtime.stats();
    return SameIteratorOf::Begin(runtime);
  }

 protected:
  void Add(double value) {
    if (stats_ != nullptr)
      stats_->AddToHistogram(params().tag, value, elements_++);
  }

 private:
  std::shared_ptr<IterationStats> stats_;
  int64_t elements_ = 0;  // so far
};

// Returns the bytes of a tensor as stock counts them: 24 for each string, and
// its text.
int64_t CountedBytes(const Tensor& t) {
  if (t.dtype() != DataType::kString) {
    return static_cast<int64_t>(t.size_bytes());
  }
  int64_t bytes = 24 * t.num_elements();
  for (const StringElement& s : t.flat<StringElement>()) {
    bytes += static_cast<int64_t>(s.size());
  }
  return bytes;
}

class BytesIterator final : public StatsIterator {
 public:
  using StatsIterator::StatsIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, out));
    if (pull == Pull::kElement) {
      int64_t bytes = 0;
      for (const Tensor& t : *out) bytes += CountedBytes(t);
      Add(static_cast<double>(bytes));
    }
    return pull;
  }
};

class LatencyIterator final : public StatsIterator {
 public:
  using StatsIterator::StatsIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    if (asked_at_ == 0) asked_at_ = NowNanos();
    const StatusOr<Pull> pull = ctx.Next(*input_, out);
    if (pull.ok() && *pull == Pull::kPending) return pull;
    const int64_t nanos = NowNanos() - std::exchange(asked_at_, 0);
    if (!pull.ok() || *pull == Pull::kElement) {
      Add(static_cast<double>(nanos / 1000));
    }
    return pull;
  }

 private:
  int64_t asked_at_ = 0;  // for the element that is being produced
};

// Puts a tag in front of the names of histograms.
class TaggedStats final : public IterationStats {
 public:
  TaggedStats(Ref<StatsAggregator> aggregator, std::string tag)
      : aggregator_(std::move(aggregator)), tag_(std::move(tag)) {}
  void AddToHistogram(const std::string& name, double value,
                      int64_t element) override {
    aggregator_->AddToHistogram(
        tag_.empty() ? name : absl::StrCat(tag_, "::", name), value, element);
  }

 private:
  const Ref<StatsAggregator> aggregator_;
  const std::string tag_;
};

struct SetStatsParams {
  std::shared_ptr<IterationStats> stats;
};

class SetStatsIterator final : public SameIteratorOf<SetStatsParams> {
 public:
  using SameIteratorOf::SameIteratorOf;
  Status Begin(IteratorRuntime& runtime) override {
    runtime.set_stats(params().stats);
    return SameIteratorOf::Begin(runtime);
  }
};

template <class It>
StatusOr<Ref<DatasetValue>> BuildStats(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  StatsParams p;
  MR_ASSIGN_OR_RETURN(p.tag, StringInput(ctx, 1, "tag"));
  return MakeDataset<It>(ctx, {input}, std::move(p));
}

StatusOr<Ref<DatasetValue>> BuildSetStats(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  MR_ASSIGN_OR_RETURN(Ref<StatsAggregator> aggregator,
                      LookupInput<StatsAggregator>(ctx, 1));
  MR_ASSIGN_OR_RETURN(std::string tag, StringInput(ctx, 2, "tag"));
  MR_RETURN_IF_ERROR(StringInput(ctx, 3, "counter_prefix").status());
  SetStatsParams p;
  p.stats =
      std::make_shared<TaggedStats>(std::move(aggregator), std::move(tag));
  return MakeDataset<SetStatsIterator>(ctx, {input}, std::move(p));
}

Status StatsSummary(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<StatsAggregator> aggregator,
                      LookupInput<StatsAggregator>(ctx, 0));
  ctx.set_output(0, Tensor::Scalar<std::string>(aggregator->Summary()));
  return OkStatus();
}

Status SetStatsWriter(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<StatsAggregator> aggregator,
                      LookupInput<StatsAggregator>(ctx, 0));
  MR_ASSIGN_OR_RETURN(Ref<SummaryWriterResource> writer,
                      LookupInput<SummaryWriterResource>(ctx, 1));
  aggregator->SetWriter(std::move(writer));
  return OkStatus();
}

using SummaryHandle = HandleKernel<StatsAggregator, StatsTarget::kSummary>;
using WriterHandle = HandleKernel<StatsAggregator, StatsTarget::kWriter>;

}  // namespace

MR_KERNELS(BytesProducedStatsDataset,
           Cpu){MR_DATASET_KERNEL(BuildStats<BytesIterator>)};
MR_KERNELS(ExperimentalBytesProducedStatsDataset,
           Cpu){MR_DATASET_KERNEL(BuildStats<BytesIterator>)};
MR_KERNELS(LatencyStatsDataset,
           Cpu){MR_DATASET_KERNEL(BuildStats<LatencyIterator>)};
MR_KERNELS(ExperimentalLatencyStatsDataset,
           Cpu){MR_DATASET_KERNEL(BuildStats<LatencyIterator>)};
MR_KERNELS(SetStatsAggregatorDataset, Cpu){MR_DATASET_KERNEL(BuildSetStats)};
MR_KERNELS(ExperimentalSetStatsAggregatorDataset,
           Cpu){MR_DATASET_KERNEL(BuildSetStats)};
MR_KERNELS(StatsAggregatorHandle,
           Cpu){{.make = MakeKernel<SummaryHandle>, .cheap = true}};
MR_KERNELS(ExperimentalStatsAggregatorHandle,
           Cpu){{.make = MakeKernel<SummaryHandle>, .cheap = true}};
MR_KERNELS(StatsAggregatorHandleV2,
           Cpu){{.make = MakeKernel<WriterHandle>, .cheap = true}};
MR_KERNELS(StatsAggregatorSetSummaryWriter,
           Cpu){{.make = MakeFunctionKernel<SetStatsWriter>, .cheap = true}};
MR_KERNELS(StatsAggregatorSummary,
           Cpu){{.make = MakeFunctionKernel<StatsSummary>, .cheap = true}};
MR_KERNELS(ExperimentalStatsAggregatorSummary,
           Cpu){{.make = MakeFunctionKernel<StatsSummary>, .cheap = true}};

}  // namespace millrace::ops
