#include "millrace/ops/indexing/rows.h"

#include "millrace/ops/array/move.h"
#include "millrace/ops/layout/join.h"

namespace millrace::ops {

StatusOr<Tensor> RowsOf(KernelContext& ctx, const Tensor& t, int64_t begin,
                        int64_t end) {
  Tensor rows;
  if (ShareRows(t, begin, end, &rows)) return rows;
  DimVector dims = t.shape().dims();
  dims[0] = end - begin;
  MR_ASSIGN_OR_RETURN(
      rows,
      ctx.AllocateTemp(t.dtype(), TensorShape(absl::MakeConstSpan(dims))));
  const int64_t row = t.shape().NumElements(1, t.rank());
  if (rows.num_elements() > 0) {
    CopyElements(t.dtype(), t.data(), begin * row, rows.mutable_data(), 0,
                 rows.num_elements());
  }
  return rows;
}

StatusOr<Tensor> RowOf(KernelContext& ctx, const Tensor& t, int64_t row) {
  MR_ASSIGN_OR_RETURN(const Tensor rows, RowsOf(ctx, t, row, row + 1));
  const DimVector dims = t.shape().dims();
  return rows.Reshaped(TensorShape(absl::MakeConstSpan(dims).subspan(1)));
}

PartialShape RowShape(const PartialShape& shape) {
  if (!shape.known_rank() || shape.rank() == 0) return PartialShape();
  return PartialShape(shape.dims().subspan(1));
}

StatusOr<TensorShape> StackedShape(int64_t rows, const TensorShape& shape) {
  DimVector dims = shape.dims();
  dims.insert(dims.begin(), rows);
  return TensorShape::Make(dims);
}

Status JoinAsOutput(KernelContext& ctx, int i,
                    const std::vector<Tensor>& values, TensorShape shape) {
  if (values.size() == 1) {
    ctx.set_output(i, values[0].Reshaped(std::move(shape)));
    return OkStatus();
  }
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(i, std::move(shape)));
  if (out->num_elements() == 0) return OkStatus();
  std::vector<RowView> parts;
  for (const Tensor& value : values) {
    if (value.num_elements() == 0) continue;
    parts.push_back({value.data(), value.num_elements()});
  }
  return JoinRows(ctx, out->dtype(), parts, 1, out->mutable_data());
}

StatusOr<Tensor> ZeroTemp(KernelContext& ctx, DataType type,
                          TensorShape shape) {
  MR_ASSIGN_OR_RETURN(Tensor zeros, ctx.AllocateTemp(type, std::move(shape)));
  MR_RETURN_IF_ERROR(ZeroTensor(ctx, &zeros));
  return zeros;
}

}  // namespace millrace::ops
