// Kernels of batches, plain and padded, and of rows of batches.
#include "millrace/ops/data/gathered_elements.h"
#include "millrace/ops/data/slices.h"
#include "millrace/ops/dataset/derived.h"

namespace millrace::ops {
namespace {

struct BatchParams {
  int64_t size = 1;
  bool drop_remainder = false;
  // For padded batches, one for each component.
  bool padded = false;
  std::vector<PartialShape> shapes = {};
  std::vector<Tensor> values = {};
};

class BatchIterator final : public DerivedIterator<BatchParams> {
 public:
  using DerivedIterator::DerivedIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    MR_ASSIGN_OR_RETURN(const Pull filled,
                        gathered_.FillFrom(ctx, input_, params().size));
    if (filled == Pull::kPending) return filled;
    const std::vector<Element> batch = gathered_.Take();
    if (batch.empty()) return Pull::kEnd;
    if (params().drop_remainder &&
        static_cast<int64_t>(batch.size()) < params().size) {
      return Pull::kEnd;
    }
    Allocator* const allocator = ctx.runtime().allocator();
    if (params().padded) {
      MR_ASSIGN_OR_RETURN(*out, StackPadded(batch, params().shapes,
                                            params().values, allocator));
    } else {
      MR_ASSIGN_OR_RETURN(*out, Stack(batch, allocator));
    }
    return Pull::kElement;
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    return RestoreInput(in, prefix);
  }
  // As in stock, the first dimension is known if no batch can be shorter.
  static ElementSignature Signature(const Inputs& inputs,
                                    const BatchParams& p) {
    const bool whole =
        p.drop_remainder || inputs[0]->Cardinality() == kInfinite;
    const PartialShape rows({whole ? p.size : kUnknownDim});
    ElementSignature batches = inputs[0]->signature();
    if (p.padded) batches.shapes = p.shapes;
    for (PartialShape& shape : batches.shapes) shape = rows.Concatenate(shape);
    return batches;
  }
  static int64_t Cardinality(const Parts& d) {
    const int64_t n = d.input().Cardinality();
    if (n < 0) return n;
    const int64_t rest = n % d.params().size;
    return n / d.params().size + (rest > 0 && !d.params().drop_remainder);
  }

 private:
  GatheredElements gathered_;
};

class UnbatchIterator final : public DerivedIterator<NoParams> {
 public:
  using DerivedIterator::DerivedIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    while (row_ >= rows_) {
      if (input_ == nullptr) return Pull::kEnd;
      MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, &batch_));
      if (pull == Pull::kEnd) input_ = nullptr;
      if (pull != Pull::kElement) return pull;
      MR_RETURN_IF_ERROR(BeginBatch());
    }
    out->clear();
    for (const Tensor& t : batch_) {
      MR_ASSIGN_OR_RETURN(Tensor slice,
                          SliceOf(t, row_, ctx.runtime().allocator()));
      out->push_back(std::move(slice));
    }
    ++row_;
    return Pull::kElement;
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "row", row_);
    out.Int(prefix + "rows", rows_);
    if (row_ < rows_) out.Element(prefix + "batch", batch_);
    return SaveInput(out, prefix);
  }
  static ElementSignature Signature(const Inputs& inputs, const NoParams&) {
    ElementSignature rows = inputs[0]->signature();
    for (PartialShape& shape : rows.shapes) {
      if (shape.rank() > 0) shape = PartialShape(shape.dims().subspan(1));
    }
    return rows;
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(const int64_t row, in.Count(prefix + "row"));
    MR_ASSIGN_OR_RETURN(const int64_t rows, in.Count(prefix + "rows"));
    if (row < rows) {
      MR_ASSIGN_OR_RETURN(
          batch_,
          in.Element(prefix + "batch", dataset().input().signature().types));
      MR_RETURN_IF_ERROR(BeginBatch());
    }
    row_ = row;
    return RestoreInput(in, prefix);
  }

 private:
  Status BeginBatch() {
    row_ = rows_ = 0;
    for (const Tensor& t : batch_) {
      if (t.rank() == 0) {
        return InvalidArgument("element must have a non-scalar shape");
      }
      if (t.dim(0) != batch_[0].dim(0)) {
        return InvalidArgument(
            "Input element must have the same batch size in each component. "
            "Component 0 had size ",
            batch_[0].dim(0), " but component ", &t - batch_.data(),
            " had size ", t.dim(0), ".");
      }
    }
    if (!batch_.empty()) rows_ = batch_[0].dim(0);
    return OkStatus();
  }

  Element batch_;
  int64_t row_ = 0, rows_ = 0;
};

