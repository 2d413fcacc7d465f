#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/layout/move_kernels.h"

MR_GPU_SOURCE(layout_mirror_pad);

namespace millrace::ops {
namespace {

constexpr int kMaxMirrored = 8;

class MirrorPadGpu {
 public:
  static StatusOr<MirrorPadGpu> Make(const KernelInit& init) {
    MirrorPadGpu k;
    MR_ASSIGN_OR_RETURN(k.edge_, MirrorEdge(init));
    MR_ASSIGN_OR_RETURN(k.mover_, GpuMover::Make(init, {.pads = true}));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& in = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const std::vector<PaddedDim> plan,
                        PlanMirrorPad(in, ctx.input(1), edge_));
    MR_ASSIGN_OR_RETURN(TensorShape shape, PaddedShape(plan));
    if (shape == in.shape()) {
      ctx.set_output(0, ctx.TakeInput(0));
      return OkStatus();
    }
    MR_RETURN_IF_ERROR(ctx.BindInput(0));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    return mover_.Pad(ctx, in, out, plan,
                      edge_ == 1 ? GpuMover::PadMode::kReflect
                                 : GpuMover::PadMode::kSymmetric,
                      Tensor());
  }

 private:
  int64_t edge_ = 0;
  GpuMover mover_;
};

// As in the device text.
struct MirrorArgs {
  uint64_t from = 0, to = 0;
  int64_t total = 0;
  int rank = 0;
  int64_t edge = 0;
  int64_t sizes[kMaxMirrored] = {}, before[kMaxMirrored] = {},
          after[kMaxMirrored] = {}, strides[kMaxMirrored] = {};
};

class MirrorPadGradGpu {
 public:
  static StatusOr<MirrorPadGradGpu> Make(const KernelInit& init) {
    MirrorPadGradGpu k;
    MR_ASSIGN_OR_RETURN(k.edge_, MirrorEdge(init));
    MR_ASSIGN_OR_RETURN(
        k.fold_, LoadGpuFunction(
                     init, MR_GPU_SOURCE_OF(layout_mirror_pad), "FoldMirrored",
                     {{"T", GpuTypeName(RemoveRef(init.input_type(0)))}}));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& in = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const std::vector<PaddedDim> plan,
                        PlanMirrorPadGrad(in, ctx.input(1), edge_));
    DimVector sizes;
    for (const PaddedDim& p : plan) sizes.push_back(p.size);
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(sizes));
    if (shape == in.shape()) {
      ctx.set_output(0, ctx.TakeInput(0));
      return OkStatus();
    }
    if (in.rank() > kMaxMirrored) {
      return Unimplemented("MirrorPadGrad on GPUs takes at most ", kMaxMirrored,
                           " dimensions, but got ", in.rank());
    }
    MR_RETURN_IF_ERROR(ctx.BindInput(0));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    MirrorArgs a;
    a.from = in.device_address();
    a.to = out->device_address();
    a.total = out->num_elements();
    a.rank = in.rank();
    a.edge = edge_;
    const DimVector strides = RowMajorStrides(in.shape().dims());
    for (int d = 0; d < a.rank; ++d) {
      a.sizes[d] = plan[d].size;
      a.before[d] = plan[d].before;
      a.after[d] = plan[d].after;
      a.strides[d] = strides[d];
    }
    return LaunchGpu(ctx, fold_, GridOver(a.total), a);
  }

 private:
  int64_t edge_ = 0;
  GpuFunction fold_;
};

}  // namespace

MR_KERNELS(MirrorPad, Gpu){{.types = "T: " MR_GPU_TYPES,
                            .make = MakeKernel<MirrorPadGpu>,
                            .host = "paddings",
                            .views = "input"},
                           {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(MirrorPadGrad, Gpu){
    {.types = "T: float, double, half, bfloat16, int64, complex64, "
              "complex128",
     .make = MakeKernel<MirrorPadGradGpu>,
     .host = "paddings",
     .views = "input"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};

}  // namespace millrace::ops
