#include "millrace/ops/convolution/conv_problem.h"

#include <algorithm>

namespace millrace::ops {

StatusOr<ConvAttrs> ConvAttrs::Make(const KernelInit& init, ConvKind kind,
                                    ConvPass pass) {
  ConvAttrs a;
  a.kind_ = kind;
  a.pass_ = pass;
  const int spatial = kind == ConvKind::k3D ? 3 : 2;
  const SlidingRules rules{
      .across_is_invalid = kind != ConvKind::k2D || pass == ConvPass::kFilter,
      .depthwise = kind == ConvKind::kDepthwise};
  MR_ASSIGN_OR_RETURN(a.sliding_,
                      SlidingAttrs::Read(init.node().attrs, spatial, rules));
  return a;
}

Status ConvAttrs::CheckRanks(const TensorShape& input,
                             const TensorShape& filter) const {
  const int rank = sliding_.layout.rank();
  if (kind_ == ConvKind::k3D) {
    if (input.rank() != rank) {
      return InvalidArgument("input must be 5-dimensional");
    }
    if (filter.rank() != rank) {
      return InvalidArgument("filter must be 5-dimensional");
    }
    return OkStatus();
  }
  const bool depthwise = kind_ == ConvKind::kDepthwise;
  const char* const what = depthwise ? "" : "convolution ";
  if (input.rank() != rank) {
    return InvalidArgument(what, "input must be ", rank, "-dimensional",
                           depthwise ? "" : ": ", input.DebugString());
  }
  if (filter.rank() != rank) {
    return InvalidArgument(what, "filter must be ", rank,
                           "-dimensional: ", filter.DebugString());
  }
  return OkStatus();
}

StatusOr<ConvProblem> ConvAttrs::Resolve(DataType type,
                                         const TensorShape& input,
                                         const TensorShape& filter) const {
  const ImageLayout& layout = sliding_.layout;
  MR_RETURN_IF_ERROR(CheckRanks(input, filter));
  ConvProblem p;
  p.type = type;
  p.channels_first = layout.channels_first;
  p.spatial = layout.spatial;
  p.batch = input.dim(0);
  p.in_depth = input.dim(layout.channel_dim());
  const int64_t filter_depth = filter.dim(layout.spatial);
  const int64_t last = filter.dim(layout.spatial + 1);
  if (kind_ == ConvKind::kDepthwise) {
    if (filter_depth != p.in_depth) {
      return InvalidArgument("input and filter must have the same depth: ",
                             p.in_depth, " vs ", filter_depth);
    }
    p.groups = p.in_depth;
    p.out_depth = p.in_depth * last;
  } else {
    if (layout.spatial == 2 && filter_depth == 0) {
      return InvalidArgument("filter depth must be stricly positive, got 0");
    }
    // There may be no output channels: then the result is empty.
    if (pass_ == ConvPass::kForward &&
        filter.NumElements(0, filter.rank() - 1) == 0) {
      return InvalidArgument(
          "filter must not have zero elements (i.e. all dimensions must be "
          "non-zero)");
    }
    const bool volumes = layout.spatial == 3;
    if (filter_depth != 0 && p.in_depth % filter_depth != 0) {
      return InvalidArgument(
          volumes ? "Input" : "input",
          " depth must be evenly divisible by filter depth: ", p.in_depth,
          " vs ", filter_depth);
    }
    if (volumes && p.in_depth != filter_depth) {
      return InvalidArgument("Number of channels in filter (", filter_depth,
                             ") must match last dimension of input (",
                             p.in_depth, ")");
    }
    if (filter_depth != 0) {
      p.groups = std::max<int64_t>(1, p.in_depth / filter_depth);
    }
    p.out_depth = last;
    if (last % p.groups != 0) {
      return InvalidArgument(
          "output depth must be evenly divisible by number of groups: ", last,
          " vs ", p.groups);
    }
  }
  for (int i = 0; i < layout.spatial; ++i) {
    MR_ASSIGN_OR_RETURN(
        p.window[kMaxSpatial - layout.spatial + i],
        sliding_.MakeWindow(WindowPhase::kRun, i,
                            input.dim(layout.spatial_dim(i)), filter.dim(i)));
  }
  // Padding can make the size of the output overflow.
  int64_t sizes[] = {p.batch, p.out_depth, p.window[0].output,
                     p.window[1].output, p.window[2].output};
  return TensorShape::Make(sizes).ok()
             ? StatusOr<ConvProblem>(p)
             : InvalidArgument("The output has too many elements");
}

TensorShape ConvAttrs::OutputShape(const ConvProblem& p) const {
  int64_t sizes[kMaxSpatial];
  for (int i = 0; i < p.spatial; ++i) {
    sizes[i] = p.window[kMaxSpatial - p.spatial + i].output;
  }
  return TensorShape(
      ImageShape(sliding_.layout, p.batch, p.out_depth, sizes).dims());
}

TensorShape ConvAttrs::FromSpatial(const TensorShape& sizes, int64_t batch,
                                   int64_t channels) const {
  const auto shape = TensorShape::Make(
      ImageShape(sliding_.layout, batch, channels, sizes.dims()).dims());
  // A shape with too many elements is returned as given; Resolve refuses its
  // rank.
  return shape.ok() ? *shape : sizes;
}

}  // namespace millrace::ops
