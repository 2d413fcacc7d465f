#include "millrace/ops/convolution/conv_dnnl.h"

#include <algorithm>

namespace millrace::ops {
namespace {

using dnnl::memory;

// oneDNN cannot be cancelled, so a batch is cut into parts of this many
// multiply-adds, which take some tenths of a second.
constexpr int64_t kLongestPart = int64_t{1} << 34;

// Describes a [batch, channels, spatial ...] tensor in either format.
memory::desc Image(const ConvProblem& p, memory::data_type type,
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

}  // namespace

Status DnnlConv::Run(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
                     const ConvData& data) const {
  // The gradient of a filter is a sum over the batch, so it is one part.
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
      // Machines without AVX-512 do not support bfloat16.
      return p.type == DataType::kFloat ? RunPlainConv(ctx, pass, p, data)
                                        : ThroughFloat(ctx, pass, p, data);
    }
    MR_RETURN_IF_ERROR(status);
  }
  return OkStatus();
}

Status DnnlConv::ThroughFloat(KernelContext& ctx, ConvPass pass,
                              const ConvProblem& p,
                              const ConvData& data) const {
  return ConvThroughFloat(
      ctx, pass, p, data,
      [this](KernelContext& ctx, ConvPass pass, const ConvProblem& p,
             const ConvData& data) { return Run(ctx, pass, p, data); });
}

Status DnnlConv::RunPart(KernelContext& ctx, ConvPass pass,
                         const ConvProblem& p, const ConvData& data) const {
  const DnnlRun run(ctx, p.MultiplyAdds());
  DnnlCache<Primitive>::Key key = {static_cast<int64_t>(pass),
                                   static_cast<int64_t>(p.type),
                                   p.batch,
                                   p.in_depth,
                                   p.out_depth,
                                   p.groups};
  for (const Window& w : p.window) {
    for (const int64_t n : {w.input, w.filter, w.stride, w.dilation, w.output,
                            w.before, w.after}) {
      key.push_back(n);
    }
  }
  MR_ASSIGN_OR_RETURN(const auto made, cache_.Get(std::move(key), run, [&] {
    return Make(pass, p);
  }));
  const char* filter = data.filter;
  Tensor packed;
  if (made->reorders) {
    MR_ASSIGN_OR_RETURN(
        packed,
        ctx.AllocateTemp(
            DataType::kUint8,
            TensorShape({static_cast<int64_t>(made->filter.get_size())})));
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

StatusOr<DnnlConv::Primitive> DnnlConv::Make(ConvPass pass,
                                             const ConvProblem& p) {
  MR_ASSIGN_OR_RETURN(const memory::data_type type, DnnlType(p.type));
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
    // The padding that the last window needs; it is negative if a rest of the
    // input is not read.
    after.push_back((w.output - 1) * w.stride + w.span() - w.input - w.before);
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

}  // namespace millrace::ops