// The treatment of elements that do not fill a batch; in later forms of the ops
// the last input selects it.
enum class Remainder { kKept, kAsAsked };

template <Remainder kRemainder>
StatusOr<BatchParams> CommonParams(KernelContext& ctx) {
  BatchParams p;
  MR_ASSIGN_OR_RETURN(p.size, ScalarInput<int64_t>(ctx, 1, "batch_size"));
  if (p.size <= 0) {
    return InvalidArgument("Batch size must be greater than zero.");
  }
  if (kRemainder == Remainder::kAsAsked) {
    MR_ASSIGN_OR_RETURN(
        p.drop_remainder,
        ScalarInput<bool>(ctx, ctx.num_inputs() - 1, "drop_remainder"));
  }
  return p;
}

template <Remainder kRemainder>
StatusOr<Ref<DatasetValue>> BuildBatch(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  MR_ASSIGN_OR_RETURN(BatchParams p, CommonParams<kRemainder>(ctx));
  return MakeDataset<BatchIterator>(ctx, {input}, std::move(p));
}

StatusOr<Ref<DatasetValue>> BuildParallelBatch(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(
      ScalarInput<int64_t>(ctx, 2, "num_parallel_calls").status());
  return BuildBatch<Remainder::kAsAsked>(ctx);
}

template <Remainder kRemainder>
StatusOr<Ref<DatasetValue>> BuildPaddedBatch(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  MR_ASSIGN_OR_RETURN(BatchParams p, CommonParams<kRemainder>(ctx));
  p.padded = true;
  const std::vector<DataType>& types = input->signature().types;
  MR_ASSIGN_OR_RETURN(const int64_t n, GetAttr<int64_t>(ctx.node().attrs, "N"));
  if (n != static_cast<int64_t>(types.size())) {
    return InvalidArgument("Number of padded shapes (", n,
                           ") must match the number of components in the input "
                           "dataset's elements (",
                           types.size(), ")");
  }
  for (int64_t i = 0; i < n; ++i) {
    const Tensor& t = ctx.input(static_cast<int>(2 + i));
    if (t.rank() != 1) {
      return InvalidArgument("All padded shapes must be vectors");
    }
    MR_ASSIGN_OR_RETURN(PartialShape shape,
                        PartialShape::Make(absl::MakeConstSpan(IntValues(t))));
    p.shapes.push_back(std::move(shape));
  }
  MR_ASSIGN_OR_RETURN(
      const AttrValue::TypeList value_types,
      GetAttr<AttrValue::TypeList>(ctx.node().attrs, "Toutput_types"));
  if (value_types.size() != types.size()) {
    return InvalidArgument("Number of padding values (", value_types.size(),
                           ") must match the number of components in the input "
                           "dataset's elements (",
                           types.size(), ")");
  }
  for (size_t i = 0; i < value_types.size(); ++i) {
    const Tensor& t = ctx.input(static_cast<int>(2 + n) + static_cast<int>(i));
    if (t.rank() != 0) {
      return InvalidArgument("All padding values must be scalars");
    }
    if (t.dtype() != types[i]) {
      return InvalidArgument("Mismatched type between padding value ", i,
                             " and input dataset's component ", i, ": ",
                             DataTypeName(t.dtype()), " vs. ",
                             DataTypeName(types[i]));
    }
    p.values.push_back(t);
  }
  return MakeDataset<BatchIterator>(ctx, {input}, std::move(p));
}

StatusOr<Ref<DatasetValue>> BuildUnbatch(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  return MakeDataset<UnbatchIterator>(ctx, {input}, {});
}

}  // namespace

MR_KERNELS(BatchDataset, Cpu){MR_DATASET_KERNEL(BuildBatch<Remainder::kKept>)};
MR_KERNELS(BatchDatasetV2,
           Cpu){MR_DATASET_KERNEL(BuildBatch<Remainder::kAsAsked>)};
MR_KERNELS(ParallelBatchDataset, Cpu){MR_DATASET_KERNEL(BuildParallelBatch)};
MR_KERNELS(PaddedBatchDataset,
           Cpu){MR_DATASET_KERNEL(BuildPaddedBatch<Remainder::kKept>)};
MR_KERNELS(PaddedBatchDatasetV2,
           Cpu){MR_DATASET_KERNEL(BuildPaddedBatch<Remainder::kAsAsked>)};
MR_KERNELS(UnbatchDataset, Cpu){MR_DATASET_KERNEL(BuildUnbatch)};
MR_KERNELS(ExperimentalUnbatchDataset, Cpu){MR_DATASET_KERNEL(BuildUnbatch)};

}  // namespace millrace::ops
