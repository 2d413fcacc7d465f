#include "millrace/ops/sparse/reorder.gpu.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/sparse/entries.h"
#include "millrace/ops/state/rows/row_order.gpu.h"

MR_GPU_SOURCE(sparse_reorder);

namespace millrace::ops {
namespace {

constexpr int64_t kMostEntriesOfRun = 1024;  // as in the device text

class SparseReorderGpu {
 public:
  static StatusOr<SparseReorderGpu> Make(const KernelInit& init) {
    SparseReorderGpu k;
    MR_ASSIGN_OR_RETURN(
        k.order_, GpuRowMajorOrder::Make(init, RemoveRef(init.input_type(1))));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& indices = ctx.input(0);
    const Tensor& values = ctx.input(1);
    MR_RETURN_IF_ERROR(
        CheckSparseParts(indices, values, ctx.input(2), kSparseWords));
    MR_ASSIGN_OR_RETURN(Tensor* const out_indices,
                        ctx.AllocateOutput(0, indices.shape()));
    MR_ASSIGN_OR_RETURN(Tensor* const out_values,
                        ctx.AllocateOutput(1, values.shape()));
    return order_.Run(ctx, indices, values, out_indices, out_values);
  }

 private:
  GpuRowMajorOrder order_;
};

}  // namespace

StatusOr<GpuRowMajorOrder> GpuRowMajorOrder::Make(const KernelInit& init,
                                                  DataType type) {
  GpuRowMajorOrder o;
  MR_RETURN_IF_ERROR(LoadGpuFunctions(init, MR_GPU_SOURCE_OF(sparse_reorder),
                                      {{"V", GpuNameOfSize(type)}},
                                      {{&o.sort_, "SortEntries"},
                                       {&o.merge_, "MergeEntries"},
                                       {&o.gather_, "GatherEntries"}}));
  return o;
}

Status GpuRowMajorOrder::Run(KernelContext& ctx, const Tensor& indices,
                             const Tensor& values, Tensor* out_indices,
                             Tensor* out_values) const {
  const int64_t count = indices.dim(0), rank = indices.dim(1);
  if (count == 0) return OkStatus();
  MR_ASSIGN_OR_RETURN(const Tensor order, Sort(ctx, indices));
  return LaunchGpu(ctx, gather_, GridOver(count * std::max<int64_t>(rank, 1)),
                   GpuInput(order), count, rank, GpuInput(indices),
                   GpuInput(values), GpuOutput(*out_indices),
                   GpuOutput(*out_values));
}

// Sorts runs of entries, and merges them by twos.
StatusOr<Tensor> GpuRowMajorOrder::Sort(KernelContext& ctx,
                                        const Tensor& indices) const {
  const int64_t count = indices.dim(0), rank = indices.dim(1);
  const TensorShape shape({count});
  MR_ASSIGN_OR_RETURN(Tensor order, ctx.AllocateTemp(DataType::kInt64, shape));
  const int64_t run = std::min(
      kMostEntriesOfRun,
      static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(count))));
  MR_RETURN_IF_ERROR(LaunchGpu(
      ctx, sort_, GpuGrid{.blocks = (count + run - 1) / run}, GpuInput(indices),
      count, rank, static_cast<int32_t>(run), GpuOutput(order)));
  Tensor merged;
  for (int64_t size = run; size < count; size *= 2) {
    if (!merged.valid()) {
      MR_ASSIGN_OR_RETURN(merged, ctx.AllocateTemp(DataType::kInt64, shape));
    }
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, merge_, GridOver(count),
                                 GpuInput(indices), count, rank, size,
                                 GpuInput(order), GpuOutput(merged)));
    std::swap(order, merged);
  }
  return order;
}

MR_KERNELS(SparseReorder, Gpu){{.types = "T: " MR_GPU_TYPES ", int32",
                                .make = MakeKernel<SparseReorderGpu>},
                               kOnHostIfAsked};

}  // namespace millrace::ops
