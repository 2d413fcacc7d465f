#include "millrace/ops/convolution/conv_best.gpu.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace millrace::ops {
namespace {

// Returns the convolution of images with channels last as a product of
// matrices: where a window is one pixel and each pixel has a window, or where
// the only window is the whole image.
std::optional<MatrixProblem> ForwardAsProduct(const ConvProblem& p) {
  if (p.channels_first || p.groups != 1) return std::nullopt;
  bool pixels = true, images = true;
  for (const Window& w : p.window) {
    const bool unpadded = w.before == 0 && w.after == 0;
    pixels &= unpadded && w.filter == 1 && w.stride == 1;
    images &= unpadded && w.filter == w.input && w.output == 1 &&
              (w.dilation == 1 || w.filter == 1);
  }
  if (!pixels && !images) return std::nullopt;
  MatrixProblem product;
  product.type = p.type;
  product.m = pixels ? p.batch * p.OutputPixels() : p.batch;
  product.k = pixels ? p.in_depth : p.InputPixels() * p.in_depth;
  product.n = p.out_depth;
  return product;
}

// Sets `room` to elements of a new tensor. Returns false if there is no memory
// for it, which another way to convolve does not need.
StatusOr<bool> TakeRoom(KernelContext& ctx, DataType type, int64_t elements,
                        Tensor* room) {
  StatusOr<Tensor> taken = ctx.AllocateTemp(type, TensorShape({elements}));
  if (taken.status().code() == StatusCode::kResourceExhausted) return false;
  MR_ASSIGN_OR_RETURN(*room, std::move(taken));
  return true;
}

int64_t WholePadding(const Window& w) { return std::min(w.before, w.after); }

bool IsPaddedAlike(const ConvProblem& p) {
  for (const Window& w : p.window) {
    // What is behind the last window does not matter.
    const int64_t read = (w.output - 1) * w.stride + w.span() - w.before;
    if (w.before != w.after && read - w.input != w.before) return false;
  }
  return true;
}

}  // namespace

Status GpuConv::RunAsProduct(KernelContext& ctx, const MatrixProblem& forward,
                             const GpuConvData& data) const {
  MatrixProblem p = forward;
  switch (pass_) {
    case ConvPass::kForward:
      return product_.Run(ctx, p, data.input, data.filter, data.output);
    case ConvPass::kInput:
      p.transpose_b = true;
      std::swap(p.k, p.n);
      return product_.Run(ctx, p, data.output, data.filter, data.input);
    case ConvPass::kFilter:
      p.transpose_a = true;
      p.m = forward.k;
      p.k = forward.m;
      return product_.Run(ctx, p, data.input, data.output, data.filter);
  }
  return OkStatus();
}

StatusOr<bool> GpuConv::RunPadded(KernelContext& ctx, const ConvProblem& p,
                                  const GpuConvData& data) const {
  cuda::Convolution c;
  c.pass = pass_ == ConvPass::kForward ? cuda::ConvolutionPass::kForward
           : pass_ == ConvPass::kInput ? cuda::ConvolutionPass::kInput
                                       : cuda::ConvolutionPass::kFilter;
  c.type = type_;
  c.channels_last = !p.channels_first;
  c.spatial = p.spatial;
  c.batch = p.batch;
  c.in_depth = p.in_depth;
  c.out_depth = p.out_depth;
  c.groups = p.groups;
  for (int i = 0; i < p.spatial; ++i) {
    const Window& w = p.window[kMaxSpatial - p.spatial + i];
    const auto at = static_cast<size_t>(i);
    c.in[at] = w.input;
    c.out[at] = w.output;
    c.filter[at] = w.filter;
    c.stride[at] = w.stride;
    c.dilation[at] = w.dilation;
    c.padding[at] = w.before;
  }
  c.input = data.input;
  c.filters = data.filter;
  c.output = data.output;
  return cuda::ConvolveByLibrary(ctx, c);
}

