#include "millrace/ops/indexing/rows.h"

#include "millrace/base/memory/counted_vector.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/layout/join.h"

namespace millrace::ops {
namespace {

// Copies `bytes` from byte `from_byte` of `from` to byte `to_byte` of `to`.
Status CopyOnDevice(KernelContext& ctx, const Tensor& from, int64_t from_byte,
                    const Tensor& to, int64_t to_byte, size_t bytes) {
  const auto at = [](const Tensor& t, int64_t byte) {
    return reinterpret_cast<void*>(t.device_address() +
                                   static_cast<uintptr_t>(byte));
  };
  if (bytes == 0) return OkStatus();
  return ctx.device().allocator()->Copy(at(to, to_byte), at(from, from_byte),
                                        bytes);
}

Status JoinOnDevice(KernelContext& ctx, absl::Span<const Tensor> values,
                    const Tensor& out) {
  int64_t at = 0;
  for (const Tensor& value : values) {
    MR_RETURN_IF_ERROR(
        CopyOnDevice(ctx, value, 0, out, at, value.size_bytes()));
    at += static_cast<int64_t>(value.size_bytes());
  }
  return OkStatus();
}

}  // namespace

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
  if (t.on_device()) {
    MR_RETURN_IF_ERROR(CopyOnDevice(
        ctx, t, begin * row * static_cast<int64_t>(SizeOf(t.dtype())), rows, 0,
        rows.size_bytes()));
  } else if (rows.num_elements() > 0) {
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

Status JoinAsOutput(KernelContext& ctx, int i, absl::Span<const Tensor> values,
                    TensorShape shape) {
  if (values.size() == 1) {
    ctx.set_output(i, values[0].Reshaped(std::move(shape)));
    return OkStatus();
  }
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(i, std::move(shape)));
  if (out->num_elements() == 0) return OkStatus();
  if (out->on_device()) return JoinOnDevice(ctx, values, *out);
  CountedVector<RowView> parts;
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
