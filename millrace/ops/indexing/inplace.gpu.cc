// Kernels of InplaceUpdate, InplaceAdd and InplaceSub on GPUs. Rows are changed
// one after the other, as on CPUs.
#include "millrace/ops/indexing/plans/inplace.h"

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/state/scatter.gpu.h"

MR_GPU_SOURCE(indexing_inplace);

namespace millrace::ops {
namespace {

template <GpuScatterOp kOp>
class InplaceGpu {
 public:
  static StatusOr<InplaceGpu> Make(const KernelInit& init) {
    InplaceGpu k;
    MR_ASSIGN_OR_RETURN(k.mover_, GpuMover::Make(init, {}));
    MR_ASSIGN_OR_RETURN(
        k.rows_, LoadGpuFunction(init, MR_GPU_SOURCE_OF(indexing_inplace),
                                 "RowsModulo"));
    MR_ASSIGN_OR_RETURN(
        k.scatter_,
        GpuScatter::Make(init, kOp, init.output_type(0), DataType::kInt64));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& i = ctx.input(1);
    const Tensor& v = ctx.input(2);
    MR_RETURN_IF_ERROR(CheckInplaceRows(ctx.input(0), i, v));
    const TensorShape shape = ctx.input(0).shape();
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.ForwardOrAllocateOutput({0}, 0, shape));
    if (out->num_elements() == 0) return OkStatus();
    const Tensor& x = ctx.input(0);
    if (x.device_address() != out->device_address()) {
      MR_RETURN_IF_ERROR(mover_.CopyAll(ctx, x, out));
    }
    const int64_t count = i.num_elements();
    MR_ASSIGN_OR_RETURN(
        Tensor rows, ctx.AllocateTemp(DataType::kInt64, TensorShape({count})));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, rows_, GridOver(count), GpuInput(i),
                                 count, shape.dim(0), GpuOutput(rows)));
    const int64_t dims[] = {shape.dim(0)};
    return scatter_.Run(ctx, *out, rows, count, dims, v);
  }

 private:
  GpuMover mover_;
  GpuFunction rows_;
  GpuScatter scatter_;
};

}  // namespace

// As in TensorFlow, int32 is changed on the host.
#define MR_INT32_ROWS \
  { .types = "T: int32", .make = OnHost, .host = "*" }

MR_KERNELS(InplaceUpdate, Gpu){
    MR_INT32_ROWS,
    {.types = "T: " MR_GPU_TYPES,
     .make = MakeKernel<InplaceGpu<GpuScatterOp::kReplace>>},
    kOnHostIfAsked};
MR_KERNELS(InplaceAdd, Gpu){
    MR_INT32_ROWS,
    {.types = "T: " MR_NUMBER_TYPES,
     .make = MakeKernel<InplaceGpu<GpuScatterOp::kAdd>>},
    kOnHostIfAsked};
MR_KERNELS(InplaceSub, Gpu){
    MR_INT32_ROWS,
    {.types = "T: " MR_NUMBER_TYPES,
     .make = MakeKernel<InplaceGpu<GpuScatterOp::kSubtract>>},
    kOnHostIfAsked};

}  // namespace millrace::ops