StatusOr<bool> GpuConv::RunByLibrary(KernelContext& ctx, const ConvProblem& p,
                                     const GpuConvData& data) const {
  ConvProblem padded = p;
  GpuConvData of_padded = data;
  ImageWindow window;
  const bool pads = !IsPaddedAlike(p);
  Tensor wide_input;
  window.images = p.channels_first ? p.batch * p.in_depth : p.batch;
  window.inner = p.channels_first ? 1 : p.in_depth;
  for (int i = 0; i < kMaxSpatial; ++i) {
    Window& w = padded.window[i];
    const int64_t whole = pads ? WholePadding(w) : w.before;
    window.from[i] = w.input;
    window.offset[i] = whole - w.before;
    if (pads) w.input += w.before + w.after - 2 * whole;
    window.to[i] = w.input;
    w.before = w.after = whole;
  }
  if (pads) {
    MR_ASSIGN_OR_RETURN(const bool has_room,
                        TakeRoom(ctx, type_, padded.InputSize(), &wide_input));
    if (!has_room) return false;
    of_padded.input = GpuOutput(wide_input);
    if (pass_ != ConvPass::kInput) {
      MR_RETURN_IF_ERROR(
          images_.CopyWindow(ctx, window, data.input, of_padded.input));
    }
  }
  Tensor filter;
  MR_ASSIGN_OR_RETURN(const bool has_filter,
                      TakeRoom(ctx, type_, p.FilterSize(), &filter));
  if (!has_filter) return false;
  of_padded.filter = GpuOutput(filter);
  if (pass_ != ConvPass::kFilter) {
    MR_RETURN_IF_ERROR(images_.OrderFilter(ctx, p, !p.channels_first,
                                           ConvImages::Direction::kToLibrary,
                                           data.filter, of_padded.filter));
  }
  MR_ASSIGN_OR_RETURN(const bool done, RunPadded(ctx, padded, of_padded));
  if (!done) return false;
  if (pass_ == ConvPass::kFilter) {
    MR_RETURN_IF_ERROR(images_.OrderFilter(ctx, p, !p.channels_first,
                                           ConvImages::Direction::kBack,
                                           of_padded.filter, data.filter));
  }
  if (pass_ == ConvPass::kInput && pads) {
    std::swap(window.from, window.to);
    for (int64_t& offset : window.offset) offset = -offset;
    MR_RETURN_IF_ERROR(
        images_.CopyWindow(ctx, window, of_padded.input, data.input));
  }
  return true;
}

StatusOr<bool> GpuConv::RunTransposed(KernelContext& ctx, const ConvProblem& p,
                                      const GpuConvData& data) const {
  ConvProblem first = p;
  first.channels_first = true;
  GpuConvData transposed = data;
  Tensor input, output;
  if (p.in_depth > 1 && p.InputPixels() > 1) {
    MR_ASSIGN_OR_RETURN(const bool has_room,
                        TakeRoom(ctx, type_, p.InputSize(), &input));
    if (!has_room) return false;
    transposed.input = GpuOutput(input);
    if (pass_ != ConvPass::kInput) {
      MR_RETURN_IF_ERROR(images_.Transpose(ctx, data.input, transposed.input,
                                           p.batch, p.InputPixels(),
                                           p.in_depth));
    }
  }
  if (p.out_depth > 1 && p.OutputPixels() > 1) {
    MR_ASSIGN_OR_RETURN(const bool has_room,
                        TakeRoom(ctx, type_, p.OutputSize(), &output));
    if (!has_room) return false;
    transposed.output = GpuOutput(output);
    if (pass_ != ConvPass::kForward) {
      MR_RETURN_IF_ERROR(images_.Transpose(ctx, data.output, transposed.output,
                                           p.batch, p.OutputPixels(),
                                           p.out_depth));
    }
  }
  MR_ASSIGN_OR_RETURN(const bool done, RunByLibrary(ctx, first, transposed));
  if (!done) return false;
  if (pass_ == ConvPass::kInput && input.valid()) {
    MR_RETURN_IF_ERROR(images_.Transpose(ctx, transposed.input, data.input,
                                         p.batch, p.in_depth, p.InputPixels()));
  }
  if (pass_ == ConvPass::kForward && output.valid()) {
    MR_RETURN_IF_ERROR(images_.Transpose(ctx, transposed.output, data.output,
                                         p.batch, p.out_depth,
                                         p.OutputPixels()));
  }
  return true;
}

Status GpuConv::Run(KernelContext& ctx, const ConvProblem& p,
                    const GpuConvData& data) const {
  if (const auto product = ForwardAsProduct(p)) {
    return RunAsProduct(ctx, *product, data);
  }
  bool by_library = false;
  if (type_ != DataType::kInt32) {
    MR_ASSIGN_OR_RETURN(by_library, cuda::HasConvolutions(ctx));
  }
  if (by_library) {
    MR_ASSIGN_OR_RETURN(bool done, RunByLibrary(ctx, p, data));
    if (!done && !p.channels_first) {
      MR_ASSIGN_OR_RETURN(done, RunTransposed(ctx, p, data));
    }
    if (done) return OkStatus();
  }
  return tiled_.Run(ctx, p, data);
}

}  // namespace millrace::ops
