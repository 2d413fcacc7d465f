// Kernel of RaggedTensorToTensor.
#include <algorithm>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/ragged/row_partition.op.h"

namespace millrace::ops {
namespace {

constexpr int64_t kOutside = -1;

// For each row of a dimension, where the result has it: the number of its first
// row of values, or kOutside.
class Places {
 public:
  // Must be called before at most `count` calls of Add.
  Status Reserve(int64_t count) {
    if (count > (int64_t{1} << 58)) {
      return ResourceExhausted("a ragged tensor of ", count, " rows");
    }
    places_.reserve(static_cast<size_t>(count));
    return OkStatus();
  }
  void Add(int64_t place) { places_.push_back(place); }
  int64_t size() const { return static_cast<int64_t>(places_.size()); }
  int64_t operator[](int64_t i) const {
    return places_[static_cast<size_t>(i)];
  }

 private:
  CountedVector<int64_t> places_;
};

// Says how far apart the result has the rows of a dimension, and how many.
struct Extent {
  int64_t step, count;
};

StatusOr<Places> PlacesOfSplits(const Places& parents,
                                absl::Span<const int64_t> splits, Extent e) {
  Places places;
  if (splits.empty()) return places;
  const auto rows = static_cast<int64_t>(splits.size()) - 1;
  if (splits[0] != 0 || rows > parents.size() ||
      !std::is_sorted(splits.begin(), splits.end())) {
    return InvalidArgument("Invalid row split size.");
  }
  MR_RETURN_IF_ERROR(places.Reserve(splits.back()));
  for (int64_t row = 0; row < rows; ++row) {
    const auto r = static_cast<size_t>(row);
    const int64_t parent = parents[row], length = splits[r + 1] - splits[r];
    for (int64_t i = 0; i < length; ++i) {
      const bool inside = parent != kOutside && i < e.count;
      places.Add(inside ? parent + i * e.step : kOutside);
    }
  }
  return places;
}

StatusOr<Places> PlacesOfRowids(const Places& parents,
                                absl::Span<const int64_t> rowids, Extent e) {
  Places places;
  MR_RETURN_IF_ERROR(places.Reserve(static_cast<int64_t>(rowids.size())));
  int64_t column = 0;
  for (size_t i = 0; i < rowids.size(); ++i) {
    column = i > 0 && rowids[i] == rowids[i - 1] ? column + 1 : 0;
    if (rowids[i] < 0 || rowids[i] >= parents.size()) {
      return InvalidArgument("Got ", i == 0 ? "current" : "next",
                             "_value_rowid=", rowids[i],
                             " which is not less than ", parents.size());
    }
    const int64_t parent = parents[rowids[i]];
    const bool inside = parent != kOutside && column < e.count;
    places.Add(inside ? parent + column * e.step : kOutside);
  }
  return places;
}

int64_t LongestRow(RowPartition partition, absl::Span<const int64_t> numbers) {
  int64_t longest = 0, run = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (partition == RowPartition::kValueRowids) {
      run = i > 0 && numbers[i] == numbers[i - 1] ? run + 1 : 1;
      longest = std::max(longest, run);
    } else if (i > 0 && numbers[i] > numbers[i - 1] && numbers[i - 1] >= 0) {
      longest = std::max(longest, numbers[i] - numbers[i - 1]);
    }
  }
  return longest;
}

// Returns the asked shape, in which -1 stands for an unknown size or, as a
// scalar, for an unknown rank.
StatusOr<PartialShape> AskedShape(const Tensor& t) {
  if (t.rank() > 1) {
    return InvalidArgument("Shape must be at most rank 1 but is rank ",
                           t.rank());
  }
  const std::vector<int64_t> sizes = IntValues(t);
  if (t.rank() == 0) {
    if (sizes[0] == -1) return PartialShape();
    return InvalidArgument(
        "The only valid scalar shape tensor is the fully unknown shape "
        "specified as -1.");
  }
  for (const int64_t size : sizes) {
    if (size < -1) {
      return InvalidArgument("Dimension ", size, " must be >= -1");
    }
  }
  return PartialShape::Make(sizes);
}

class RaggedToTensorKernel {
 public:
  static StatusOr<RaggedToTensorKernel> Make(const KernelInit& init) {
    RaggedToTensorKernel k;
    MR_ASSIGN_OR_RETURN(const auto names, init.Attr<AttrValue::StringList>(
                                              "row_partition_types"));
    MR_ASSIGN_OR_RETURN(k.partitions_,
                        ReadRowPartitions(names, init.num_inputs() - 3));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& values = ctx.input(1);
    const Tensor& default_value = ctx.input(2);
    // Of each ragged dimension.
    std::vector<CountedVector<int64_t>> numbers;
    const size_t skipped =
        partitions_[0] == RowPartition::kFirstDimSize ? 1 : 0;
    for (size_t i = skipped; i < partitions_.size(); ++i) {
      const Tensor& t = ctx.input(3 + static_cast<int>(i));
      if (t.rank() != 1) {
        return InvalidArgument("Row partitions must be vectors, but got shape ",
                               t.shape().DebugString());
      }
      numbers.push_back(ManyIntValues(t));
    }
    if (ctx.input(3).num_elements() == 0) {
      return InvalidArgument(
          "Invalid first partition input. Tensor requires at least one "
          "element.");
    }
    const int64_t rows = skipped > 0
                             ? IntValues(ctx.input(3))[0]
                             : static_cast<int64_t>(numbers[0].size()) - 1;
    MR_RETURN_IF_ERROR(
        CheckDefaultShape(default_value.shape(), values.shape()));
    MR_ASSIGN_OR_RETURN(
        const TensorShape shape,
        ResultShape(AskedShape(ctx.input(0)), rows, numbers, values));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    MR_RETURN_IF_ERROR(FillDefault(ctx, default_value, values, out));
    return SetValues(ctx, rows, numbers, out);
  }

