#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/indexing/nd_index.h"
#include "millrace/ops/state/scatter.gpu.h"

namespace millrace::ops {
namespace {

// Coordinates out of range are passed over, as in TensorFlow on GPUs.
class ScatterNdGpu {
 public:
  static StatusOr<ScatterNdGpu> Make(const KernelInit& init) {
    ScatterNdGpu k;
    MR_RETURN_IF_ERROR(BadIndicesPolicy(init.node().attrs).status());
    MR_ASSIGN_OR_RETURN(k.mover_, GpuMover::Make(init, {.copies = false}));
    MR_ASSIGN_OR_RETURN(k.scatter_,
                        GpuScatter::Make(init, GpuScatterOp::kAdd,
                                         RemoveRef(init.input_type(1)),
                                         RemoveRef(init.input_type(0))));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& indices = ctx.input(0);
    const Tensor& updates = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const TensorShape shape,
                        ScatterNdShape(indices, updates, ctx.input(2)));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    MR_RETURN_IF_ERROR(mover_.Zero(ctx, out));
    if (updates.num_elements() == 0) return OkStatus();
    const int last = indices.rank() - 1;
    const DimVector dims = shape.dims();
    return scatter_.Run(
        ctx, *out, indices, indices.shape().NumElements(0, last),
        absl::MakeConstSpan(dims).first(static_cast<size_t>(indices.dim(last))),
        updates);
  }

 private:
  GpuMover mover_;
  GpuScatter scatter_;
};

}  // namespace

MR_KERNELS(ScatterNd, Gpu){
    {.types = "T: " MR_GPU_TYPES "; Tindices: int32, int64",
     .make = MakeKernel<ScatterNdGpu>,
     .host = "shape"},
    {.types = "T: int32; Tindices: int32, int64", .make = OnHost, .host = "*"}};

}  // namespace millrace::ops
