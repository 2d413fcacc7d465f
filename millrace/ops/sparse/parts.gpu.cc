// Kernels that concatenate and slice sparse tensors on GPUs; what splits them
// is left to the host.
#include <utility>
#include <vector>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/device_read.gpu.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/indexing/where.gpu.h"
#include "millrace/ops/sparse/checks/concat.h"
#include "millrace/ops/sparse/checks/slice.h"
#include "millrace/ops/sparse/reorder.gpu.h"
#include "millrace/ops/state/rows/row_order.gpu.h"

MR_GPU_SOURCE(sparse_parts);

namespace millrace::ops {
namespace {

// The number of entries is known when it has come to the host.
class SparseSliceGpu {
 public:
  static StatusOr<SparseSliceGpu> Make(const KernelInit& init) {
    const GpuSource& source = MR_GPU_SOURCE_OF(sparse_parts);
    const std::vector<GpuDefine> defines = {
        {"T", GpuNameOfSize(init.input_type(1))}};
    SparseSliceGpu k;
    MR_ASSIGN_OR_RETURN(k.find_,
                        LoadGpuFunction(init, source, "FindInside", defines));
    MR_ASSIGN_OR_RETURN(k.take_,
                        LoadGpuFunction(init, source, "TakeInside", defines));
    MR_ASSIGN_OR_RETURN(k.places_, GpuNonZero::Make(init, DataType::kBool));
    return k;
  }

  void RunAsync(KernelContext& ctx, Done done) const {
    StatusOr<Found> found = Find(ctx);
    if (!found.ok()) return std::move(done)(found.status());
    Tensor total = GpuNonZero::Total(found->counts);
    ReadOnHost(
        ctx, std::move(total),
        [this, &ctx, found = *std::move(found)](const Tensor& count) {
          return Take(ctx, found, count.flat<int64_t>()[0]);
        },
        std::move(done));
  }

 private:
  // What lies inside of the slice, on the device.
  struct Found {
    Tensor bounds, inside, counts;
    DimVector dims;  // of the result
  };

  StatusOr<Found> Find(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const SparseSlicePlan plan, PlanSparseSlice(ctx));
    const Tensor& coordinates = ctx.input(0);
    const auto start = ctx.input(3).flat<int64_t>();
    std::vector<int64_t> bounds(start.begin(), start.end());
    bounds.insert(bounds.end(), plan.ends.begin(), plan.ends.end());
    Found f;
    f.dims = plan.dims;
    MR_ASSIGN_OR_RETURN(
        f.bounds,
        UploadToGpu(ctx, bounds.data(),
                    static_cast<int64_t>(bounds.size() * sizeof(int64_t))));
    const int64_t count = coordinates.dim(0);
    MR_ASSIGN_OR_RETURN(
        f.inside, ctx.AllocateTemp(DataType::kBool, TensorShape({count})));
    MR_RETURN_IF_ERROR(LaunchGpu(
        ctx, find_, GridOver(count), GpuInput(coordinates), GpuInput(f.bounds),
        GpuOutput(f.inside), count, coordinates.dim(1)));
    MR_ASSIGN_OR_RETURN(f.counts, places_.Count(ctx, f.inside));
    return f;
  }

  Status Take(KernelContext& ctx, const Found& f, int64_t count) const {
    const int64_t rank = ctx.input(0).dim(1);
    MR_ASSIGN_OR_RETURN(Tensor* const coordinates,
                        ctx.AllocateOutput(0, TensorShape({count, rank})));
    MR_ASSIGN_OR_RETURN(Tensor* const values,
                        ctx.AllocateOutput(1, TensorShape({count})));
    MR_ASSIGN_OR_RETURN(
        Tensor places,
        ctx.AllocateTemp(DataType::kInt64, TensorShape({count, 1})));
    MR_RETURN_IF_ERROR(places_.Write(ctx, f.inside, f.counts, &places));
    MR_RETURN_IF_ERROR(
        LaunchGpu(ctx, take_, GridOver(count), GpuInput(ctx.input(0)),
                  GpuInput(ctx.input(1)), GpuInput(f.bounds), GpuInput(places),
                  GpuOutput(*coordinates), GpuOutput(*values), count, rank));
    return SetVector(ctx, 2, f.dims);
  }

  GpuFunction find_, take_;
  GpuNonZero places_;
};

class SparseConcatGpu {
 public:
  static StatusOr<SparseConcatGpu> Make(const KernelInit& init) {
    SparseConcatGpu k;
    MR_ASSIGN_OR_RETURN(k.axis_, init.Attr<int32_t>("concat_dim"));
    MR_ASSIGN_OR_RETURN(k.n_, init.Attr<int64_t>("N"));
    const DataType type = init.output_type(1);
    MR_ASSIGN_OR_RETURN(
        k.append_, LoadGpuFunction(init, MR_GPU_SOURCE_OF(sparse_parts),
                                   "AppendPart", {{"T", GpuNameOfSize(type)}}));
    MR_ASSIGN_OR_RETURN(k.order_, GpuRowMajorOrder::Make(init, type));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const SparseConcatPlan plan,
                        PlanSparseConcat(ctx, axis_, n_));
    const auto rank = static_cast<int64_t>(plan.dims.size());
    const TensorShape rows({plan.total, rank}), numbers({plan.total});
    const DataType type = ctx.input(static_cast<int>(n_)).dtype();
    MR_ASSIGN_OR_RETURN(Tensor* const coordinates, ctx.AllocateOutput(0, rows));
    MR_ASSIGN_OR_RETURN(Tensor* const values, ctx.AllocateOutput(1, numbers));
    MR_ASSIGN_OR_RETURN(Tensor all, ctx.AllocateTemp(DataType::kInt64, rows));
    MR_ASSIGN_OR_RETURN(Tensor all_values, ctx.AllocateTemp(type, numbers));
    const int n = static_cast<int>(n_);
    int64_t offset = 0, first = 0;
    for (int i = 0; i < n; ++i) {
      const int64_t count = ctx.input(i).dim(0);
      MR_RETURN_IF_ERROR(LaunchGpu(
          ctx, append_, GridOver(count), GpuInput(ctx.input(i)),
          GpuInput(ctx.input(i + n)), Behind(all, first * rank),
          Behind(all_values, first), count, rank, int64_t{plan.axis}, offset));
      first += count;
      offset += ctx.input(i + 2 * n).flat<int64_t>()[plan.axis];
    }
    MR_RETURN_IF_ERROR(order_.Run(ctx, all, all_values, coordinates, values));
    return SetVector(ctx, 2, plan.dims);
  }

 private:
  static GpuPointer Behind(const Tensor& t, int64_t element) {
    if (t.num_elements() == 0) return {};
    return {uint64_t{t.device_address()} +
            static_cast<uint64_t>(element) * SizeOf(t.dtype())};
  }

  int64_t axis_ = 0, n_ = 0;
  GpuFunction append_;
  GpuRowMajorOrder order_;
};

}  // namespace

MR_KERNELS(SparseConcat, Gpu){{.types = "T: " MR_GPU_TYPES ", int32",
                               .make = MakeKernel<SparseConcatGpu>,
                               .host = "shapes, output_shape"},
                              kOnHostIfAsked};
MR_KERNELS(SparseSlice, Gpu){{.types = "T: " MR_GPU_TYPES ", int32",
                              .make = MakeKernel<SparseSliceGpu>,
                              .host = "shape, start, size, output_shape"},
                             kOnHostIfAsked};
MR_KERNELS(SparseSliceGrad, Gpu){kOnHostIfAsked};
MR_KERNELS(SparseSplit, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
