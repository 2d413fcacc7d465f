// Kernel of SparseReorder on GPUs: runs of entries are sorted, then merged by
// twos.
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "millrace/device/cuda/launch.h"
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
    const std::vector<GpuDefine> defines = {
        {"V", GpuNameOfSize(RemoveRef(init.input_type(1)))}};
    const GpuSource& source = MR_GPU_SOURCE_OF(sparse_reorder);
    MR_ASSIGN_OR_RETURN(k.sort_,
                        LoadGpuFunction(init, source, "SortEntries", defines));
    MR_ASSIGN_OR_RETURN(k.merge_,
                        LoadGpuFunction(init, source, "MergeEntries", defines));
    MR_ASSIGN_OR_RETURN(
        k.gather_, LoadGpuFunction(init, source, "GatherEntries", defines));
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
    const int64_t count = indices.dim(0), rank = indices.dim(1);
    if (count == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(const Tensor order, Sort(ctx, indices));
    return LaunchGpu(ctx, gather_, GridOver(count * std::max<int64_t>(rank, 1)),
                     GpuInput(order), count, rank, GpuInput(indices),
                     GpuInput(values), GpuOutput(*out_indices),
                     GpuOutput(*out_values));
  }

 private:
  // Returns the numbers of entries in their order: int64.
  StatusOr<Tensor> Sort(KernelContext& ctx, const Tensor& indices) const {
    const int64_t count = indices.dim(0), rank = indices.dim(1);
    const TensorShape shape({count});
    MR_ASSIGN_OR_RETURN(Tensor order,
                        ctx.AllocateTemp(DataType::kInt64, shape));
    const int64_t run = std::min(
        kMostEntriesOfRun,
        static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(count))));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, sort_,
                                 GpuGrid{.blocks = (count + run - 1) / run},
                                 GpuInput(indices), count, rank,
                                 static_cast<int32_t>(run), GpuOutput(order)));
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

  GpuFunction sort_, merge_, gather_;
};

}  // namespace

MR_KERNELS(SparseReorder, Gpu){{.types = "T: " MR_GPU_TYPES ", int32",
                                .make = MakeKernel<SparseReorderGpu>},
                               kOnHostIfAsked};

}  // namespace millrace::ops
