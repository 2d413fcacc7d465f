// Kernels of greyscale dilations for GPUs. Those of gradients add in the order
// of the windows, as on CPUs.
#include <utility>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/pooling/dilation_problem.h"
#include "millrace/ops/state/scatter.gpu.h"

MR_GPU_SOURCE(pooling_dilation);

namespace millrace::ops {
namespace {

// DilationNumbers of dilation.gpu.cu.
struct DilationNumbers {
  int64_t batch, depth;
  int64_t in[2], filter[2], stride[2], rate[2], out[2], before[2];

  explicit DilationNumbers(const DilationSizes& s)
      : batch(s.batch), depth(s.depth) {
    for (int i = 0; i < 2; ++i) {
      const DilationDim& d = i == 0 ? s.y : s.x;
      in[i] = d.input;
      filter[i] = d.filter;
      stride[i] = d.stride;
      rate[i] = d.rate;
      out[i] = d.output;
      before[i] = d.before;
    }
  }
};

StatusOr<GpuFunction> LoadDilation(const KernelInit& init, const char* entry) {
  return LoadGpuFunction(init, MR_GPU_SOURCE_OF(pooling_dilation), entry,
                         {{"T", GpuTypeName(init.input_type(0))}});
}

class GpuDilationKernel {
 public:
  static StatusOr<GpuDilationKernel> Make(const KernelInit& init) {
    GpuDilationKernel k;
    MR_ASSIGN_OR_RETURN(k.attrs_, DilationAttrs::Read(init));
    MR_ASSIGN_OR_RETURN(k.function_, LoadDilation(init, "Dilate"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& in = ctx.input(0);
    const Tensor& filter = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const DilationSizes s,
                        attrs_.Resolve(in.shape(), filter.shape()));
    MR_ASSIGN_OR_RETURN(
        TensorShape shape,
        TensorShape::Make({s.batch, s.y.output, s.x.output, s.depth}));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    return LaunchGpu(ctx, function_, GridOver(out->num_elements()),
                     DilationNumbers(s), GpuInput(in), GpuInput(filter),
                     GpuOutput(*out));
  }

 private:
  DilationAttrs attrs_;
  GpuFunction function_;
};

// kResult is the input whose gradient is computed.
template <int kResult>
class GpuDilationGradKernel {
 public:
  static StatusOr<GpuDilationGradKernel> Make(const KernelInit& init) {
    GpuDilationGradKernel k;
    MR_ASSIGN_OR_RETURN(k.attrs_, DilationAttrs::Read(init));
    MR_ASSIGN_OR_RETURN(
        k.function_,
        LoadDilation(init, kResult == 0 ? "PlacesInInput" : "PlacesInFilter"));
    MR_ASSIGN_OR_RETURN(k.scatter_,
                        GpuScatter::Make(init, GpuScatterOp::kAdd,
                                         init.input_type(0), DataType::kInt64));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& in = ctx.input(0);
    const Tensor& filter = ctx.input(1);
    const Tensor& grad = ctx.input(2);
    MR_ASSIGN_OR_RETURN(const DilationSizes s,
                        attrs_.Resolve(in.shape(), filter.shape()));
    MR_RETURN_IF_ERROR(CheckDilationGradient(grad, s));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, ctx.input(kResult).shape()));
    if (out->num_elements() == 0) return OkStatus();
    MR_RETURN_IF_ERROR(FillGpuBytes(ctx, GpuOutput(*out), 0,
                                    static_cast<int64_t>(out->size_bytes())));
    const int64_t n = grad.num_elements();
    if (n == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(Tensor places,
                        ctx.AllocateTemp(DataType::kInt64, TensorShape({n})));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, function_, GridOver(n),
                                 DilationNumbers(s), GpuInput(in),
                                 GpuInput(filter), GpuOutput(places)));
    return scatter_.RunByPlace(ctx, *out, places, grad);
  }

 private:
  DilationAttrs attrs_;
  GpuFunction function_;
  GpuScatter scatter_;
};

#define MR_GPU_DILATION_TYPES "T: half, bfloat16, float, double"

}  // namespace

MR_KERNELS(Dilation2D, Gpu){
    {.types = MR_GPU_DILATION_TYPES, .make = MakeKernel<GpuDilationKernel>}};
MR_KERNELS(Dilation2DBackpropInput,
           Gpu){{.types = MR_GPU_DILATION_TYPES,
                 .make = MakeKernel<GpuDilationGradKernel<0>>}};
MR_KERNELS(Dilation2DBackpropFilter,
           Gpu){{.types = MR_GPU_DILATION_TYPES,
                 .make = MakeKernel<GpuDilationGradKernel<1>>}};

}  // namespace millrace::ops
