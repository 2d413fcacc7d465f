// Kernels that convert lists to one tensor and back: stack, gather, concat,
// scatter, split.
#include <algorithm>

#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/indexing/rows.h"
#include "millrace/ops/variant/tensor_list.h"

namespace millrace::ops {
namespace {

Status AtLeastVector(const Tensor& t) {
  if (t.rank() > 0) return OkStatus();
  return InvalidArgument("Tensor must be at least a vector, but saw shape: ",
                         t.shape().DebugString());
}

// Returns INVALID_ARGUMENT unless rows of t may be elements of shape `element`.
Status ExpectRows(const Tensor& t, const PartialShape& element) {
  const PartialShape row = RowShape(t.shape());
  if (element.IsCompatibleWith(row)) return OkStatus();
  return InvalidArgument("Specified a list with shape ", element.DebugString(),
                         " from a tensor with shape ", row.DebugString());
}

// Returns INVALID_ARGUMENT "`otherwise`[?,2]" unless all of `shape` is known.
StatusOr<TensorShape> AllOf(const PartialShape& shape,
                            absl::string_view otherwise) {
  if (shape.IsFullyDefined()) return shape.AsTensorShape();
  return InvalidArgument(otherwise, shape.DebugString());
}

// Sets output 0 to the stacked values; those that are not set are zeros of
// `shape`.
Status StackValues(KernelContext& ctx, CountedVector<Tensor> values,
                   const TensorShape& shape) {
  Tensor zeros;
  for (Tensor& value : values) {
    if (value.valid()) continue;
    if (!zeros.valid()) {
      MR_ASSIGN_OR_RETURN(zeros, ZeroTemp(ctx, ctx.output_type(0), shape));
    }
    value = zeros;
  }
  MR_ASSIGN_OR_RETURN(TensorShape stacked,
                      StackedShape(static_cast<int64_t>(values.size()), shape));
  return JoinAsOutput(ctx, 0, values, std::move(stacked));
}

class StackKernel {
 public:
  static StatusOr<StackKernel> Make(const KernelInit& init) {
    StackKernel k;
    MR_ASSIGN_OR_RETURN(k.count_, init.Attr<int64_t>("num_elements"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const TensorListValue* const list,
                        ListOfInput(ctx, 0, ctx.output_type(0)));
    if (count_ != -1 && list->size() != count_) {
      return InvalidArgument("Operation expected a list with ", count_,
                             " elements but got a list with ", list->size(),
                             " elements.");
    }
    MR_ASSIGN_OR_RETURN(PartialShape shape, ElementShape(ctx, 1, *list));
    if (!shape.IsFullyDefined() && list->size() == 0) {
      return InvalidArgument(
          "Tried to stack elements of an empty list with non-fully-defined "
          "element_shape: ",
          shape.DebugString());
    }
    for (const Tensor& t : list->tensors()) {
      if (!t.valid()) continue;
      MR_ASSIGN_OR_RETURN(shape, shape.Merge(t.shape()));
    }
    MR_ASSIGN_OR_RETURN(
        const TensorShape full,
        AllOf(shape,
              "Tried to stack list which only contains uninitialized "
              "tensors and has a non-fully-defined element_shape: "));
    const auto& all = list->tensors();
    return StackValues(ctx, CountedVector<Tensor>(all.begin(), all.end()),
                       full);
  }

 private:
  int64_t count_ = -1;
};

Status Gather(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const TensorListValue* const list,
                      ListOfInput(ctx, 0, ctx.output_type(0)));
  MR_ASSIGN_OR_RETURN(PartialShape shape, ElementShape(ctx, 2, *list));
  if (!shape.IsFullyDefined() && ctx.input(1).num_elements() == 0) {
    return InvalidArgument(
        "Tried to gather 0-elements from a list with non-fully-defined "
        "shape: ",
        shape.DebugString());
  }
  const bool infers_shape = !list->element_shape.IsFullyDefined();
  CountedVector<Tensor> values;
  for (int32_t i : ctx.input(1).flat<int32_t>()) {
    if (i < 0 || i >= list->size()) {
      // The words tell whether TensorFlow looks for the shape.
      if (infers_shape) {
        return InvalidArgument("Trying to gather element ", i,
                               " in a list with ", list->size(), " elements.");
      }
      return InvalidArgument("Index ", i, " out o range; list only has ",
                             list->size(), " elements.");
    }
    values.push_back(list->tensors()[static_cast<size_t>(i)]);
    if (!values.back().valid()) continue;
    MR_ASSIGN_OR_RETURN(shape, shape.Merge(values.back().shape()));
  }
  MR_ASSIGN_OR_RETURN(
      const TensorShape full,
      AllOf(shape,
            "Tried to gather uninitialized tensors from a list with "
            "non-fully-defined element_shape: "));
  return StackValues(ctx, std::move(values), full);
}

// Both forms: the first has the shape of its elements as an attribute, the
// second as input 1, and the number of rows of elements that are not set as
// input 2.
class ConcatKernel {
 public:
  static StatusOr<ConcatKernel> Make(const KernelInit& init) {
    ConcatKernel k;
    k.is_first_form_ = init.num_inputs() == 1;
    if (k.is_first_form_) {
      MR_ASSIGN_OR_RETURN(k.element_shape_,
                          init.Attr<PartialShape>("element_shape"));
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const TensorListValue* const list,
                        ListOfInput(ctx, 0, ctx.output_type(0)));
    PartialShape element = element_shape_;
    if (!is_first_form_) {
      MR_ASSIGN_OR_RETURN(element, ElementShape(ctx, 1, *list));
    }
    if (element.known_rank() && element.rank() == 0) {
      if (is_first_form_) {
        return InvalidArgument("element_shape must not be empty");
      }
      return InvalidArgument(
          "Concat requires elements to be at least vectors, found scalars "
          "instead.");
    }
    const int64_t known_rows =
        !is_first_form_ && element.known_rank() ? element.dim(0) : -1;
    MR_ASSIGN_OR_RETURN(const TensorShape row,
                        RowOfAll(element, known_rows, *list));
    return Join(ctx, *list, row, known_rows);
  }

