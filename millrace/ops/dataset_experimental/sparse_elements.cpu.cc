// Kernels of data sets of sparse tensors.
#include "millrace/base/memory/checked_size.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/data/gathered_elements.h"
#include "millrace/ops/dataset/derived.h"
#include "millrace/tensor/variant/variant_tensor.h"

namespace millrace::ops {
namespace {

struct SparseBatchParams {
  int64_t size = 1;
  PartialShape row;
};

// Returns sparse tensors in three variants: indices, values and dense shape.
class SparseBatchIterator final : public DerivedIterator<SparseBatchParams> {
 public:
  using DerivedIterator::DerivedIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    MR_ASSIGN_OR_RETURN(const Pull filled,
                        gathered_.FillFrom(ctx, input_, params().size));
    if (filled == Pull::kPending) return filled;
    const std::vector<Element> batch = gathered_.Take();
    if (batch.empty()) return Pull::kEnd;
    MR_ASSIGN_OR_RETURN(const DimVector dims, DenseDims(batch));
    MR_ASSIGN_OR_RETURN(Tensor joined,
                        Join(batch, dims, ctx.runtime().allocator()));
    out->assign(1, std::move(joined));
    return Pull::kElement;
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    return RestoreInput(in, prefix);
  }
  static int64_t Cardinality(const Parts& d) {
    const int64_t n = d.input().Cardinality(), size = d.params().size;
    return n < 0 ? n : n / size + (n % size > 0);
  }

 private:
  // Returns the dense shape of the batch. Unknown sizes of a row are those of
  // the largest element.
  StatusOr<DimVector> DenseDims(const std::vector<Element>& batch) const {
    const PartialShape& row = params().row;
    const DataType type = dataset().input().signature().types[0];
    DimVector dims(row.dims().begin(), row.dims().end());
    for (int64_t& d : dims) d = std::max<int64_t>(d, 0);
    for (const Element& element : batch) {
      if (element.size() != 1 || element[0].dtype() != type) {
        return InvalidArgument("an element of a batch is not one tensor of ",
                               DataTypeName(type));
      }
      const TensorShape& shape = element[0].shape();
      if (shape.rank() != row.rank()) {
        return InvalidArgument("Input element had shape (", shape.DebugString(),
                               ") that is incompatible with the row shape (",
                               row.DebugString(), ").");
      }
      for (int d = 0; d < shape.rank(); ++d) {
        int64_t& dim = dims[static_cast<size_t>(d)];
        if (row.dim(d) == kUnknownDim) {
          dim = std::max(dim, shape.dim(d));
        } else if (shape.dim(d) > dim) {
          return DataLoss("Input element had shape (", shape.DebugString(),
                          ") that is larger than the row shape (",
                          row.DebugString(), ").");
        }
      }
    }
    dims.insert(dims.begin(), static_cast<int64_t>(batch.size()));
    return dims;
  }

  StatusOr<Tensor> Join(const std::vector<Element>& batch,
                        const DimVector& dims, Allocator* allocator) const {
    const auto rank = static_cast<int64_t>(dims.size());
    CheckedSize sum = 0;
    for (const Element& element : batch) sum += element[0].num_elements();
    MR_ASSIGN_OR_RETURN(const int64_t total, sum.Get("a sparse batch"));
    MR_ASSIGN_OR_RETURN(const TensorShape index_shape,
                        TensorShape::Make({total, rank}));
    MR_ASSIGN_OR_RETURN(
        Tensor indices,
        Tensor::Allocate(allocator, DataType::kInt64, index_shape));
    MR_ASSIGN_OR_RETURN(
        Tensor values,
        Tensor::Allocate(allocator, batch[0][0].dtype(), TensorShape({total})));
    int64_t* index =
        total == 0 ? nullptr : indices.mutable_flat<int64_t>().data();
    int64_t done = 0;
    for (size_t i = 0; i < batch.size(); ++i) {
      const Tensor& t = batch[i][0];
      if (t.num_elements() == 0) continue;
      CopyElements(t.dtype(), t.data(), 0, values.mutable_data(), done,
                   t.num_elements());
      done += t.num_elements();
      DimVector at(static_cast<size_t>(t.rank()), 0);
      for (int64_t e = 0; e < t.num_elements(); ++e) {
        *index++ = static_cast<int64_t>(i);
        index = std::copy(at.begin(), at.end(), index);
        for (int d = t.rank() - 1; d >= 0; --d) {
          if (++at[static_cast<size_t>(d)] < t.dim(d)) break;
          at[static_cast<size_t>(d)] = 0;
        }
      }
    }
    const VariantElement parts[] = {
        MakeRef<VariantTensor>(std::move(indices)),
        MakeRef<VariantTensor>(std::move(values)),
        MakeRef<VariantTensor>(
            Tensor::Vector<int64_t>(absl::MakeConstSpan(dims)))};
    return Tensor::Vector<VariantElement>(absl::MakeConstSpan(parts));
  }

