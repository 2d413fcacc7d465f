// RebatchDataset: each batch as one smaller batch for each replica.
#include "millrace/ops/array/move.h"
#include "millrace/ops/dataset/derived.h"

namespace millrace::ops {
namespace {

struct RebatchParams {
  int64_t replicas = 1;
};

// Returns rows [begin, end) of `t`. Shares the buffer if they are aligned, else
// copies.
StatusOr<Tensor> BatchRows(const Tensor& t, int64_t begin, int64_t end,
                           Allocator* allocator) {
  Tensor rows;
  if (begin < end && ShareRows(t, begin, end, &rows)) return rows;
  DimVector dims = t.shape().dims();
  dims[0] = end - begin;
  const TensorShape shape(absl::MakeConstSpan(dims));
  MR_ASSIGN_OR_RETURN(rows, Tensor::Allocate(allocator, t.dtype(), shape));
  const int64_t per_row = t.shape().NumElements(1, t.rank());
  if (rows.num_elements() > 0) {
    CopyElements(t.dtype(), t.data(), begin * per_row, rows.mutable_data(), 0,
                 rows.num_elements());
  }
  return rows;
}

class RebatchIterator final : public DerivedIterator<RebatchParams> {
 public:
  using DerivedIterator::DerivedIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    if (part_ == params().replicas) {
      if (input_ == nullptr) return Pull::kEnd;
      MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, &batch_));
      if (pull == Pull::kEnd) input_ = nullptr;
      if (pull != Pull::kElement) return pull;
      MR_RETURN_IF_ERROR(CheckBatch());
      part_ = 0;
    }
    out->clear();
    const int64_t part = part_++;
    for (const Tensor& t : batch_) {
      // All parts have one size; the last ones get what is left, if anything.
      const int64_t rows = t.dim(0), all = params().replicas;
      const int64_t size = rows / all + (rows % all != 0);
      const int64_t begin =
          size == 0 || part > rows / size ? rows : std::min(part * size, rows);
      MR_ASSIGN_OR_RETURN(
          Tensor slice,
          BatchRows(t, begin, begin + std::min(size, rows - begin),
                    ctx.runtime().allocator()));
      out->push_back(std::move(slice));
    }
    if (part_ == params().replicas) batch_.clear();
    return Pull::kElement;
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "part", part_);
    if (part_ < params().replicas) out.Element(prefix + "batch", batch_);
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(part_, in.Count(prefix + "part", params().replicas));
    if (part_ < params().replicas) {
      MR_ASSIGN_OR_RETURN(
          batch_,
          in.Element(prefix + "batch", dataset().input().signature().types));
      MR_RETURN_IF_ERROR(CheckBatch());
    }
    return RestoreInput(in, prefix);
  }

 private:
  Status CheckBatch() const {
    for (size_t i = 0; i < batch_.size(); ++i) {
      if (batch_[i].rank() > 0) continue;
      return InvalidArgument(
          "Cannot rebatch dataset: All components must have at least one "
          "dimension. Perhaps your input dataset is not batched? Component ",
          i, " is scalar.");
    }
    return OkStatus();
  }

  Element batch_;
  int64_t part_ = params().replicas;  // the next one of batch_
};

StatusOr<Ref<DatasetValue>> BuildRebatch(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  RebatchParams p;
  MR_ASSIGN_OR_RETURN(p.replicas, ScalarInput<int64_t>(ctx, 1, "num_replicas"));
  if (p.replicas <= 0) {
    return InvalidArgument("num_replicas must be greater than zero.");
  }
  return MakeDataset<RebatchIterator>(ctx, {input}, p);
}

}  // namespace

MR_KERNELS(RebatchDataset, Cpu){MR_DATASET_KERNEL(BuildRebatch)};
MR_KERNELS(ExperimentalRebatchDataset, Cpu){MR_DATASET_KERNEL(BuildRebatch)};

}  // namespace millrace::ops
