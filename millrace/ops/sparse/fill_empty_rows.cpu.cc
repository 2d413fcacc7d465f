#include <algorithm>
#include <numeric>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/sparse/checks/fill_empty_rows.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

Status RunFillEmptyRows(KernelContext& ctx) {
  const Tensor given_indices = ctx.input(0);  // may be views
  const Tensor given_values = ctx.input(1);
  MR_RETURN_IF_ERROR(ctx.BindInput(0));
  MR_RETURN_IF_ERROR(ctx.BindInput(1));
  const Tensor& values = ctx.input(1);
  const Tensor& default_value = ctx.input(3);
  MR_ASSIGN_OR_RETURN(const int64_t rows, RowsToFill(ctx));
  MR_ASSIGN_OR_RETURN(const SparseEntries in, ReadEntries(ctx));
  for (int64_t i = 0; i < in.count; ++i) {
    if (in.at(i)[0] < 0 || in.at(i)[0] >= rows) {
      return BadRow(i, in.at(i)[0], rows);
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
  MR_RETURN_IF_ERROR(CheckFilledGrad(map, grad));
  const int64_t total = grad.dim(0);
  CountedVector<bool> visited(static_cast<size_t>(total));
  const auto from = map.flat<int64_t>();
  for (const int64_t place : from) {
    if (place < 0 || place >= total) {
      return BadReverseIndex(place, total);
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