  GatheredElements gathered_;
};

StatusOr<Ref<DatasetValue>> BuildSparseBatch(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  if (input->signature().types.size() != 1) {
    return InvalidArgument(
        "DenseToSparseBatchDataset only supports inputs with a single "
        "component.");
  }
  SparseBatchParams p;
  MR_ASSIGN_OR_RETURN(p.size, ScalarInput<int64_t>(ctx, 1, "batch_size"));
  if (p.size <= 0) {
    return InvalidArgument("Batch size must be greater than zero.");
  }
  if (ctx.input(2).rank() != 1) {
    return InvalidArgument("row_shape must be a vector");
  }
  MR_ASSIGN_OR_RETURN(
      p.row, PartialShape::Make(absl::MakeConstSpan(IntValues(ctx.input(2)))));
  if (p.row.rank() >= kMaxRank) {
    return InvalidArgument("row_shape has ", p.row.rank(),
                           " dimensions, a batch of such rows has too many");
  }
  MR_ASSIGN_OR_RETURN(const int depth, DepthAbove({input}));
  // As in stock, the shape is that of the batch, whatever the node says of it
  // and though an element is three variants.
  ElementSignature signature{{DataType::kVariant},
                             {PartialShape({-1}).Concatenate(p.row)}};
  return Ref<DatasetValue>(MakeRef<DatasetOf<SparseBatchIterator>>(
      std::move(signature), depth, std::vector<DatasetRef>{input},
      std::move(p)));
}

class SparseSliceDataset final : public DatasetValue {
 public:
  SparseSliceDataset(ElementSignature s, int depth, Tensor indices,
                     Tensor values, Tensor shape)
      : DatasetValue(std::move(s), depth),
        indices_(std::move(indices)),
        values_(std::move(values)),
        shape_(std::move(shape)) {}
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      IteratorRuntime&) const override {
    return std::unique_ptr<DatasetIterator>(new Iterator(*this));
  }
  int64_t Cardinality() const override { return shape_.flat<int64_t>()[0]; }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const SparseSliceDataset& d)
        : dataset_(Ref<const SparseSliceDataset>::Share(&d)) {}
    StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
      const SparseSliceDataset& d = *dataset_;
      if (row_ >= d.Cardinality()) return Pull::kEnd;
      const int64_t row = row_++;
      while (entry_ < d.values_.dim(0) && d.RowOf(entry_) < row) ++entry_;
      const int64_t first = entry_;
      while (entry_ < d.values_.dim(0) && d.RowOf(entry_) == row) ++entry_;
      return d.Slice(first, entry_, ctx.runtime().allocator(), out);
    }
    Status Save(StateWriter& out, const std::string& prefix) override {
      out.Int(prefix + "next", row_);
      return OkStatus();
    }
    Status Restore(StateReader& in, const std::string& prefix) override {
      MR_ASSIGN_OR_RETURN(row_, in.Count(prefix + "next"));
      return OkStatus();
    }

   private:
    const Ref<const SparseSliceDataset> dataset_;
    int64_t row_ = 0, entry_ = 0;
  };

  int64_t RowOf(int64_t entry) const {
    return indices_
        .flat<int64_t>()[static_cast<size_t>(entry * indices_.dim(1))];
  }

  // Sets `*out` to the entries [begin, end) without their first coordinate.
  StatusOr<Pull> Slice(int64_t begin, int64_t end, Allocator* allocator,
                       Element* out) const {
    const int64_t count = end - begin, rank = indices_.dim(1);
    MR_ASSIGN_OR_RETURN(Tensor indices,
                        Tensor::Allocate(allocator, DataType::kInt64,
                                         TensorShape({count, rank - 1})));
    MR_ASSIGN_OR_RETURN(
        Tensor values,
        Tensor::Allocate(allocator, values_.dtype(), TensorShape({count})));
    if (count > 0) {
      CopyElements(values_.dtype(), values_.data(), begin,
                   values.mutable_data(), 0, count);
    }
    if (indices.num_elements() > 0) {
      int64_t* to = indices.mutable_flat<int64_t>().data();
      const int64_t* from = indices_.flat<int64_t>().data() + begin * rank;
      for (int64_t i = 0; i < count; ++i, from += rank) {
        to = std::copy(from + 1, from + rank, to);
      }
    }
    const auto dims = shape_.flat<int64_t>();
    out->clear();
    out->push_back(std::move(indices));
    out->push_back(std::move(values));
    out->push_back(Tensor::Vector<int64_t>(dims.subspan(1)));
    return Pull::kElement;
  }

  const Tensor indices_, values_, shape_;
};