 private:
  // Returns the shape of all elements without dimension 0, whose size is
  // `known_rows` or, if that is -1, any.
  static StatusOr<TensorShape> RowOfAll(const PartialShape& element,
                                        int64_t known_rows,
                                        const TensorListValue& list) {
    PartialShape row = RowShape(element);
    if (list.size() == 0 && !row.IsFullyDefined()) {
      return InvalidArgument(
          "All except the first dimension must be fully defined when concating "
          "an empty tensor list. element_shape: ",
          row.DebugString());
    }
    for (size_t i = 0; i < list.tensors().size(); ++i) {
      const Tensor& t = list.tensors()[i];
      if (!t.valid()) continue;
      if (t.rank() == 0) {
        return InvalidArgument("Concat saw a scalar shape at index ", i,
                               " but requires at least vectors.");
      }
      MR_ASSIGN_OR_RETURN(row, row.Merge(RowShape(t.shape())));
      if (known_rows != -1 && t.dim(0) != known_rows) {
        return InvalidArgument(
            "First entry of element_shape input does not match the first dim "
            "of list element at index: ",
            i, " Expected: ", known_rows, " Actual: ", t.dim(0));
      }
    }
    return AllOf(row,
                 "Trying to concat list with only uninitialized tensors but "
                 "element_shape_except_first_dim is not fully defined: ");
  }

  // Returns the number of rows for which element i, which is not set, counts:
  // what leading_dims says or, if it is too short, `known_rows`.
  StatusOr<int64_t> UnsetRows(KernelContext& ctx, size_t i,
                              int64_t known_rows) const {
    if (is_first_form_) {
      return InvalidArgument(
          "Concating lists with uninitialized tensors is not supported in "
          "this version of TensorListConcat. Consider updating your GraphDef "
          "to run the newer version.");
    }
    const auto rows = ctx.input(2).flat<int64_t>();
    if (i >= rows.size() && known_rows != -1) return known_rows;
    if (i >= rows.size()) {
      return InvalidArgument("List contains uninitialized tensor at index ", i,
                             " but leading_dims has only ", rows.size(),
                             " elements.");
    }
    return rows[i];
  }

  // Joins elements of `known_rows` rows, or of any number if that is -1.
  Status Join(KernelContext& ctx, const TensorListValue& list,
              const TensorShape& row, int64_t known_rows) const {
    MR_ASSIGN_OR_RETURN(Tensor* const lengths,
                        ctx.AllocateOutput(1, TensorShape({list.size()})));
    const auto& all = list.tensors();
    CountedVector<Tensor> values(all.begin(), all.end());
    CheckedSize total = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      int64_t rows = 0;
      if (values[i].valid()) {
        rows = values[i].dim(0);
      } else {
        MR_ASSIGN_OR_RETURN(rows, UnsetRows(ctx, i, known_rows));
        MR_ASSIGN_OR_RETURN(TensorShape shape, StackedShape(rows, row));
        MR_ASSIGN_OR_RETURN(
            values[i], ZeroTemp(ctx, list.element_dtype, std::move(shape)));
      }
      lengths->mutable_flat<int64_t>()[i] = rows;
      total += rows;
    }
    MR_ASSIGN_OR_RETURN(const int64_t rows, total.Get("the joined dimension"));
    MR_ASSIGN_OR_RETURN(TensorShape shape, StackedShape(rows, row));
    return JoinAsOutput(ctx, 0, values, std::move(shape));
  }

