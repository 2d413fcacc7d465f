#include <limits>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/layout/move_kernels.h"

namespace millrace::ops {
StatusOr<DepthBlocks> DepthBlocks::Make(const KernelInit& init, BlockMove move,
                                        ImageFormats formats) {
  DepthBlocks k;
  k.move_ = move;
  MR_ASSIGN_OR_RETURN(k.block_, init.Attr<int32_t>("block_size"));
  if (k.block_ <= 1) {
    return InvalidArgument("Block size should be > 1, but was: ", k.block_);
  }
  MR_ASSIGN_OR_RETURN(const auto format, init.Attr<std::string>("data_format"));
  k.channels_first_ = format == "NCHW";
  if (format == "NHWC") return k;
  if (formats == ImageFormats::kNhwc) {
    return InvalidArgument("Only NHWC data_format supported on CPU. Got ",
                           format);
  }
  if (!k.channels_first_) {
    return InvalidArgument(
        "Only NHWC and NCHW data_format supported on GPU. Got ", format);
  }
  return k;
}

Status DepthBlocks::Run(KernelContext& ctx, const Mover& mover) const {
  const Tensor& x = ctx.input(0);
  if (x.rank() != 4) {
    return to_depth()
               ? InvalidArgument("Input rank should be 4 instead of ", x.rank())
               : InvalidArgument("Input rank should be: 4 instead of: ",
                                 x.rank());
  }
  const int64_t b = block_;
  const int channels = channels_first_ ? 1 : 3;
  const int rows = channels_first_ ? 2 : 1;
  int64_t n = x.dim(0), h = x.dim(rows), w = x.dim(rows + 1),
          c = x.dim(channels);
  if (to_depth()) {
    if (h % b != 0 || w % b != 0) {
      return InvalidArgument("Image width ", w, " and height ", h,
                             " should be divisible by block_size: ", b);
    }
    h /= b;
    w /= b;
  } else {
    if (c % (b * b) != 0) {
      return InvalidArgument("Input depth dimension ", c,
                             " should be divisible by: ", b * b);
    }
    c /= b * b;
  }
  // h and w are those of the deep tensor, c that of the wide one.
  const auto shape_of = [&](int64_t height, int64_t width, int64_t depth) {
    return channels_first_ ? TensorShape::Make({n, depth, height, width})
                           : TensorShape::Make({n, height, width, depth});
  };
  MR_ASSIGN_OR_RETURN(const TensorShape shape, to_depth()
                                                   ? shape_of(h, w, c * b * b)
                                                   : shape_of(h * b, w * b, c));
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
  if (out->num_elements() == 0) return OkStatus();
  StridedCopySpec spec;
  const auto add = [&](int64_t dim, int64_t in_deep, int64_t in_wide) {
    to_depth() ? spec.Add(dim, in_wide, in_deep)
               : spec.Add(dim, in_deep, in_wide);
  };
  if (channels_first_) {
    const int64_t plane = h * w;  // of the deep tensor
    add(n, c * b * b * plane, c * b * b * plane);
    add(b, b * c * plane, w * b);
    add(b, c * plane, 1);
    add(c, plane, plane * b * b);
    add(h, w, w * b * b);
    add(w, 1, b);
  } else {
    const int64_t row = w * b * c;  // of the wide tensor
    add(n * h, w * b * b * c, b * row);
    add(w, b * b * c, b * c);
    add(b, b * c, row);
    add(b * c, 1, 1);
  }
  return mover.Copy(ctx, x, out, spec);
}

#define MR_ANY_TYPES                                                       \
  "T: bfloat16, bool, complex128, complex64, double, float, half, int16, " \
  "int32, int64, int8, resource, string, uint16, uint32, uint64, uint8, "  \
  "variant"

MR_KERNELS(SpaceToDepth, Cpu){
    {.types = MR_ANY_TYPES ", qint8",
     .make =
         MakeOnCpu<DepthKernel<BlockMove::kFromSpace, ImageFormats::kNhwc>>}};

MR_KERNELS(DepthToSpace, Cpu){
    {.types = MR_ANY_TYPES,
     .make = MakeOnCpu<DepthKernel<BlockMove::kToSpace, ImageFormats::kNhwc>>}};

}  // namespace millrace::ops
