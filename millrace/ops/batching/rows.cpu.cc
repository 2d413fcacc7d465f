#include "millrace/ops/batching/rows.h"

#include "millrace/ops/array/move.h"

namespace millrace::ops {

StatusOr<TensorShape> ShapeOfRows(const TensorShape& shape, int64_t rows) {
  DimVector dims = shape.dims();
  dims[0] = rows;
  return TensorShape::Make(absl::MakeConstSpan(dims));
}

StatusOr<Tensor> JoinRows(absl::Span<const Tensor> parts, int64_t padding,
                          Allocator* allocator) {
  const Tensor& first = parts[0];
  if (first.rank() == 0)
    return InvalidArgument("Batched tensors must have at least one dimension.");
  const int64_t row = first.shape().NumElements(1, first.rank());
  int64_t rows = padding;
  for (const Tensor& part : parts) {
    if (part.dtype() != first.dtype()) {
      return InvalidArgument("Types of batched tensors should match: ",
                             DataTypeName(first.dtype()), " vs. ",
                             DataTypeName(part.dtype()));
    }
    bool same = part.rank() == first.rank();
    for (int d = 1; same && d < first.rank(); ++d)
      same = part.dim(d) == first.dim(d);
    if (!same) {
      return InvalidArgument(
          "Dimensions of inputs should match: ", first.shape().DebugString(),
          " vs. ", part.shape().DebugString());
    }
    rows += part.dim(0);
  }
  if (padding > 0 && first.dim(0) == 0)
    return InvalidArgument("There is no row to pad a batch with.");
  MR_ASSIGN_OR_RETURN(TensorShape shape, ShapeOfRows(first.shape(), rows));
  MR_ASSIGN_OR_RETURN(Tensor out,
                      Tensor::Allocate(allocator, first.dtype(), shape));
  char* const to = out.mutable_data();
  int64_t done = 0;
  for (const Tensor& part : parts) {
    CopyElements(part.dtype(), part.data(), 0, to, done, part.num_elements());
    done += part.num_elements();
  }
  for (int64_t i = 0; row > 0 && i < padding; ++i, done += row)
    CopyElements(first.dtype(), first.data(), 0, to, done, row);
  return out;
}

StatusOr<Tensor> CutRows(const Tensor& t, int64_t begin, int64_t end,
                         Allocator* allocator) {
  const int64_t row = t.shape().NumElements(1, t.rank());
  MR_ASSIGN_OR_RETURN(TensorShape shape, ShapeOfRows(t.shape(), end - begin));
  MR_ASSIGN_OR_RETURN(Tensor out,
                      Tensor::Allocate(allocator, t.dtype(), shape));
  CopyElements(t.dtype(), t.data(), begin * row, out.mutable_data(), 0,
               (end - begin) * row);
  return out;
}

}  // namespace millrace::ops