  bool is_first_form_ = false;
  PartialShape element_shape_;
};

Status FromTensor(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  MR_RETURN_IF_ERROR(AtLeastVector(t));
  MR_ASSIGN_OR_RETURN(PartialShape element, ShapeOfTensor(ctx.input(1)));
  MR_RETURN_IF_ERROR(ExpectRows(t, element));
  auto list = MakeRef<TensorListValue>(t.dtype(), std::move(element));
  MR_RETURN_IF_ERROR(list->Resize(t.dim(0)));
  for (int64_t i = 0; i < t.dim(0); ++i) {
    if (i % 4096 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    MR_ASSIGN_OR_RETURN(Tensor value, RowOf(ctx, t, i));
    list->Set(i, std::move(value));
  }
  SetListOutput(ctx, 0, std::move(list));
  return OkStatus();
}

// Says whether a list grows to include the largest index.
enum class ListLength { kFixed, kGrows };

// Sets element indices[i] to row i of `t`.
Status ScatterRows(KernelContext& ctx, const Tensor& t, const Tensor& indices,
                   ListLength length, TensorListValue& list) {
  if (indices.num_elements() != t.dim(0)) {
    return InvalidArgument("Invalid number of rows in input tensor. Expected: ",
                           indices.num_elements(), " Actual: ", t.dim(0));
  }
  int64_t size = list.size();
  for (int32_t i : indices.flat<int32_t>()) {
    if (i < 0) {
      return InvalidArgument(
          "Indices in TensorListScatter must all be non-negative.");
    }
    if (length == ListLength::kFixed && i >= list.size()) {
      return InvalidArgument("TensorListScatter: Trying to scatter at index ",
                             i, " in list with size ", list.size());
    }
    size = std::max(size, int64_t{i} + 1);
  }
  MR_RETURN_IF_ERROR(list.Resize(size));
  for (int64_t row = 0; row < t.dim(0); ++row) {
    if (row % 4096 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    MR_ASSIGN_OR_RETURN(Tensor value, RowOf(ctx, t, row));
    list.Set(indices.flat<int32_t>()[static_cast<size_t>(row)],
             std::move(value));
  }
  return OkStatus();
}

// Both forms; the second has the length of the list as input 3.
Status Scatter(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  MR_ASSIGN_OR_RETURN(PartialShape element, ShapeOfTensor(ctx.input(2)));
  int32_t size = -1;
  if (ctx.num_inputs() > 3) {
    if (ctx.input(3).rank() != 0) {
      return InvalidArgument("num_elements must be a scalar");
    }
    size = ctx.input(3).scalar<int32_t>();
    if (size < -1) {
      return InvalidArgument(
          "TensorListScatter expects num_elements >= -1, found: ", size);
    }
  }
  MR_RETURN_IF_ERROR(AtLeastVector(t));
  MR_RETURN_IF_ERROR(ExpectRows(t, element));
  auto list = MakeRef<TensorListValue>(t.dtype(), std::move(element));
  if (size >= 0) MR_RETURN_IF_ERROR(list->Resize(size));
  MR_RETURN_IF_ERROR(
      ScatterRows(ctx, t, ctx.input(1),
                  size == -1 ? ListLength::kGrows : ListLength::kFixed, *list));
  SetListOutput(ctx, 0, std::move(list));
  return OkStatus();
}

Status ScatterIntoList(KernelContext& ctx) {
  const Tensor& t = ctx.input(1);
  MR_ASSIGN_OR_RETURN(const TensorListValue* const list,
                      ListOfInput(ctx, 0, t.dtype()));
  const Tensor& indices = ctx.input(2);
  if (indices.rank() != 1) {
    return InvalidArgument(
        "Expected indices to be a vector, but received shape: ",
        indices.shape().DebugString());
  }
  MR_RETURN_IF_ERROR(AtLeastVector(t));
  if (indices.num_elements() != t.dim(0)) {
    return InvalidArgument(
        "Expected len(indices) == tensor.shape[0], but saw: ",
        indices.num_elements(), " vs. ", t.dim(0));
  }
  MR_RETURN_IF_ERROR(ExpectRows(t, list->element_shape));
  MR_ASSIGN_OR_RETURN(Ref<TensorListValue> changed, TakeList(ctx, 0));
  MR_RETURN_IF_ERROR(
      ScatterRows(ctx, t, indices, ListLength::kGrows, *changed));
  SetListOutput(ctx, 0, std::move(changed));
  return OkStatus();
}

Status Split(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  const Tensor& lengths = ctx.input(2);
  MR_RETURN_IF_ERROR(AtLeastVector(t));
  if (lengths.rank() != 1) {
    return InvalidArgument("Expected lengths to be a vector, received shape: ",
                           lengths.shape().DebugString());
  }
  MR_ASSIGN_OR_RETURN(PartialShape element, ShapeOfTensor(ctx.input(1)));
  if (element.known_rank() && element.rank() < 1) {
    return InvalidArgument(
        "TensorListSplit requires element_shape to be at least of rank 1, but "
        "saw: ",
        element.DebugString());
  }
  const PartialShape row = RowShape(t.shape());
  if (!RowShape(element).IsCompatibleWith(row)) {
    return InvalidArgument("tensor shape ", t.shape().DebugString(),
                           " is not compatible with element_shape ",
                           element.DebugString());
  }
  auto list = MakeRef<TensorListValue>(t.dtype(), std::move(element));
  MR_RETURN_IF_ERROR(list->Resize(lengths.num_elements()));
  int64_t begin = 0;
  for (int64_t i = 0; i < list->size(); ++i) {
    const int64_t length = lengths.flat<int64_t>()[static_cast<size_t>(i)];
    if (length < 0) {
      return InvalidArgument("Invalid value in lengths: ", length);
    }
    if (length > t.dim(0) - begin) {
      return InvalidArgument("Attempting to slice [", begin, ", ",
                             (CheckedSize(begin) + length).Get().value_or(-1),
                             "] from tensor with length ", t.dim(0));
    }
    MR_ASSIGN_OR_RETURN(Tensor value, RowsOf(ctx, t, begin, begin + length));
    list->Set(i, std::move(value));
    begin += length;
  }
  if (begin != t.dim(0)) {
    return InvalidArgument("Unused values in tensor. Length of tensor: ",
                           t.dim(0), " Values used: ", begin);
  }
  SetListOutput(ctx, 0, std::move(list));
  return OkStatus();
}

}  // namespace

MR_KERNELS(TensorListStack, Cpu){{.types = MR_LIST_TYPES,
                                  .make = MakeKernel<StackKernel>,
                                  .host = "element_shape"}};
MR_KERNELS(TensorListGather, Cpu){{.types = MR_LIST_TYPES,
                                   .make = MakeFunctionKernel<Gather>,
                                   .host = "indices, element_shape"}};
MR_KERNELS(TensorListConcat,
           Cpu){{.types = MR_LIST_TYPES, .make = MakeKernel<ConcatKernel>}};
MR_KERNELS(TensorListConcatV2, Cpu){{.types = MR_LIST_TYPES,
                                     .make = MakeKernel<ConcatKernel>,
                                     .host = "element_shape, leading_dims"}};
MR_KERNELS(TensorListFromTensor, Cpu){{.types = MR_LIST_TYPES,
                                       .make = MakeFunctionKernel<FromTensor>,
                                       .host = "element_shape"}};
MR_KERNELS(TensorListScatter, Cpu){{.types = MR_LIST_TYPES,
                                    .make = MakeFunctionKernel<Scatter>,
                                    .host = "indices, element_shape"}};
MR_KERNELS(TensorListScatterV2,
           Cpu){{.types = MR_LIST_TYPES,
                 .make = MakeFunctionKernel<Scatter>,
                 .host = "indices, element_shape, num_elements"}};
MR_KERNELS(TensorListScatterIntoExistingList,
           Cpu){{.types = MR_LIST_TYPES,
                 .make = MakeFunctionKernel<ScatterIntoList>,
                 .host = "indices"}};
MR_KERNELS(TensorListSplit, Cpu){{.types = MR_LIST_TYPES,
                                  .make = MakeFunctionKernel<Split>,
                                  .host = "element_shape, lengths"}};

}  // namespace millrace::ops
