#include "millrace/ops/data/slices.h"

#include <algorithm>

#include "millrace/ops/array/move.h"
#include "millrace/ops/queue/queue_batch.h"

namespace millrace::ops {
namespace {

// Smaller rows are copied: that costs less than the memory that a shared buffer
// keeps.
constexpr int64_t kMinSharedRowBytes = 1024;

StatusOr<Tensor> StackComponent(absl::Span<const Element> elements, size_t c,
                                Allocator* allocator) {
  const Tensor& first = elements[0][c];
  const int64_t size = first.num_elements();
  MR_ASSIGN_OR_RETURN(
      TensorShape shape,
      WithRows(static_cast<int64_t>(elements.size()), first.shape()));
  MR_ASSIGN_OR_RETURN(Tensor out,
                      Tensor::Allocate(allocator, first.dtype(), shape));
  for (size_t i = 0; i < elements.size(); ++i) {
    const Tensor& t = elements[i][c];
    if (t.dtype() != first.dtype()) {
      return InvalidArgument(
          "Cannot batch tensors with different types in "
          "component ",
          c, ".");
    }
    if (t.shape() != first.shape()) {
      return InvalidArgument(
          "Cannot batch tensors with different shapes in component ", c,
          ". First element had shape ", first.shape().DebugString(),
          " and element ", i, " had shape ", t.shape().DebugString(), ".");
    }
    CopyElements(t.dtype(), t.data(), 0, out.mutable_data(),
                 static_cast<int64_t>(i) * size, size);
  }
  return out;
}

// Copies `t` to the corner of row `row` of `out`, line by line.
void CopyToCorner(const Tensor& t, int64_t row, Tensor* out) {
  if (t.num_elements() == 0) return;
  const int rank = t.rank();
  const int64_t line = rank == 0 ? 1 : t.dim(rank - 1);
  DimVector at(static_cast<size_t>(rank), 0);
  for (int64_t done = 0; done < t.num_elements(); done += line) {
    int64_t to = row;
    for (int d = 0; d < rank; ++d) {
      to = to * out->dim(d + 1) + at[static_cast<size_t>(d)];
    }
    CopyElements(t.dtype(), t.data(), done, out->mutable_data(), to, line);
    for (int d = rank - 2; d >= 0; --d) {
      if (++at[static_cast<size_t>(d)] < t.dim(d)) break;
      at[static_cast<size_t>(d)] = 0;
    }
  }
}

StatusOr<Tensor> StackPaddedComponent(absl::Span<const Element> elements,
                                      size_t c, const PartialShape& wanted,
                                      const Tensor& value,
                                      Allocator* allocator) {
  const Tensor& first = elements[0][c];
  DimVector dims(wanted.dims().begin(), wanted.dims().end());
  for (const Element& element : elements) {
    const Tensor& t = element[c];
    if (t.dtype() != first.dtype() || t.dtype() != value.dtype()) {
      return InvalidArgument(
          "Cannot batch tensors with different types in component ", c, ".");
    }
    if (t.rank() != static_cast<int>(dims.size())) {
      return InvalidArgument(
          "All elements in a batch must have the same rank as the padded shape "
          "for component",
          c, ": expected rank ", dims.size(), " but got element with rank ",
          t.rank());
    }
    for (int d = 0; d < t.rank(); ++d) {
      int64_t& dim = dims[static_cast<size_t>(d)];
      if (wanted.dim(d) == kUnknownDim) {
        dim = std::max(dim, t.dim(d));
      } else if (t.dim(d) > dim) {
        return DataLoss(
            "Attempted to pad to a smaller size than the input element.");
      }
    }
  }
  dims.insert(dims.begin(), static_cast<int64_t>(elements.size()));
  MR_ASSIGN_OR_RETURN(const TensorShape shape,
                      TensorShape::Make(absl::MakeConstSpan(dims)));
  MR_ASSIGN_OR_RETURN(Tensor out,
                      Tensor::Allocate(allocator, first.dtype(), shape));
  FillElements(out.dtype(), out.mutable_data(), 0, out.num_elements(),
               value.data());
  for (size_t i = 0; i < elements.size(); ++i) {
    CopyToCorner(elements[i][c], static_cast<int64_t>(i), &out);
  }
  return out;
}

}  // namespace

StatusOr<Tensor> SliceOf(const Tensor& t, int64_t row, Allocator* allocator) {
  const auto row_bytes = static_cast<int64_t>(SizeOf(t.dtype())) *
                         t.shape().NumElements(1, t.rank());
  if (row_bytes < kMinSharedRowBytes || row_bytes % kBufferAlignment != 0) {
    return CopyRow(t, row, allocator);
  }
  DimVector dims = t.shape().dims();
  dims.erase(dims.begin());
  return t.Rows(row, row + 1).Reshaped(TensorShape(absl::MakeConstSpan(dims)));
}

StatusOr<Element> Stack(absl::Span<const Element> elements,
                        Allocator* allocator) {
  Element out;
  for (const Element& element : elements) {
    if (element.size() != elements[0].size()) {
      return InvalidArgument("elements of a batch have ", element.size(),
                             " and ", elements[0].size(), " components");
    }
  }
  for (size_t c = 0; c < elements[0].size(); ++c) {
    MR_ASSIGN_OR_RETURN(Tensor t, StackComponent(elements, c, allocator));
    out.push_back(std::move(t));
  }
  return out;
}

StatusOr<Element> StackPadded(absl::Span<const Element> elements,
                              absl::Span<const PartialShape> shapes,
                              absl::Span<const Tensor> values,
                              Allocator* allocator) {
  Element out;
  for (const Element& element : elements) {
    if (element.size() != shapes.size()) {
      return InvalidArgument("an element of a batch has ", element.size(),
                             " components, expected ", shapes.size());
    }
  }
  for (size_t c = 0; c < shapes.size(); ++c) {
    MR_ASSIGN_OR_RETURN(Tensor t, StackPaddedComponent(elements, c, shapes[c],
                                                       values[c], allocator));
    out.push_back(std::move(t));
  }
  return out;
}

}  // namespace millrace::ops