Status CheckSparseInputs(const Tensor& indices, const Tensor& values,
                         const Tensor& shape) {
  const auto wrong = [](const char* name, const char* form, const Tensor& t) {
    return InvalidArgument("Input ", name, " must be a ", form,
                           ". Got: ", t.shape().DebugString());
  };
  if (indices.rank() != 2) return wrong("indices", "matrix", indices);
  if (values.rank() != 1) return wrong("values", "vector", values);
  if (shape.rank() != 1) return wrong("shape", "vector", shape);
  if (values.dim(0) != indices.dim(0)) {
    return InvalidArgument(
        "Number of values must match first dimension of indices. Got ",
        values.dim(0),
        " values, indices shape: ", indices.shape().DebugString());
  }
  if (shape.dim(0) != indices.dim(1)) {
    return InvalidArgument(
        "Number of dimensions must match second dimension of indices. Got ",
        shape.dim(0),
        " dimensions, indices shape: ", indices.shape().DebugString());
  }
  if (shape.dim(0) == 0) {
    return InvalidArgument("The shape argument requires at least one element.");
  }
  int64_t product = 1;
  for (const int64_t dim : shape.flat<int64_t>()) {
    if (dim < 0) {
      return InvalidArgument(
          "Expected shape dimensions to be non-negative, got ", dim);
    }
    const int64_t before = product;
    if (__builtin_mul_overflow(before, dim, &product)) {
      return InvalidArgument("Encountered overflow when multiplying ", before,
                             " with ", dim, ", result: -1");
    }
  }
  const auto flat = indices.flat<int64_t>();
  int64_t last = -1;
  for (int64_t i = 0; i < indices.dim(0); ++i) {
    const int64_t row = flat[static_cast<size_t>(i * indices.dim(1))];
    if (row < last) {
      return Unimplemented(
          "The SparseTensor must be ordered in the batch dimension; handling "
          "arbitrarily ordered input is not currently supported.");
    }
    last = row;
  }
  return OkStatus();
}

StatusOr<Ref<DatasetValue>> BuildSparseSlices(KernelContext& ctx) {
  const Tensor& indices = ctx.input(0);
  const Tensor& values = ctx.input(1);
  const Tensor& shape = ctx.input(2);
  MR_RETURN_IF_ERROR(CheckSparseInputs(indices, values, shape));
  MR_ASSIGN_OR_RETURN(const int depth, DepthAbove({}, {values}));
  const int64_t rank = shape.dim(0);
  ElementSignature signature{
      {DataType::kInt64, values.dtype(), DataType::kInt64},
      {PartialShape({-1, rank - 1}), PartialShape({-1}),
       PartialShape({rank - 1})}};
  return Ref<DatasetValue>(MakeRef<SparseSliceDataset>(
      std::move(signature), depth, indices, values, shape));
}

}  // namespace

MR_KERNELS(DenseToSparseBatchDataset, Cpu){MR_DATASET_KERNEL(BuildSparseBatch)};
MR_KERNELS(ExperimentalDenseToSparseBatchDataset,
           Cpu){MR_DATASET_KERNEL(BuildSparseBatch)};
MR_KERNELS(SparseTensorSliceDataset, Cpu){
    {.types = "Tvalues: " MR_ELEMENT_TYPES ", " MR_QUANTIZED_8_32_TYPES,
     .make = MakeFunctionKernel<RunDatasetKernel<BuildSparseSlices>>,
     .cheap = true}};

}  // namespace millrace::ops