 private:
  int RaggedRank() const { return RaggedDims(partitions_); }
  RowPartition PartitionOf(size_t level) const {
    return partitions_[partitions_.size() - static_cast<size_t>(RaggedRank()) +
                       level];
  }

  StatusOr<TensorShape> ResultShape(
      StatusOr<PartialShape> asked, int64_t rows,
      absl::Span<const CountedVector<int64_t>> numbers,
      const Tensor& values) const {
    MR_RETURN_IF_ERROR(asked.status());
    MR_ASSIGN_OR_RETURN(
        const PartialShape shape,
        CombineRaggedShape(RaggedRank(), *asked, values.shape()));
    DimVector dims(shape.dims().begin(), shape.dims().end());
    if (dims[0] < 0) {
      if (rows < 0) return InvalidArgument("Dimension ", rows, " must be >= 0");
      dims[0] = rows;
    }
    for (size_t level = 0; level < numbers.size(); ++level) {
      if (dims[level + 1] < 0) {
        dims[level + 1] = LongestRow(PartitionOf(level), numbers[level]);
      }
    }
    return TensorShape::Make(dims);
  }

  // Requires: the result has elements, so a row of values has some, too.
  static Status FillDefault(KernelContext& ctx, const Tensor& default_value,
                            const Tensor& values, Tensor* out) {
    if (default_value.num_elements() == 1) {
      return FillTensor(ctx, out, default_value.data());
    }
    DimVector dims = values.shape().dims();
    dims.erase(dims.begin());
    MR_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(Tensor row, ctx.AllocateTemp(values.dtype(), shape));
    const DimVector to = RowMajorStrides(dims);
    const DimVector from = RowMajorStrides(default_value.shape().dims());
    const int left_out = shape.rank() - default_value.rank();
    StridedCopySpec spec;
    for (int d = 0; d < shape.rank(); ++d) {
      const int own = d - left_out;
      const bool repeats = own < 0 || default_value.dim(own) == 1;
      spec.Add(dims[d], repeats ? 0 : from[own], to[d]);
    }
    MR_RETURN_IF_ERROR(StridedCopy(ctx, values.dtype(), default_value.data(),
                                   row.mutable_data(), spec));
    const int64_t inner = shape.num_elements();
    char* const data = out->mutable_data();
    return ctx.ParallelFor(
        out->num_elements() / inner, MoveCost(values.dtype(), inner),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            CopyElements(values.dtype(), row.data(), 0, data, i * inner, inner);
          }
        });
  }

  Status SetValues(KernelContext& ctx, int64_t rows,
                   absl::Span<const CountedVector<int64_t>> numbers,
                   Tensor* out) const {
    const Tensor& values = ctx.input(1);
    int64_t inner = 1;  // elements of a row of values
    for (int d = 1; d < values.rank(); ++d) inner *= values.dim(d);
    // Rows of values from one row of each dimension to the next.
    std::vector<int64_t> steps(numbers.size() + 1, 1);
    for (size_t i = numbers.size(); i > 0; --i) {
      steps[i - 1] = steps[i] * out->dim(static_cast<int>(i));
    }
    Places places;
    MR_RETURN_IF_ERROR(places.Reserve(std::max<int64_t>(rows, 0)));
    for (int64_t i = 0; i < rows; ++i) {
      places.Add(i < out->dim(0) ? i * steps[0] : kOutside);
    }
    for (size_t level = 0; level < numbers.size(); ++level) {
      const Extent e{steps[level + 1], out->dim(static_cast<int>(level) + 1)};
      MR_ASSIGN_OR_RETURN(places,
                          PartitionOf(level) == RowPartition::kRowSplits
                              ? PlacesOfSplits(places, numbers[level], e)
                              : PlacesOfRowids(places, numbers[level], e));
    }
    if (places.size() > values.dim(0)) {
      return InvalidArgument("The row partitions describe ", places.size(),
                             " values, but there are ", values.dim(0));
    }
    for (int64_t i = 0; i < places.size();) {
      int64_t run = 1;
      while (i + run < places.size() && places[i] != kOutside &&
             places[i + run] == places[i] + run) {
        ++run;
      }
      if (places[i] != kOutside) {
        CopyElements(values.dtype(), values.data(), i * inner,
                     out->mutable_data(), places[i] * inner, run * inner);
      }
      i += run;
    }
    return OkStatus();
  }

  std::vector<RowPartition> partitions_;
};

}  // namespace

MR_KERNELS(RaggedTensorToTensor, Cpu){
    {.types = "T: " MR_PLAIN_AND_STRING_TYPES ", " MR_QUANTIZED_TYPES,
     .make = MakeKernel<RaggedToTensorKernel>}};

}  // namespace millrace::ops
