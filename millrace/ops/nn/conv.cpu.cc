// Convolutions by oneDNN, which knows float and bfloat16; others and what it
// does not take go to the plain loops.
#include <cstring>

#include "millrace/device/cpu/dnnl.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/nn/conv_problem.h"

namespace millrace::ops {
namespace {

using dnnl::memory;

// oneDNN cannot be cancelled: a batch is cut into parts of this many
// multiply-adds, which take some tenths of a second.
constexpr int64_t kLongestPart = int64_t{1} << 34;

struct Primitive {
  dnnl::primitive primitive;
  memory::desc input, filter, output;  // as oneDNN wants them
  memory::desc plain_filter;           // as it is given
  dnnl::reorder reorder;               // of the filter, if they differ
  bool reorders = false;
};

class DnnlConv {
 public:
  Status Run(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
             const ConvData& data) const {
    if (p.type == DataType::kHalf) return ThroughFloat(ctx, pass, p, data);
    // A filter's gradient adds up over the batch, so it is one part.
    const int64_t image = std::max<int64_t>(1, p.MultiplyAdds() / p.batch);
    const int64_t part = pass == ConvPass::kFilter
                             ? p.batch
                             : std::max<int64_t>(1, kLongestPart / image);
    const auto bytes = static_cast<int64_t>(SizeOf(p.type));
    for (int64_t first = 0; first < p.batch; first += part) {
      if (first > 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      ConvProblem q = p;
      q.batch = std::min(part, p.batch - first);
      ConvData at = data;
      at.input += first * p.InputPixels() * p.in_depth * bytes;
      at.output += first * p.OutputPixels() * p.out_depth * bytes;
      const Status status = RunPart(ctx, pass, q, at);
      if (status.code() == StatusCode::kUnimplemented) {
        // Machines without AVX-512 lack bfloat16.
        return p.type == DataType::kFloat ? RunPlainConv(ctx, pass, p, data)
                                          : ThroughFloat(ctx, pass, p, data);
      }
      MR_RETURN_IF_ERROR(status);
    }
    return OkStatus();
  }

 private:
  Status ThroughFloat(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
                      const ConvData& data) const {
    return ConvThroughFloat(
        ctx, pass, p, data,
        [this](KernelContext& ctx, ConvPass pass, const ConvProblem& p,
               const ConvData& data) { return Run(ctx, pass, p, data); });
  }

  Status RunPart(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
                 const ConvData& data) const {
    const DnnlRun run(ctx, p.MultiplyAdds());
    DnnlCache<Primitive>::Key key = {static_cast<int64_t>(pass), p.batch,
                                     p.in_depth, p.out_depth, p.groups};
    for (const Window& w : p.window) {
      for (const int64_t n : {w.input, w.filter, w.stride, w.dilation, w.output,
                              w.before, w.after}) {
        key.push_back(n);
      }
    }
    MR_ASSIGN(const auto made,
              cache_.Get(std::move(key), run, [&] { return Make(pass, p); }));
    const char* filter = data.filter;
    Tensor packed;
    if (made->reorders) {
      MR_ASSIGN(packed, ctx.AllocateTemp(DataType::kUint8,
                                         TensorShape({static_cast<int64_t>(
                                             made->filter.get_size())})));
      filter = packed.mutable_data();
      if (pass != ConvPass::kFilter) {
        MR_RETURN_IF_ERROR(run.Execute(
            made->reorder,
            {{DNNL_ARG_FROM, DnnlMemory(made->plain_filter, data.filter)},
             {DNNL_ARG_TO, DnnlMemory(made->filter, filter)}}));
      }
    }
    const bool forward = pass == ConvPass::kForward;
    MR_RETURN_IF_ERROR(run.Execute(
        made->primitive,
        {{pass == ConvPass::kInput ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC,
          DnnlMemory(made->input, data.input)},
         {pass == ConvPass::kFilter ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS,
          DnnlMemory(made->filter, filter)},
         {forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST,
          DnnlMemory(made->output, data.output)}}));
    if (made->reorders && pass == ConvPass::kFilter) {
      return run.Execute(
          made->reorder,
          {{DNNL_ARG_FROM, DnnlMemory(made->filter, filter)},
           {DNNL_ARG_TO, DnnlMemory(made->plain_filter, data.filter)}});
    }
    return OkStatus();
  }

  // A [batch, channels, spatial ...] tensor in either format.
  static memory::desc Image(const ConvProblem& p, memory::data_type type,
                            int64_t channels, int64_t Window::*size) {
    memory::dims dims = {p.batch, channels};
    for (int i = kMaxSpatial - p.spatial; i < kMaxSpatial; ++i) {
      dims.push_back(p.window[i].*size);
    }
    memory::dims strides(dims.size());
    int64_t stride = p.channels_first ? 1 : channels;
    for (size_t i = dims.size() - 1; i >= 2; --i) {
      strides[i] = stride;
      stride *= dims[i];
    }
    strides[1] = p.channels_first ? stride : 1;
    strides[0] = p.channels_first ? stride * channels : stride;
    return memory::desc(dims, type, strides);
  }

  static StatusOr<Primitive> Make(ConvPass pass, const ConvProblem& p) {
    MR_ASSIGN(const memory::data_type type, DnnlType(p.type));
    Primitive made;
    made.input = Image(p, type, p.in_depth, &Window::input);
    made.output = Image(p, type, p.out_depth, &Window::output);
    const int64_t in = p.in_depth / p.groups, out = p.out_depth / p.groups;
    memory::dims dims, steps, strides, dilations, before, after;
    if (p.groups > 1) {
      dims = {p.groups, out, in};
      steps = {out, 1, p.out_depth};
    } else {
      dims = {out, in};
      steps = {1, p.out_depth};
    }
    int64_t step = p.FilterSize();
    for (int i = kMaxSpatial - p.spatial; i < kMaxSpatial; ++i) {
      const Window& w = p.window[i];
      step /= w.filter;
      dims.push_back(w.filter);
      steps.push_back(step);
      strides.push_back(w.stride);
      dilations.push_back(w.dilation - 1);
      before.push_back(w.before);
      // What the last window needs, which may leave a rest of the input.
      after.push_back((w.output - 1) * w.stride + w.span() - w.input -
                      w.before);
    }
    made.plain_filter = memory::desc(dims, type, steps);
    const memory::desc any(dims, type, memory::format_tag::any);
    const auto algorithm = dnnl::algorithm::convolution_direct;
    const dnnl::convolution_forward::primitive_desc forward(
        dnnl::convolution_forward::desc(pass == ConvPass::kForward
                                            ? dnnl::prop_kind::forward_inference
                                            : dnnl::prop_kind::forward_training,
                                        algorithm, made.input, any, made.output,
                                        strides, dilations, before, after),
        DnnlAttr(), DnnlEngine());
    if (pass == ConvPass::kForward) {
      made.filter = forward.weights_desc();
      made.primitive = dnnl::convolution_forward(forward);
    } else if (pass == ConvPass::kInput) {
      const dnnl::convolution_backward_data::primitive_desc pd(
          dnnl::convolution_backward_data::desc(algorithm, made.input, any,
                                                made.output, strides, dilations,
                                                before, after),
          DnnlAttr(), DnnlEngine(), forward);
      made.filter = pd.weights_desc();
      made.primitive = dnnl::convolution_backward_data(pd);
    } else {
      const dnnl::convolution_backward_weights::primitive_desc pd(
          dnnl::convolution_backward_weights::desc(algorithm, made.input, any,
                                                   made.output, strides,
                                                   dilations, before, after),
          DnnlAttr(), DnnlEngine(), forward);
      made.filter = pd.diff_weights_desc();
      made.primitive = dnnl::convolution_backward_weights(pd);
    }
    made.reorders = made.filter != made.plain_filter;
    if (made.reorders) {
      const bool gives = pass == ConvPass::kFilter;
      made.reorder = dnnl::reorder(dnnl::reorder::primitive_desc(
          DnnlEngine(), gives ? made.filter : made.plain_filter, DnnlEngine(),
          gives ? made.plain_filter : made.filter, DnnlAttr()));
    }
    return made;
  }

  DnnlCache<Primitive> cache_;
};

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
    if (sizes.rank() != 2 || ctx.input(1).rank() != 4 ||
        ctx.input(2).rank() != 4) {
      return sizes;
    }
    return attrs_.FromSpatial(sizes, ctx.input(2).dim(0), ctx.input(1).dim(2));
  }

  ConvAttrs attrs_;
  Runner runner_;
  bool sizes_of_tensor_ = false;
};

template <ConvPass kPass>
constexpr KernelMaker kBest = MakeKernel<ConvKernel<kPass, DnnlConv>>;
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
}  // namespace millrace::ops

using namespace millrace;
using namespace millrace::ops;

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
