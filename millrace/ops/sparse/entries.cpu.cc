#include "millrace/ops/sparse/entries.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_join.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

Status OutOfBounds(int64_t entry, absl::Span<const int64_t> coordinates,
                   absl::Span<const int64_t> dims) {
  return InvalidArgument(
      "indices[", entry, "] = [", absl::StrJoin(coordinates, ","),
      "] is out of bounds: need 0 <= index < [", absl::StrJoin(dims, ","), "]");
}

Status SparseEntries::CheckInside() const {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t* const row = at(i);
    for (int d = 0; d < rank; ++d) {
      if (row[d] < 0 || row[d] >= dims[static_cast<size_t>(d)]) {
        return OutOfBounds(i, {row, static_cast<size_t>(rank)}, dims);
      }
    }
  }
  return OkStatus();
}

Status CheckSparseParts(const Tensor& indices, const Tensor& values,
                        const Tensor& shape, SparseWords words) {
  MR_RETURN_IF_ERROR(CheckParts(indices, values, shape, words));
  if (shape.dim(0) <= kMaxRank) return OkStatus();
  return InvalidArgument("Too many dimensions in a sparse tensor: ",
                         shape.dim(0), "; at most ", kMaxRank, " are allowed");
}

StatusOr<SparseEntries> ReadEntries(const Tensor& indices, const Tensor& values,
                                    const Tensor& shape, SparseWords words) {
  MR_RETURN_IF_ERROR(CheckSparseParts(indices, values, shape, words));
  SparseEntries e;
  e.coordinates = indices.flat<int64_t>().data();
  e.count = indices.dim(0);
  e.rank = static_cast<int>(indices.dim(1));
  e.values = &values;
  e.dims = shape.flat<int64_t>();
  return e;
}

StatusOr<SparseEntries> ReadEntries(KernelContext& ctx, int first,
                                    SparseWords words) {
  return ReadEntries(ctx.input(first), ctx.input(first + 1),
                     ctx.input(first + 2), words);
}

int CompareCoordinates(const int64_t* a, const int64_t* b, int n) {
  for (int d = 0; d < n; ++d) {
    if (a[d] != b[d]) return a[d] < b[d] ? -1 : 1;
  }
  return 0;
}

Status CheckOrder(const SparseEntries& e) {
  MR_RETURN_IF_ERROR(e.CheckInside());
  for (int64_t i = 1; i < e.count; ++i) {
    const int order = CompareCoordinates(e.at(i - 1), e.at(i), e.rank);
    if (order < 0) continue;
    return InvalidArgument(
        "indices[", i, "] = [",
        absl::StrJoin(absl::MakeConstSpan(e.at(i), static_cast<size_t>(e.rank)),
                      ","),
        order == 0 ? "] is repeated"
                   : "] is out of order. Many sparse ops require sorted "
                     "indices; SparseReorder gives them");
  }
  return OkStatus();
}

CountedVector<int64_t> OrderBy(const SparseEntries& entries,
                               absl::Span<const int> axes) {
  CountedVector<int64_t> order(static_cast<size_t>(entries.count));
  std::iota(order.begin(), order.end(), 0);
  const auto less = [&entries, axes](int64_t a, int64_t b) {
    const int64_t* const x = entries.at(a);
    const int64_t* const y = entries.at(b);
    for (const int d : axes) {
      if (x[d] != y[d]) return x[d] < y[d];
    }
    return false;
  };
  if (!std::is_sorted(order.begin(), order.end(), less)) {
    std::stable_sort(order.begin(), order.end(), less);
  }
  return order;
}

CountedVector<int64_t> RowMajorOrder(const SparseEntries& entries) {
  std::vector<int> axes(static_cast<size_t>(entries.rank));
  std::iota(axes.begin(), axes.end(), 0);
  return OrderBy(entries, axes);
}

Status GatherValues(const Tensor& src, absl::Span<const int64_t> order,
                    Tensor* dst) {
  return DispatchBySize(src.dtype(), [&]<class T>() -> Status {
    const T* const x = reinterpret_cast<const T*>(src.data());
    T* const z = reinterpret_cast<T*>(dst->mutable_data());
    for (size_t i = 0; i < order.size(); ++i) z[i] = x[order[i]];
    return OkStatus();
  });
}

void GatherCoordinates(const SparseEntries& entries,
                       absl::Span<const int64_t> order, int64_t* dst) {
  for (const int64_t i : order) {
    dst = std::copy_n(entries.at(i), entries.rank, dst);
  }
}

StatusOr<EntriesOutput> AllocateEntries(KernelContext& ctx, int indices_output,
                                        int values_output, int64_t count,
                                        int64_t rank) {
  MR_ASSIGN_OR_RETURN(const TensorShape matrix,
                      TensorShape::Make({count, rank}));
  MR_ASSIGN_OR_RETURN(Tensor* const indices,
                      ctx.AllocateOutput(indices_output, matrix));
  EntriesOutput out;
  out.coordinates = indices->mutable_flat<int64_t>().data();
  MR_ASSIGN_OR_RETURN(out.values,
                      ctx.AllocateOutput(values_output, TensorShape({count})));
  return out;
}

Status SetVector(KernelContext& ctx, int output,
                 absl::Span<const int64_t> values) {
  MR_ASSIGN_OR_RETURN(
      Tensor* const out,
      ctx.AllocateOutput(output,
                         TensorShape({static_cast<int64_t>(values.size())})));
  std::copy(values.begin(), values.end(), out->mutable_flat<int64_t>().begin());
  return OkStatus();
}

}  // namespace millrace::ops
