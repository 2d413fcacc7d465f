#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "millrace/base/memory/counted_table.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/indexing/element_keys.h"
#include "millrace/ops/indexing/gather_rows.h"

namespace millrace::ops {
namespace {

constexpr int64_t kCheckEvery = 1 << 16;
constexpr char kDistinct[] = "the distinct elements";

// The numbers of items.
using Places = CountedTable<std::vector<int64_t>>;

// Sets element i of an int32 or int64 tensor.
void SetInt(Tensor* t, int64_t i, int64_t value) {
  if (t->dtype() == DataType::kInt64) {
    t->mutable_flat<int64_t>()[i] = value;
  } else {
    t->mutable_flat<int32_t>()[i] = static_cast<int32_t>(value);
  }
}

// Numbers the distinct keys of items [0, count): the number of each item is
// written to `idx`, the first item of each number to `first`.
template <class Keys>
Status Number(KernelContext& ctx, const Keys& keys, int64_t count, Tensor* idx,
              Places& first) {
  CountedTable<absl::flat_hash_map<typename Keys::Key, int64_t>> numbers(
      kDistinct);
  for (int64_t i = 0; i < count; ++i) {
    if (i % kCheckEvery == kCheckEvery - 1)
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    MR_RETURN_IF_ERROR(first.MakeRoom());
    int64_t number = static_cast<int64_t>(first->size());
    if (const auto key = keys(i)) {
      MR_RETURN_IF_ERROR(numbers.MakeRoom());
      const auto [entry, is_new] = numbers->try_emplace(*key, number);
      number = entry->second;
      if (is_new) first->push_back(i);
    } else {
      first->push_back(i);  // equal to nothing, not even to itself
    }
    SetInt(idx, i, number);
  }
  return OkStatus();
}

// Finds the distinct slices of x along `axis`.
Status UniqueAlong(KernelContext& ctx, int axis) {
  const Tensor& x = ctx.input(0);
  const int64_t count = x.dim(axis);
  const int64_t outer = x.shape().NumElements(0, axis);
  const int64_t inner = x.shape().NumElements(axis + 1, x.rank());
  if (count > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("unique does not support input tensors larger than ",
                           std::numeric_limits<int32_t>::max(), " elements");
  }
  MR_ASSIGN_OR_RETURN(Tensor * idx,
                      ctx.AllocateOutput(1, TensorShape({count})));
  Places first(kDistinct);
  MR_RETURN_IF_ERROR(DispatchKeys(x.dtype(), [&]<class Keys>() -> Status {
    if (outer == 1 && inner == 1)
      return Number(ctx, Keys(x), count, idx, first);
    return Number(ctx, SliceKeys<Keys>(x, outer, count, inner), count, idx,
                  first);
  }));
  const int64_t distinct = static_cast<int64_t>(first->size());
  DimVector dims = x.shape().dims();
  dims[axis] = distinct;
  MR_ASSIGN_OR_RETURN(
      Tensor * y,
      ctx.AllocateOutput(0, TensorShape(absl::Span<const int64_t>(dims))));
  MR_ASSIGN_OR_RETURN(Tensor places, ctx.AllocateTemp(DataType::kInt64,
                                                      TensorShape({distinct})));
  std::copy(first->begin(), first->end(),
            places.mutable_flat<int64_t>().begin());
  GatherSpec spec;
  spec.outer = outer;
  spec.limit = count;
  spec.count = distinct;
  spec.slice = inner;
  MR_RETURN_IF_ERROR(
      GatherSlices(ctx, x.dtype(), spec, x.data(), places, y->mutable_data())
          .status());
  if (ctx.num_outputs() < 3) return OkStatus();
  MR_ASSIGN_OR_RETURN(Tensor * counts,
                      ctx.AllocateOutput(2, TensorShape({distinct})));
  // The numbers are not needed any more.
  const auto sums = places.mutable_flat<int64_t>();
  std::fill(sums.begin(), sums.end(), 0);
  for (int64_t i = 0; i < count; ++i) ++sums[IntAt(*idx, i)];
  for (int64_t i = 0; i < distinct; ++i) SetInt(counts, i, sums[i]);
  return OkStatus();
}

Status UniqueKernel(KernelContext& ctx) {
  if (ctx.input(0).rank() != 1)
    return InvalidArgument("unique expects a 1D vector.");
  return UniqueAlong(ctx, 0);
}

Status UniqueV2Kernel(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor& axes = ctx.input(1);
  if (axes.rank() != 1) return InvalidArgument("axis expects a 1D vector.");
  if (axes.num_elements() > 1) {
    return InvalidArgument(
        "axis does not support input tensors larger than 1 elements");
  }
  if (axes.num_elements() == 0) return UniqueKernel(ctx);
  const int64_t given = IntAt(axes, 0);
  const int64_t axis = given < 0 ? given + x.rank() : given;
  if (axis < 0 || axis >= x.rank()) {
    return InvalidArgument("axis has to be between [0, ", x.rank(), ")");
  }
  return UniqueAlong(ctx, static_cast<int>(axis));
}

template <class Keys>
Status Difference(KernelContext& ctx, const Tensor& x, const Tensor& y,
                  Places& kept) {
  CountedTable<absl::flat_hash_set<typename Keys::Key>> excluded(
      "the excluded elements");
  const Keys y_keys(y);
  for (int64_t i = 0; i < y.num_elements(); ++i) {
    if (i % kCheckEvery == kCheckEvery - 1)
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    MR_RETURN_IF_ERROR(excluded.MakeRoom());
    if (const auto key = y_keys(i)) excluded->insert(*key);
  }
  const Keys x_keys(x);
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    if (i % kCheckEvery == kCheckEvery - 1)
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    const auto key = x_keys(i);
    MR_RETURN_IF_ERROR(kept.MakeRoom());
    if (!key || !excluded->contains(*key)) kept->push_back(i);
  }
  return OkStatus();
}

Status ListDiffKernel(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor& y = ctx.input(1);
  if (x.rank() != 1) return InvalidArgument("x should be a 1D vector.");
  if (y.rank() != 1) return InvalidArgument("y should be a 1D vector.");
  if (ctx.output_type(1) == DataType::kInt32 &&
      x.num_elements() > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("x is too large for indices of type int32");
  }
  Places kept("the elements that are kept");
  MR_RETURN_IF_ERROR(DispatchKeys(x.dtype(), [&]<class Keys>() -> Status {
    return Difference<Keys>(ctx, x, y, kept);
  }));
  const int64_t n = static_cast<int64_t>(kept->size());
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, TensorShape({n})));
  MR_ASSIGN_OR_RETURN(Tensor * idx, ctx.AllocateOutput(1, TensorShape({n})));
  MR_ASSIGN_OR_RETURN(Tensor places,
                      ctx.AllocateTemp(DataType::kInt64, TensorShape({n})));
  std::copy(kept->begin(), kept->end(), places.mutable_flat<int64_t>().begin());
  for (int64_t i = 0; i < n; ++i) SetInt(idx, i, (*kept)[i]);
  GatherSpec spec;
  spec.limit = x.num_elements();
  spec.count = n;
  spec.slice = 1;
  return GatherSlices(ctx, x.dtype(), spec, x.data(), places,
                      out->mutable_data())
      .status();
}

#define MR_UNIQUE_TYPES MR_REAL_TYPES ", bool, string"

}  // namespace

MR_KERNELS(Unique, Cpu){
    {.types = "T: " MR_UNIQUE_TYPES, .make = MakeFunctionKernel<UniqueKernel>}};
MR_KERNELS(UniqueV2, Cpu){{.types = "T: " MR_UNIQUE_TYPES,
                           .make = MakeFunctionKernel<UniqueV2Kernel>,
                           .host = "axis"}};
MR_KERNELS(UniqueWithCounts, Cpu){
    {.types = "T: " MR_UNIQUE_TYPES, .make = MakeFunctionKernel<UniqueKernel>}};
MR_KERNELS(UniqueWithCountsV2, Cpu){{.types = "T: " MR_UNIQUE_TYPES,
                                     .make = MakeFunctionKernel<UniqueV2Kernel>,
                                     .host = "axis"}};
MR_KERNELS(ListDiff, Cpu){{.types = "T: " MR_REAL_TYPES ", string",
                           .make = MakeFunctionKernel<ListDiffKernel>}};

}  // namespace millrace::ops
