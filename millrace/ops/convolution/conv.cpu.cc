// Kernels of convolutions: the fastest one, and plain loops for the other types
// and as the reference.
#include <cstring>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/convolution/conv_best.h"

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

// The source of the shape of a backward pass's result: the elements of an
// input, or its shape.
enum class SizesFrom { kVector, kTensor };

template <ConvKind kKind, ConvPass kPass, SizesFrom kSizes, class Runner>
class ConvKernel {
 public:
  static StatusOr<ConvKernel> Make(const KernelInit& init) {
    ConvKernel k;
    MR_ASSIGN_OR_RETURN(k.attrs_, ConvAttrs::Make(init, kKind, kPass));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    TensorShape input = ctx.input(0).shape(), filter = ctx.input(1).shape();
    int result = 2;
    if (kPass == ConvPass::kInput) {
      MR_ASSIGN_OR_RETURN(input, InputSizes(ctx));
      result = 0;
    } else if (kPass == ConvPass::kFilter) {
      MR_ASSIGN_OR_RETURN(filter, SizesOf(ctx.input(1)));
      result = 1;
    }
    if (kPass != ConvPass::kForward) {
      MR_RETURN_IF_ERROR(
          attrs_.CheckBackward(input, filter, ctx.input(2).shape()));
    }
    if (kKind == ConvKind::k3D && kPass == ConvPass::kForward &&
        filter.num_elements() == 0) {
      return InvalidArgument(
          "filter must not have zero elements (i.e. all dimensions must be "
          "non-zero)");
    }
    const DataType type = ctx.output_type(0);
    MR_ASSIGN_OR_RETURN(const ConvProblem p,
                        attrs_.Resolve(type, input, filter));
    const TensorShape output = attrs_.OutputShape(p);
    if (kPass != ConvPass::kForward && ctx.input(2).shape() != output) {
      return InvalidArgument(
          "Size of out_backprop doesn't match computed: actual = ",
          ctx.input(2).shape().DebugString(),
          ", computed = ", output.DebugString());
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, result == 0   ? input
                                              : result == 1 ? filter
                                                            : output));
    if (out->num_elements() == 0) return OkStatus();
    if (p.MultiplyAdds() == 0) {
      std::memset(out->mutable_data(), 0,
                  static_cast<size_t>(out->num_elements()) * SizeOf(type));
      return OkStatus();
    }
    ConvData data{Elements(ctx.input(0)), Elements(ctx.input(1)), nullptr};
    if (kPass != ConvPass::kForward) data.output = Elements(ctx.input(2));
    (result == 0   ? data.input
     : result == 1 ? data.filter
                   : data.output) = out->mutable_data();
    return runner_.Run(ctx, kPass, p, data);
  }

 private:
  StatusOr<TensorShape> SizesOf(const Tensor& t) const {
    if (kSizes == SizesFrom::kTensor) return t.shape();
    return attrs_.SizesOf(t);
  }

  // Returns the shape of the input. Stock takes [height, width] for the images
  // of out_backprop, too.
  StatusOr<TensorShape> InputSizes(KernelContext& ctx) const {
    if (kKind != ConvKind::k2D) return SizesOf(ctx.input(0));
    if (ctx.input(2).rank() != 4) {
      return InvalidArgument("input_sizes must be 4-dimensional, got: ",
                             ctx.input(2).rank(), " (of out_backprop)");
    }
    MR_ASSIGN_OR_RETURN(TensorShape sizes, SizesOf(ctx.input(0)));
    if (sizes.rank() == 4) return sizes;
    if (sizes.rank() != 2) {
      return InvalidArgument(
          "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 "
          "values, but got: ",
          sizes.rank());
    }
    if (ctx.input(1).rank() != 4) {
      return InvalidArgument(
          "Conv2DCustomBackpropInput: filter must be 4-dimensional");
    }
    return attrs_.FromSpatial(sizes, ctx.input(2).dim(0), ctx.input(1).dim(2));
  }

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
