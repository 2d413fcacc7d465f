// Kernels of convolutions: the fastest, and plain loops for the other types and
// as the reference.
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

// Input or filter sizes: a vector, or the shape of a tensor.
StatusOr<TensorShape> SizesOf(const Tensor& t, bool is_tensor) {
  if (is_tensor) return t.shape();
  if (t.rank() != 1) {
    return InvalidArgument("sizes input must be 1-dim, not ", t.rank());
  }
  return ShapeFromTensor(t);
}

template <ConvPass kPass, class Runner>
class ConvKernel {
 public:
  static StatusOr<ConvKernel> Make(const KernelInit& init) {
    ConvKernel k;
    MR_ASSIGN(k.attrs_, ConvAttrs::Make(init));
    const std::string& op = init.node().op->name;
    k.sizes_of_tensor_ =
        op == "Conv3DBackpropInput" || op == "Conv3DBackpropFilter";
    return k;
  }

  Status Run(KernelContext& ctx) const {
    TensorShape input = ctx.input(0).shape(), filter = ctx.input(1).shape();
    int result = 2;
    if (kPass == ConvPass::kInput) {
      MR_ASSIGN(input, InputSizes(ctx));
      result = 0;
    } else if (kPass == ConvPass::kFilter) {
      MR_ASSIGN(filter, SizesOf(ctx.input(1), sizes_of_tensor_));
      result = 1;
    }
    const DataType type = ctx.output_type(0);
    MR_ASSIGN(const ConvProblem p, attrs_.Resolve(type, input, filter));
    const TensorShape output = attrs_.OutputShape(p);
    if (kPass != ConvPass::kForward && ctx.input(2).shape() != output) {
      return InvalidArgument(
          "Size of out_backprop doesn't match computed: actual = ",
          ctx.input(2).shape().DebugString(),
          ", computed = ", output.DebugString());
    }
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, result == 0   ? input
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
  // Stock takes [height, width] for the images of out_backprop too.
  StatusOr<TensorShape> InputSizes(KernelContext& ctx) const {
    MR_ASSIGN(TensorShape sizes, SizesOf(ctx.input(0), sizes_of_tensor_));
    if (attrs_.spatial() != 2 || sizes.rank() != 2 ||
        ctx.input(1).rank() != 4 || ctx.input(2).rank() != 4) {
      return sizes;
    }
    return attrs_.FromSpatial(sizes, ctx.input(2).dim(0), ctx.input(1).dim(2));
  }

  ConvAttrs attrs_;
  Runner runner_;
  bool sizes_of_tensor_ = false;
};

template <ConvPass kPass>
constexpr KernelMaker kBest = MakeKernel<ConvKernel<kPass, BestConv>>;
template <ConvPass kPass>
constexpr KernelMaker kPlain = MakeKernel<ConvKernel<kPass, PlainConvRunner>>;

#define MR_BEST(pass) \
  { .types = "T: float, bfloat16, half", .make = kBest<ConvPass::pass> }
#define MR_PLAIN(pass)                           \
  {                                              \
    .types = "T: float, bfloat16, half, double", \
    .make = kPlain<ConvPass::pass>               \
  }
#define MR_PLAIN_WITH_INT(pass)                         \
  {                                                     \
    .types = "T: float, bfloat16, half, double, int32", \
    .make = kPlain<ConvPass::pass>                      \
  }

}  // namespace

MR_KERNELS(Conv2D, Cpu){MR_BEST(kForward), MR_PLAIN_WITH_INT(kForward)};
MR_KERNELS(Conv2DBackpropInput, Cpu){MR_BEST(kInput),
                                     MR_PLAIN_WITH_INT(kInput)};
MR_KERNELS(Conv2DBackpropFilter, Cpu){MR_BEST(kFilter), MR_PLAIN(kFilter)};
MR_KERNELS(DepthwiseConv2dNative, Cpu){MR_BEST(kForward), MR_PLAIN(kForward)};
MR_KERNELS(DepthwiseConv2dNativeBackpropInput, Cpu){MR_BEST(kInput),
                                                    MR_PLAIN(kInput)};
MR_KERNELS(DepthwiseConv2dNativeBackpropFilter, Cpu){MR_BEST(kFilter),
                                                     MR_PLAIN(kFilter)};
MR_KERNELS(Conv3D, Cpu){MR_BEST(kForward), MR_PLAIN(kForward)};
MR_KERNELS(Conv3DBackpropInputV2, Cpu){MR_BEST(kInput), MR_PLAIN(kInput)};
MR_KERNELS(Conv3DBackpropFilterV2, Cpu){MR_BEST(kFilter), MR_PLAIN(kFilter)};
MR_KERNELS(Conv3DBackpropInput, Cpu){
    {.types = "T: float, half", .make = kBest<ConvPass::kInput>},
    {.types = "T: float, half, double", .make = kPlain<ConvPass::kInput>}};
MR_KERNELS(Conv3DBackpropFilter, Cpu){
    {.types = "T: float, half", .make = kBest<ConvPass::kFilter>},
    {.types = "T: float, half, double", .make = kPlain<ConvPass::kFilter>}};

}  // namespace millrace::ops
