// Kernels of convolutions: the fastest one, and plain loops for the other types
// and as the reference.
#include <cstring>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/convolution/conv_best.h"
#include "millrace/ops/convolution/conv_call.h"

namespace millrace::ops {
namespace {

class PlainConvRunner {
 public:
  Status Run(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
             const ConvData& data) const {
    return RunPlainConv(ctx, pass, p, data);
  }
};

char* Elements(const Tensor& t) { return const_cast<char*>(t.data()); }

template <ConvKind kKind, ConvPass kPass, SizesFrom kSizes, class Runner>
class ConvKernel {
 public:
  static StatusOr<ConvKernel> Make(const KernelInit& init) {
    ConvKernel k;
    MR_ASSIGN_OR_RETURN(k.attrs_, ConvAttrs::Make(init, kKind, kPass));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const ConvCall call,
                        ConvCall::Of(ctx, attrs_, kKind, kPass, kSizes));
    const ConvProblem& p = call.problem;
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, call.shape));
    if (out->num_elements() == 0) return OkStatus();
    if (p.MultiplyAdds() == 0) {
      std::memset(out->mutable_data(), 0,
                  static_cast<size_t>(out->num_elements()) * SizeOf(p.type));
      return OkStatus();
    }
    ConvData data{Elements(ctx.input(0)), Elements(ctx.input(1)), nullptr};
    if (kPass != ConvPass::kForward) data.output = Elements(ctx.input(2));
    (kPass == ConvPass::kInput    ? data.input
     : kPass == ConvPass::kFilter ? data.filter
                                  : data.output) = out->mutable_data();
    return runner_.Run(ctx, kPass, p, data);
  }

 private:
  ConvAttrs attrs_;
  Runner runner_;
};

template <ConvKind kKind, ConvPass kPass, SizesFrom kSizes = SizesFrom::kVector>
constexpr KernelMaker kBest =
    MakeKernel<ConvKernel<kKind, kPass, kSizes, BestConv>>;
template <ConvKind kKind, ConvPass kPass, SizesFrom kSizes = SizesFrom::kVector>
constexpr KernelMaker kPlain =
    MakeKernel<ConvKernel<kKind, kPass, kSizes, PlainConvRunner>>;

// Declares a kernel for the types with a fast algorithm.
template <ConvKind kKind, ConvPass kPass>
consteval KernelEntry Best() {
  return {.types = "T: float, bfloat16, half", .make = kBest<kKind, kPass>};
}
// Declares a kernel for all types of real numbers.
template <ConvKind kKind, ConvPass kPass>
consteval KernelEntry Plain() {
  return {.types = "T: float, bfloat16, half, double",
          .make = kPlain<kKind, kPass>};
}
// Declares a kernel that takes int32, too.
template <ConvKind kKind, ConvPass kPass>
consteval KernelEntry PlainWithInt() {
  return {.types = "T: float, bfloat16, half, double, int32",
          .make = kPlain<kKind, kPass>};
}

using enum ConvKind;
using enum ConvPass;

}  // namespace

MR_KERNELS(Conv2D, Cpu){Best<k2D, kForward>(), PlainWithInt<k2D, kForward>()};
MR_KERNELS(Conv2DBackpropInput, Cpu){Best<k2D, kInput>(),
                                     PlainWithInt<k2D, kInput>()};
MR_KERNELS(Conv2DBackpropFilter, Cpu){Best<k2D, kFilter>(),
                                      Plain<k2D, kFilter>()};
MR_KERNELS(DepthwiseConv2dNative, Cpu){Best<kDepthwise, kForward>(),
                                       Plain<kDepthwise, kForward>()};
MR_KERNELS(DepthwiseConv2dNativeBackpropInput, Cpu){
    Best<kDepthwise, kInput>(), Plain<kDepthwise, kInput>()};
MR_KERNELS(DepthwiseConv2dNativeBackpropFilter, Cpu){
    Best<kDepthwise, kFilter>(), Plain<kDepthwise, kFilter>()};
MR_KERNELS(Conv3D, Cpu){Best<k3D, kForward>(), Plain<k3D, kForward>()};
MR_KERNELS(Conv3DBackpropInputV2, Cpu){Best<k3D, kInput>(),
                                       Plain<k3D, kInput>()};
MR_KERNELS(Conv3DBackpropFilterV2, Cpu){Best<k3D, kFilter>(),
                                        Plain<k3D, kFilter>()};
MR_KERNELS(Conv3DBackpropInput, Cpu){
    {.types = "T: float, half", .make = kBest<k3D, kInput, SizesFrom::kTensor>},
    {.types = "T: float, half, double",
     .make = kPlain<k3D, kInput, SizesFrom::kTensor>}};
MR_KERNELS(Conv3DBackpropFilter, Cpu){
    {.types = "T: float, half",
     .make = kBest<k3D, kFilter, SizesFrom::kTensor>},
    {.types = "T: float, half, double",
     .make = kPlain<k3D, kFilter, SizesFrom::kTensor>}};

}  // namespace millrace::ops
