// Kernels of convolutions for GPUs. The sizes of a gradient's result lie on the
// host, as in TensorFlow.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/convolution/conv_best.gpu.h"
#include "millrace/ops/convolution/conv_call.h"
#include "millrace/ops/convolution/depthwise.gpu.h"

namespace millrace::ops {
namespace {

template <ConvKind kKind, ConvPass kPass, SizesFrom kSizes = SizesFrom::kVector>
class GpuConvKernel {
 public:
  static StatusOr<GpuConvKernel> Make(const KernelInit& init) {
    GpuConvKernel k;
    MR_ASSIGN_OR_RETURN(k.attrs_, ConvAttrs::Make(init, kKind, kPass));
    const DataType type = init.output_type(0);
    if constexpr (kKind == ConvKind::kDepthwise) {
      MR_ASSIGN_OR_RETURN(const auto format,
                          init.Attr<std::string>("data_format"));
      k.conv_ = DepthwiseConv(init, type, kPass, format == "NCHW");
    } else {
      k.conv_ = GpuConv(init, type, kPass);
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const ConvCall call,
                        ConvCall::Of(ctx, attrs_, kKind, kPass, kSizes));
    const ConvProblem& p = call.problem;
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, call.shape));
    if (out->num_elements() == 0) return OkStatus();
    if (p.MultiplyAdds() == 0) {
      return FillGpuBytes(ctx, GpuOutput(*out), 0,
                          static_cast<int64_t>(out->size_bytes()));
    }
    GpuConvData data;
    if (kPass == ConvPass::kForward) {
      data = {GpuInput(ctx.input(0)), GpuInput(ctx.input(1)), GpuOutput(*out)};
    } else if (kPass == ConvPass::kInput) {
      data = {GpuOutput(*out), GpuInput(ctx.input(1)), GpuInput(ctx.input(2))};
    } else {
      data = {GpuInput(ctx.input(0)), GpuOutput(*out), GpuInput(ctx.input(2))};
    }
    return conv_.Run(ctx, p, data);
  }

 private:
  using Conv =
      std::conditional_t<kKind == ConvKind::kDepthwise, DepthwiseConv, GpuConv>;

  ConvAttrs attrs_;
  Conv conv_;
};

using enum ConvKind;
using enum ConvPass;

#define MR_GPU_CONV_TYPES "T: float, bfloat16, half, double"

template <ConvKind kKind>
consteval KernelEntry OfForward(const char* types) {
  return {.types = types, .make = MakeKernel<GpuConvKernel<kKind, kForward>>};
}
template <ConvKind kKind>
consteval KernelEntry OfInput(const char* types) {
  return {.types = types,
          .make = MakeKernel<GpuConvKernel<kKind, kInput>>,
          .host = "input_sizes"};
}
template <ConvKind kKind>
consteval KernelEntry OfFilter(const char* types) {
  return {.types = types,
          .make = MakeKernel<GpuConvKernel<kKind, kFilter>>,
          .host = "filter_sizes"};
}

}  // namespace

MR_KERNELS(Conv2D,
           Gpu){OfForward<k2D>("T: float, bfloat16, half, double, int32")};
MR_KERNELS(Conv2DBackpropInput,
           Gpu){OfInput<k2D>("T: float, bfloat16, half, double, int32")};
MR_KERNELS(Conv2DBackpropFilter, Gpu){OfFilter<k2D>(MR_GPU_CONV_TYPES)};
MR_KERNELS(DepthwiseConv2dNative,
           Gpu){OfForward<kDepthwise>(MR_GPU_CONV_TYPES)};
MR_KERNELS(DepthwiseConv2dNativeBackpropInput,
           Gpu){OfInput<kDepthwise>(MR_GPU_CONV_TYPES)};
MR_KERNELS(DepthwiseConv2dNativeBackpropFilter,
           Gpu){OfFilter<kDepthwise>(MR_GPU_CONV_TYPES)};
MR_KERNELS(Conv3D, Gpu){OfForward<k3D>(MR_GPU_CONV_TYPES)};
MR_KERNELS(Conv3DBackpropInputV2, Gpu){OfInput<k3D>(MR_GPU_CONV_TYPES)};
MR_KERNELS(Conv3DBackpropFilterV2, Gpu){OfFilter<k3D>(MR_GPU_CONV_TYPES)};
MR_KERNELS(Conv3DBackpropInput, Gpu){
    {.types = "T: float, half, double",
     .make = MakeKernel<GpuConvKernel<k3D, kInput, SizesFrom::kTensor>>}};
MR_KERNELS(Conv3DBackpropFilter, Gpu){
    {.types = "T: float, half, double",
     .make = MakeKernel<GpuConvKernel<k3D, kFilter, SizesFrom::kTensor>>}};

}  // namespace millrace::ops
