// Gradients of max pooling that are given the largest elements, for GPUs. As in
// TensorFlow, an argmax outside of its image is left out there, and no error.
// Sums are made in the order of the windows, as on CPUs.
#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/pooling/max_pool.h"
#include "millrace/ops/state/scatter.gpu.h"

MR_GPU_SOURCE(pooling_max_pool_scatter);

namespace millrace::ops {
namespace {

template <ByArgmax kWay>
class GpuByArgmaxKernel : public MaxPoolBase {
 public:
  static StatusOr<GpuByArgmaxKernel> Make(const KernelInit& init) {
    GpuByArgmaxKernel k;
    MR_RETURN_IF_ERROR(k.Init(init));
    MR_ASSIGN_OR_RETURN(k.with_batch_,
                        init.Attr<bool>("include_batch_in_index"));
    MR_ASSIGN_OR_RETURN(
        k.function_,
        LoadGpuFunction(
            init, MR_GPU_SOURCE_OF(pooling_max_pool_scatter),
            kWay == ByArgmax::kScatter ? "PlacesByArgmax" : "GatherByArgmax",
            {{"T", GpuTypeName(init.input_type(0))}}));
    if (kWay == ByArgmax::kScatter) {
      MR_ASSIGN_OR_RETURN(
          k.scatter_, GpuScatter::Make(init, GpuScatterOp::kAdd,
                                       init.input_type(0), DataType::kInt64));
    }
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    const Tensor& grad = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const PoolAttrs attrs, Attrs(ctx, 3));
    MR_ASSIGN_OR_RETURN(const MaxPoolCall call,
                        MaxPoolCall::OfGradByArgmax(ctx, attrs, kWay));
    const PoolProblem& p = call.problem;
    MR_ASSIGN_OR_RETURN(
        Tensor* const out,
        ctx.AllocateOutput(
            0, kWay == ByArgmax::kScatter ? x.shape() : call.output));
    if (out->num_elements() == 0) return OkStatus();
    const int64_t n = call.output.num_elements();
    const int64_t windows = p.OutputPixels() * p.channels;
    const int64_t image = p.InputPixels() * p.channels;
    const int with_batch = with_batch_ ? 1 : 0;
    if (kWay == ByArgmax::kGather) {
      return LaunchGpu(ctx, function_, GridOver(n), GpuInput(grad),
                       GpuInput(ctx.input(2)), GpuOutput(*out), n, windows,
                       image, with_batch);
    }
    MR_RETURN_IF_ERROR(FillGpuBytes(ctx, GpuOutput(*out), 0,
                                    static_cast<int64_t>(out->size_bytes())));
    if (n == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(Tensor places,
                        ctx.AllocateTemp(DataType::kInt64, TensorShape({n})));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, function_, GridOver(n),
                                 GpuInput(ctx.input(2)), GpuOutput(places), n,
                                 windows, image, with_batch));
    return scatter_.RunByPlace(ctx, *out, places, grad);
  }

 private:
  bool with_batch_ = false;
  GpuFunction function_;
  GpuScatter scatter_;
};

}  // namespace

MR_KERNELS(MaxPoolGradWithArgmax,
           Gpu){{.types = "T: half, bfloat16, float, double; Targmax: int64",
                 .make = MakeKernel<GpuByArgmaxKernel<ByArgmax::kScatter>>}};
MR_KERNELS(MaxPoolGradGradWithArgmax,
           Gpu){{.types = "T: half, bfloat16, float, double; Targmax: int64",
                 .make = MakeKernel<GpuByArgmaxKernel<ByArgmax::kGather>>}};

}  // namespace millrace::ops
