#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/indexing/nd_index.h"
#include "millrace/ops/state/scatter.gpu.h"

namespace millrace::ops {
namespace {

// Coordinates out of range are passed over, as in TensorFlow on GPUs.
template <GpuScatterOp kOp, bool kAliases>
class TensorScatterGpu {
 public:
  static StatusOr<TensorScatterGpu> Make(const KernelInit& init) {
    TensorScatterGpu k;
    MR_RETURN_IF_ERROR(BadIndicesPolicy(init.node().attrs).status());
    MR_ASSIGN_OR_RETURN(k.mover_, GpuMover::Make(init, {}));
    MR_ASSIGN_OR_RETURN(
        k.scatter_, GpuScatter::Make(init, kOp, RemoveRef(init.input_type(2)),
                                     RemoveRef(init.input_type(1))));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const TensorShape shape = ctx.input(0).shape();
    const Tensor& updates = ctx.input(2);
    Tensor rows = ctx.input(1);
    if (kAliases) {
      MR_RETURN_IF_ERROR(CheckTensorScatter(rows, updates, shape));
    } else {
      MR_RETURN_IF_ERROR(CheckScatter(ctx.input(1), updates, shape, &rows));
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.ForwardOrAllocateOutput({0}, 0, shape));
    const Tensor& in = ctx.input(0);
    if (in.num_elements() > 0 && in.address() != out->address()) {
      MR_RETURN_IF_ERROR(mover_.CopyAll(ctx, in, out));
    }
    if (updates.num_elements() == 0) return OkStatus();
    const int last = rows.rank() - 1;
    const DimVector dims = shape.dims();
    return scatter_.Run(
        ctx, *out, rows, rows.shape().NumElements(0, last),
        absl::MakeConstSpan(dims).first(static_cast<size_t>(rows.dim(last))),
        updates);
  }

 private:
  GpuMover mover_;
  GpuScatter scatter_;
};

#define MR_SCATTER_ENTRIES(Op, kAliases)                                       \
  {                                                                            \
    {.types = "T: " MR_GPU_TYPES "; Tindices: int32, int64",                   \
     .make = MakeKernel<TensorScatterGpu<Op, kAliases>>},                      \
    {                                                                          \
      .types = "T: int32; Tindices: int32, int64", .make = OnHost, .host = "*" \
    }                                                                          \
  }

}  // namespace

MR_KERNELS(TensorScatterUpdate, Gpu)
MR_SCATTER_ENTRIES(GpuScatterOp::kReplace, true);
MR_KERNELS(TensorScatterAdd, Gpu) MR_SCATTER_ENTRIES(GpuScatterOp::kAdd, true);
MR_KERNELS(TensorScatterSub, Gpu)
MR_SCATTER_ENTRIES(GpuScatterOp::kSubtract, true);
MR_KERNELS(ScatterNdNonAliasingAdd, Gpu)
MR_SCATTER_ENTRIES(GpuScatterOp::kAdd, false);

}  // namespace millrace::ops
