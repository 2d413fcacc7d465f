#include <limits>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/layout/block_move.op.h"

namespace millrace::ops {
namespace {

// Moves elements between [n, h, w, places, c] of depth and [n, h, block, w,
// block, c] of space, or the same with channels first.
template <BlockMove kMove>
class DepthKernel {
 public:
  static StatusOr<DepthKernel> Make(const KernelInit& init) {
    DepthKernel k;
    MR_ASSIGN_OR_RETURN(k.block_, init.Attr<int32_t>("block_size"));
    if (k.block_ <= 1) {
      return InvalidArgument("Block size should be > 1, but was: ", k.block_);
    }
    MR_ASSIGN_OR_RETURN(const auto format,
                        init.Attr<std::string>("data_format"));
    if (format != "NHWC") {
      return InvalidArgument("Only NHWC data_format supported on CPU. Got ",
                             format);
    }
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    if (x.rank() != 4) {
      return kToDepth ? InvalidArgument("Input rank should be 4 instead of ",
                                        x.rank())
                      : InvalidArgument("Input rank should be: 4 instead of: ",
                                        x.rank());
    }
    const int64_t b = block_;
    int64_t n = x.dim(0), h = x.dim(1), w = x.dim(2), c = x.dim(3);
    if (kToDepth) {
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
    MR_ASSIGN_OR_RETURN(const TensorShape shape,
                        kToDepth ? TensorShape::Make({n, h, w, c * b * b})
                                 : TensorShape::Make({n, h * b, w * b, c}));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    StridedCopySpec spec;
    const auto add = [&](int64_t dim, int64_t in_deep, int64_t in_wide) {
      kToDepth ? spec.Add(dim, in_wide, in_deep)
               : spec.Add(dim, in_deep, in_wide);
    };
    const int64_t row = w * b * c;  // of the wide tensor
    add(n * h, w * b * b * c, b * row);
    add(w, b * b * c, b * c);
    add(b, b * c, row);
    add(b * c, 1, 1);
    return StridedCopy(ctx, x.dtype(), x.data(), out->mutable_data(), spec);
  }

 private:
  static constexpr bool kToDepth = kMove == BlockMove::kFromSpace;
  int64_t block_ = 2;
};

#define MR_ANY_TYPES                                                       \
  "T: bfloat16, bool, complex128, complex64, double, float, half, int16, " \
  "int32, int64, int8, resource, string, uint16, uint32, uint64, uint8, "  \
  "variant"

}  // namespace

MR_KERNELS(SpaceToDepth,
           Cpu){{.types = MR_ANY_TYPES ", qint8",
                 .make = MakeKernel<DepthKernel<BlockMove::kFromSpace>>}};

MR_KERNELS(DepthToSpace,
           Cpu){{.types = MR_ANY_TYPES,
                 .make = MakeKernel<DepthKernel<BlockMove::kToSpace>>}};

}  // namespace millrace::ops
