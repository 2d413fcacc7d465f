#include "millrace/ops/indexing/plans/dynamic.h"

#include <utility>
#include <vector>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/device_read.gpu.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/state/rows/row_order.gpu.h"

MR_GPU_SOURCE(indexing_dynamic);

namespace millrace::ops {
namespace {

class DynamicStitchGpu {
 public:
  static StatusOr<DynamicStitchGpu> Make(const KernelInit& init) {
    DynamicStitchGpu k;
    MR_ASSIGN_OR_RETURN(
        k.stitch_, LoadGpuFunction(
                       init, MR_GPU_SOURCE_OF(indexing_dynamic), "Stitch",
                       {{"E", GpuNameOfSize(RemoveRef(init.output_type(0)))}}));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const StitchPlan plan, PlanStitch(ctx));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, plan.shape));
    const int64_t total = out->num_elements();
    if (total == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(
        const Tensor sources,
        UploadToGpu(ctx, plan.sources.data(),
                    static_cast<int64_t>(plan.sources.size_bytes())));
    return LaunchGpu(ctx, stitch_, GridOver(total), GpuInput(sources),
                     GpuOutput(*out), total, plan.slice);
  }

 private:
  GpuFunction stitch_;
};

// The sizes of the parts are known when they have come to the host. Parts that
// do not exist are left out, as in TensorFlow on GPUs; on CPUs they are errors.
class DynamicPartitionGpu {
 public:
  static StatusOr<DynamicPartitionGpu> Make(const KernelInit& init) {
    DynamicPartitionGpu k;
    const std::vector<GpuDefine> defines = {
        {"E", GpuNameOfSize(RemoveRef(init.input_type(0)))}};
    const GpuSource& source = MR_GPU_SOURCE_OF(indexing_dynamic);
    MR_ASSIGN_OR_RETURN(
        k.begins_, LoadGpuFunction(init, source, "BeginsOfParts", defines));
    MR_ASSIGN_OR_RETURN(k.take_,
                        LoadGpuFunction(init, source, "TakePart", defines));
    MR_ASSIGN_OR_RETURN(k.order_, GpuRowOrder::Make(init, DataType::kInt32));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    StatusOr<Sorted> sorted = Sort(ctx);
    if (!sorted.ok()) return std::move(done)(sorted.status());
    Tensor begins = sorted->begins;
    ReadOnHost(
        ctx, std::move(begins),
        [this, &ctx, rows = std::move(sorted->rows)](const Tensor& on_host) {
          return Take(ctx, rows, on_host.flat<int64_t>());
        },
        std::move(done));
  }

 private:
  struct Sorted {
    SortedRows rows;
    Tensor begins;
  };
  StatusOr<Sorted> Sort(KernelContext& ctx) const {
    const Tensor& partitions = ctx.input(1);
    MR_RETURN_IF_ERROR(
        CheckPartition(ctx.input(0).shape(), partitions.shape()));
    const int64_t parts = ctx.num_outputs();
    Sorted s;
    MR_ASSIGN_OR_RETURN(
        s.rows,
        order_.Sort(ctx, partitions, partitions.num_elements(), {parts}));
    MR_ASSIGN_OR_RETURN(
        s.begins, ctx.AllocateTemp(DataType::kInt64, TensorShape({parts + 1})));
    MR_RETURN_IF_ERROR(LaunchGpu(
        ctx, begins_, GridOver(parts + 1), GpuInput(s.rows.keys),
        s.rows.count(), s.rows.position_bits, parts, GpuOutput(s.begins)));
    return s;
  }

  Status Take(KernelContext& ctx, const SortedRows& rows,
              absl::Span<const int64_t> begins) const {
    const Tensor& data = ctx.input(0);
    const int prefix = ctx.input(1).rank();
    const int64_t slice = data.shape().NumElements(prefix, data.rank());
    for (int p = 0; p < ctx.num_outputs(); ++p) {
      const int64_t begin = begins[p], end = begins[p + 1];
      DimVector dims = {end - begin};
      for (int d = prefix; d < data.rank(); ++d) dims.push_back(data.dim(d));
      MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
      MR_ASSIGN_OR_RETURN(Tensor* const out,
                          ctx.AllocateOutput(p, std::move(shape)));
      const int64_t total = out->num_elements();
      if (total == 0) continue;
      MR_RETURN_IF_ERROR(LaunchGpu(ctx, take_, GridOver(total), GpuInput(data),
                                   GpuInput(rows.keys.Rows(begin, end)),
                                   (uint64_t{1} << rows.position_bits) - 1,
                                   GpuOutput(*out), total, slice));
    }
    return OkStatus();
  }

  GpuFunction begins_, take_;
  GpuRowOrder order_;
};

}  // namespace

MR_KERNELS(DynamicPartition, Gpu){{.types = "T: " MR_GPU_TYPES ", int32",
                                   .make = MakeKernel<DynamicPartitionGpu>}};
MR_KERNELS(DynamicStitch, Gpu){
    {.types = "T: " MR_GPU_TYPES,
     .make = MakeKernel<DynamicStitchGpu>,
     .host = "indices"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(ParallelDynamicStitch, Gpu){
    {.types = "T: " MR_GPU_TYPES,
     .make = MakeKernel<DynamicStitchGpu>,
     .host = "indices"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};

}  // namespace millrace::ops
