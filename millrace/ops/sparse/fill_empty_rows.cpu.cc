#include <algorithm>
#include <numeric>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/sparse/entries.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

Status CheckInputs(const Tensor& indices, const Tensor& values,
                   const Tensor& shape, const Tensor& default_value) {
  if (shape.rank() != 1) {
    return InvalidArgument("dense_shape must be a vector, saw: ",
                           shape.shape().DebugString());
  }
  if (indices.rank() != 2) {
    return InvalidArgument("indices must be a matrix, saw: ",
                           indices.shape().DebugString());
  }
  if (values.rank() != 1) {
    return InvalidArgument("values must be a vector, saw: ",
                           values.shape().DebugString());
  }
  if (indices.dim(0) != values.dim(0)) {
    return InvalidArgument("The length of `values` (", values.dim(0),
                           ") must match the first dimension of `indices` (",
                           indices.dim(0), ").");
  }
  if (default_value.rank() != 0) {
    return InvalidArgument("default_value must be a scalar, saw: ",
                           default_value.shape().DebugString());
  }
  if (indices.dim(1) != shape.dim(0)) {
    return InvalidArgument("The length of `dense_shape` (", shape.dim(0),
                           ") must match the second dimension of `indices` (",
                           indices.dim(1), ").");
  }
  if (shape.dim(0) == 0) return InvalidArgument("Dense shape cannot be empty.");
  return OkStatus();
}

Status RunFillEmptyRows(KernelContext& ctx) {
  const Tensor given_indices = ctx.input(0);  // may be views
  const Tensor given_values = ctx.input(1);
  MR_RETURN_IF_ERROR(ctx.BindInput(0));
  MR_RETURN_IF_ERROR(ctx.BindInput(1));
  const Tensor& values = ctx.input(1);
  const Tensor& default_value = ctx.input(3);
  MR_RETURN_IF_ERROR(
      CheckInputs(ctx.input(0), values, ctx.input(2), default_value));
  MR_ASSIGN_OR_RETURN(const SparseEntries in, ReadEntries(ctx));
  const int64_t rows = in.dims[0];
  if (rows < 0) {
    return InvalidArgument("dense_shape[0] must be >= 0, but is ", rows);
  }
  if (rows == 0 && in.count > 0) {
    return InvalidArgument(
        "Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = ",
        in.count);
  }
  for (int64_t i = 0; i < in.count; ++i) {
    if (in.at(i)[0] < 0 || in.at(i)[0] >= rows) {
      return InvalidArgument("indices(", i, ", 0) is invalid: ", in.at(i)[0],
                             " >= ", rows);
    }
  }
  MR_ASSIGN_OR_RETURN(Tensor* const is_empty,
                      ctx.AllocateOutput(2, TensorShape({rows})));
  MR_ASSIGN_OR_RETURN(Tensor* const map,
                      ctx.AllocateOutput(3, TensorShape({in.count})));
  // First the number of entries in each row, then the position of the row's
  // next entry.
  MR_ASSIGN_OR_RETURN(Tensor row_ends,
                      ctx.AllocateTemp(DataType::kInt64, TensorShape({rows})));
  int64_t* const next = row_ends.mutable_flat<int64_t>().data();
  bool* const empty = is_empty->mutable_flat<bool>().data();
  int64_t* const to = map->mutable_flat<int64_t>().data();
  std::fill_n(next, rows, 0);
  for (int64_t i = 0; i < in.count; ++i) ++next[in.at(i)[0]];
  int64_t total = 0;
  for (int64_t r = 0; r < rows; ++r) {
    empty[r] = next[r] == 0;
    const int64_t here = std::max<int64_t>(next[r], 1);
    next[r] = total;
    total += here;
  }
  bool in_order = total == in.count;
  for (int64_t i = 1; i < in.count && in_order; ++i) {
    in_order = in.at(i - 1)[0] <= in.at(i)[0];
  }
  if (in_order) {
    std::iota(to, to + in.count, 0);
    ctx.set_output(0, given_indices);
    ctx.set_output(1, given_values);
    return OkStatus();
  }
  MR_ASSIGN_OR_RETURN(const EntriesOutput out,
                      AllocateEntries(ctx, 0, 1, total, in.rank));
  for (int64_t r = 0; r < rows; ++r) {
    if (!empty[r]) continue;
    int64_t* const row = out.coordinates + next[r] * in.rank;
    std::fill_n(row, in.rank, 0);
    row[0] = r;
  }
  return DispatchBySize(values.dtype(), [&]<class T>() -> Status {
    const T* const x = reinterpret_cast<const T*>(values.data());
    const T* const filler = reinterpret_cast<const T*>(default_value.data());
    T* const z = reinterpret_cast<T*>(out.values->mutable_data());
    for (int64_t r = 0; r < rows; ++r) {
      if (empty[r]) z[next[r]] = *filler;
    }
    for (int64_t i = 0; i < in.count; ++i) {
      to[i] = next[in.at(i)[0]]++;
      z[to[i]] = x[i];
      std::copy_n(in.at(i), in.rank, out.coordinates + to[i] * in.rank);
    }
    return OkStatus();
  });
}

Status RunFillEmptyRowsGrad(KernelContext& ctx) {
  const Tensor& map = ctx.input(0);
  const Tensor& grad = ctx.input(1);
  if (map.rank() != 1) {
    return InvalidArgument("reverse_index_map must be a vector, saw: ",
                           map.shape().DebugString());
  }
  if (grad.rank() != 1) {
    return InvalidArgument("grad_values must be a vector, saw: ",
                           grad.shape().DebugString());
  }
  const int64_t total = grad.dim(0);
  std::vector<bool> visited(static_cast<size_t>(total));
  const auto from = map.flat<int64_t>();
  for (const int64_t place : from) {
    if (place < 0 || place >= total) {
      return InvalidArgument("Elements in reverse index must be in [0, ", total,
                             ") but got ", place);
    }
    visited[static_cast<size_t>(place)] = true;
  }
  MR_ASSIGN_OR_RETURN(Tensor* const values, ctx.AllocateOutput(0, map.shape()));
  MR_ASSIGN_OR_RETURN(Tensor* const filler,
                      ctx.AllocateOutput(1, TensorShape()));
  MR_RETURN_IF_ERROR(GatherValues(grad, from, values));
  return Dispatch(NumericTypes{}, grad.dtype(), [&]<class T>() -> Status {
    using S = ComputeType<T>;
    const T* const dy = grad.flat<T>().data();
    S sum = S(0);
    for (int64_t i = 0; i < total; ++i) {
      if (!visited[static_cast<size_t>(i)]) {
        sum = Plus<S>(sum, static_cast<S>(dy[i]));
      }
    }
    filler->mutable_flat<T>()[0] = static_cast<T>(sum);
    return OkStatus();
  });
}

}  // namespace

MR_KERNELS(SparseFillEmptyRows,
           Cpu){{.types = "T: " MR_ELEMENT_TYPES,
                 .make = MakeFunctionKernel<RunFillEmptyRows>,
                 .views = "indices, values"}};
MR_KERNELS(SparseFillEmptyRowsGrad,
           Cpu){{.types = "T: " MR_NUMBER_TYPES,
                 .make = MakeFunctionKernel<RunFillEmptyRowsGrad>}};

}  // namespace millrace::ops
