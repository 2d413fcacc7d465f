// Kernels of many elements of an array as one tensor: gather, scatter, pack,
// unpack, concat, split.
#include <algorithm>
#include <limits>
#include <numeric>

#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/indexing/rows.h"
#include "millrace/ops/tensor_array/array_of_input.h"

namespace millrace::ops {
namespace {

StatusOr<CountedVector<int32_t>> IndicesOf(const Tensor& indices) {
  if (indices.rank() != 1) {
    return InvalidArgument(
        "Expected indices to be a vector, but received shape: ",
        indices.shape().DebugString());
  }
  const auto flat = indices.flat<int32_t>();
  return CountedVector<int32_t>(flat.begin(), flat.end());
}

// Sets output 0 to no elements of shape `element`, which comes from the
// attribute `attr`. Returns UNIMPLEMENTED if the shape is not fully known.
Status NoElements(KernelContext& ctx, const PartialShape& element,
                  absl::string_view attr, absl::string_view doing) {
  if (!element.IsFullyDefined()) {
    return Unimplemented(
        "TensorArray has size zero, but ", attr, " ", element.DebugString(),
        " is not fully defined. Currently only static shapes are supported "
        "when ",
        doing, " zero-size TensorArrays.");
  }
  MR_ASSIGN_OR_RETURN(const TensorShape full, element.AsTensorShape());
  MR_ASSIGN_OR_RETURN(TensorShape shape, StackedShape(0, full));
  return ctx.AllocateOutput(0, std::move(shape)).status();
}

// Returns the numbers 0 to count - 1.
CountedVector<int32_t> FirstIndices(int32_t count) {
  CountedVector<int32_t> indices(static_cast<size_t>(count));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

// TensorArrayPack, which has no input for indices, gathers all elements.
class GatherKernel {
 public:
  static StatusOr<GatherKernel> Make(const KernelInit& init) {
    GatherKernel k;
    MR_ASSIGN_OR_RETURN(k.element_shape_,
                        init.Attr<PartialShape>("element_shape"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const Ref<TensorArray> array,
                        ArrayToRead(ctx, ctx.output_type(0)));
    MR_RETURN_IF_ERROR(array->MergeElementShape(element_shape_));
    CountedVector<int32_t> indices;
    if (ctx.num_inputs() > 2) {
      MR_ASSIGN_OR_RETURN(indices, IndicesOf(ctx.input(1)));
    } else {
      MR_ASSIGN_OR_RETURN(const int32_t size, array->ConcatSize());
      // The gradients of an array into which nothing was unpacked.
      indices = FirstIndices(std::max(size, 0));
    }
    const int64_t count = static_cast<int64_t>(indices.size());
    if (count == 0) {
      return NoElements(ctx, element_shape_, "element shape", "packing");
    }
    CountedVector<Tensor> values;
    MR_RETURN_IF_ERROR(array->Read(ctx, indices, &values));
    const TensorShape& first = values[0].shape();
    if (!element_shape_.IsCompatibleWith(first)) {
      return InvalidArgument(
          "TensorArray was passed element_shape ", element_shape_.DebugString(),
          " which does not match the Tensor at index 0: ", first.DebugString());
    }
    for (size_t i = 1; i < values.size(); ++i) {
      if (values[i].shape() == first) continue;
      return InvalidArgument(
          "TensorArray has inconsistent shapes.  Index 0 has shape: ",
          first.DebugString(), " but index ", i,
          " has shape: ", values[i].shape().DebugString());
    }
    MR_ASSIGN_OR_RETURN(TensorShape shape, StackedShape(count, first));
    return JoinAsOutput(ctx, 0, values, std::move(shape));
  }

 private:
  PartialShape element_shape_;
};

class ConcatKernel {
 public:
  static StatusOr<ConcatKernel> Make(const KernelInit& init) {
    ConcatKernel k;
    MR_ASSIGN_OR_RETURN(k.row_shape_,
                        init.Attr<PartialShape>("element_shape_except0"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const Ref<TensorArray> array,
                        ArrayToRead(ctx, ctx.output_type(0)));
    MR_ASSIGN_OR_RETURN(const int32_t size, array->ConcatSize());
    // The gradients of an array into which nothing was unpacked.
    const int32_t count = std::max(size, 0);
    if (count == 0) {
      MR_RETURN_IF_ERROR(NoElements(ctx, row_shape_, "element_shape_except0",
                                    "concatenating"));
      return ctx.AllocateOutput(1, TensorShape({0})).status();
    }
    CountedVector<Tensor> values;
    MR_RETURN_IF_ERROR(array->Read(ctx, FirstIndices(count), &values));
    CheckedSize rows = 0;
    MR_ASSIGN_OR_RETURN(Tensor* const lengths,
                        ctx.AllocateOutput(1, TensorShape({count})));
    for (size_t i = 0; i < values.size(); ++i) {
      MR_RETURN_IF_ERROR(Check(values, i));
      lengths->mutable_flat<int64_t>()[i] = values[i].dim(0);
      rows += values[i].dim(0);
    }
    DimVector dims = values[0].shape().dims();
    MR_ASSIGN_OR_RETURN(dims[0], rows.Get("the joined dimension"));
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    return JoinAsOutput(ctx, 0, values, std::move(shape));
  }

 private:
  Status Check(absl::Span<const Tensor> values, size_t i) const {
    if (values[i].rank() == 0) {
      return InvalidArgument(
          "Concat saw a scalar shape at index ", i,
          " but requires at least vectors.  Did you mean to call pack?");
    }
    const PartialShape row = RowShape(values[i].shape());
    if (i == 0) {
      if (row_shape_.IsCompatibleWith(row)) return OkStatus();
      return InvalidArgument("TensorArray was passed element_shape_except0 ",
                             row_shape_.DebugString(),
                             " but index 0 has (excepting dimension 0) shape: ",
                             row.DebugString(), " which does not match.");
    }
    const PartialShape first = RowShape(values[0].shape());
    if (row == first) return OkStatus();
    return InvalidArgument(
        "TensorArray has inconsistent shapes.  Index 0 has (excepting "
        "dimension 0) shape: ",
        first.DebugString(), " but index ", i,
        " has (excepting dimension 0) shape: ", row.DebugString());
  }

  PartialShape row_shape_;
};

Status CheckHasRows(const Tensor& value) {
  if (value.rank() > 0) return OkStatus();
  return InvalidArgument(
      "Input value for unpack must be at least a vector but received shape: ",
      value.shape().DebugString());
}

// Sets the elements at `indices` to the rows of `value`.
Status WriteRows(KernelContext& ctx, TensorArray& array, const Tensor& value,
                 const CountedVector<int32_t>& indices, int32_t size) {
  CountedVector<Tensor> values(indices.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (i % 4096 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    MR_ASSIGN_OR_RETURN(values[i], RowOf(ctx, value, static_cast<int64_t>(i)));
  }
  array.MarkSize(size);
  return array.Write(ctx, indices, std::move(values));
}

Status Scatter(KernelContext& ctx) {
  const Tensor& value = ctx.input(2);
  MR_ASSIGN_OR_RETURN(const Ref<TensorArray> array,
                      ArrayToWrite(ctx, value.dtype()));
  MR_RETURN_IF_ERROR(CheckHasRows(value));
  MR_ASSIGN_OR_RETURN(const CountedVector<int32_t> indices,
                      IndicesOf(ctx.input(1)));
  if (value.dim(0) != static_cast<int64_t>(indices.size())) {
    return InvalidArgument(
        "Expected len(indices) == values.shape[0], but saw: ", indices.size(),
        " vs. ", value.dim(0));
  }
  int32_t last = -1;
  for (int32_t i : indices) last = std::max(last, i);
  MR_ASSIGN_OR_RETURN(int32_t size, array->Size());
  if (array->has_dynamic_size() && last >= size) {
    if (last == std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("Max scatter index must be < ", last);
    }
    size = last + 1;
  }
  if (last >= size) {
    return InvalidArgument("Max scatter index must be < array size (", last,
                           " vs. ", size, ")");
  }
  MR_RETURN_IF_ERROR(WriteRows(ctx, *array, value, indices, size));
  ctx.set_output(0, ctx.TakeInput(3));
  return OkStatus();
}

// TensorArrayUnpack: there is a row for each element.
Status Unpack(KernelContext& ctx) {
  const Tensor& value = ctx.input(1);
  MR_ASSIGN_OR_RETURN(const Ref<TensorArray> array,
                      ArrayToWrite(ctx, value.dtype()));
  MR_RETURN_IF_ERROR(CheckHasRows(value));
  const int64_t rows = value.dim(0);
  MR_ASSIGN_OR_RETURN(const int32_t size, array->Size());
  const bool grows = array->has_dynamic_size() && rows > size &&
                     rows < std::numeric_limits<int32_t>::max();
  if (rows != size && !grows) {
    return InvalidArgument(
        "Input value must have first dimension equal to the array size (", rows,
        " vs. ", size, ")");
  }
  const int32_t count = static_cast<int32_t>(rows);
  MR_RETURN_IF_ERROR(WriteRows(ctx, *array, value, FirstIndices(count), count));
  ctx.set_output(0, ctx.TakeInput(2));
  return OkStatus();
}

// Returns the number of rows that each element gets, checked.
StatusOr<CountedVector<int64_t>> LengthsOf(const Tensor& lengths,
                                           const Tensor& value) {
  if (lengths.rank() != 1) {
    return InvalidArgument("Expected lengths to be a vector, received shape: ",
                           lengths.shape().DebugString());
  }
  if (value.rank() == 0) {
    return InvalidArgument(
        "Expected value to be at least a vector, but received shape: ",
        value.shape().DebugString());
  }
  if (lengths.num_elements() > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("Expected lengths to have < max int32 entries");
  }
  CheckedSize total = 0;
  for (int64_t n : lengths.flat<int64_t>()) {
    if (n < 0) {
      return InvalidArgument(
          "Expected lengths to be non-negative, but received ", n);
    }
    total += n;
  }
  const StatusOr<int64_t> sum = total.Get("the sum of lengths");
  if (!sum.ok() || *sum != value.dim(0)) {
    return InvalidArgument(
        "Expected sum of lengths to be equal to values.shape[0], but sum of "
        "lengths is ",
        sum.ok() ? *sum : -1,
        " and value's shape is: ", value.shape().DebugString(), " ");
  }
  return ManyIntValues(lengths);
}

Status Split(KernelContext& ctx) {
  const Tensor& value = ctx.input(1);
  MR_ASSIGN_OR_RETURN(const Ref<TensorArray> array, ArrayOfInput(ctx));
  MR_ASSIGN_OR_RETURN(const CountedVector<int64_t> lengths,
                      LengthsOf(ctx.input(2), value));
  MR_RETURN_IF_ERROR(ArrayToWrite(ctx, value.dtype()).status());
  const int32_t count = static_cast<int32_t>(lengths.size());
  MR_ASSIGN_OR_RETURN(int32_t size, array->Size());
  if (array->has_dynamic_size()) size = std::max(size, count);
  if (size != count) {
    return InvalidArgument(
        "TensorArray's size is not equal to the size of lengths (", size,
        " vs. ", count,
        "), and the TensorArray is not marked as dynamically resizeable");
  }
  CountedVector<Tensor> values(lengths.size());
  CountedVector<int32_t> indices(lengths.size());
  int64_t begin = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i % 4096 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    MR_ASSIGN_OR_RETURN(values[i],
                        RowsOf(ctx, value, begin, begin + lengths[i]));
    begin += lengths[i];
    indices[i] = static_cast<int32_t>(i);
  }
  array->MarkSize(size);
  MR_RETURN_IF_ERROR(array->Write(ctx, indices, std::move(values)));
  ctx.set_output(0, ctx.TakeInput(3));
  return OkStatus();
}

#define MR_JOINED_TYPES \
  "dtype: " MR_PLAIN_AND_STRING_TYPES ", " MR_QUANTIZED_8_32_TYPES

constexpr KernelEntry kGathers = {.types = MR_JOINED_TYPES ", variant",
                                  .make = MakeKernel<GatherKernel>,
                                  .host = "handle, indices"};
constexpr KernelEntry kConcatenates = {.types = MR_JOINED_TYPES,
                                       .make = MakeKernel<ConcatKernel>,
                                       .host = "handle, lengths"};
constexpr KernelEntry kScatters = {.types = "T: " MR_ELEMENT_TYPES,
                                   .make = MakeFunctionKernel<Scatter>,
                                   .host = "handle, indices",
                                   .views = "flow_in"};
constexpr KernelEntry kSplits = {.types = "T: " MR_ELEMENT_TYPES,
                                 .make = MakeFunctionKernel<Split>,
                                 .host = "handle, lengths",
                                 .views = "flow_in"};

}  // namespace

MR_KERNELS(TensorArrayGather, Cpu){kGathers};
MR_KERNELS(TensorArrayGatherV2, Cpu){kGathers};
MR_KERNELS(TensorArrayGatherV3, Cpu){kGathers};
MR_KERNELS(TensorArrayConcat, Cpu){kConcatenates};
MR_KERNELS(TensorArrayConcatV2, Cpu){kConcatenates};
MR_KERNELS(TensorArrayConcatV3, Cpu){kConcatenates};
MR_KERNELS(TensorArrayScatter, Cpu){kScatters};
MR_KERNELS(TensorArrayScatterV2, Cpu){kScatters};
MR_KERNELS(TensorArrayScatterV3, Cpu){kScatters};
MR_KERNELS(TensorArraySplit, Cpu){kSplits};
MR_KERNELS(TensorArraySplitV2, Cpu){kSplits};
MR_KERNELS(TensorArraySplitV3, Cpu){kSplits};
MR_KERNELS(TensorArrayPack, Cpu){{.types = MR_JOINED_TYPES ", variant",
                                  .make = MakeKernel<GatherKernel>,
                                  .host = "handle"}};
MR_KERNELS(TensorArrayUnpack, Cpu){{.types = "T: " MR_ELEMENT_TYPES,
                                    .make = MakeFunctionKernel<Unpack>,
                                    .host = "handle",
                                    .views = "flow_in"}};

}  // namespace millrace::ops
