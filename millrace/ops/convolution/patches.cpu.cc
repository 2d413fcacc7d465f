#include "millrace/ops/convolution/patches.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"

namespace millrace::ops {
namespace {

// Copies windows of images (rank 4) or volumes (rank 5) side by side.
template <int kRank>
class PatchesKernel {
 public:
  static StatusOr<PatchesKernel> Make(const KernelInit& init) {
    PatchesKernel k;
    MR_ASSIGN_OR_RETURN(k.options_, PatchOptions<kRank>::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const PatchPlan plan, options_.Plan(x.shape()));
    constexpr int kSpatial = kRank - 2;
    const int64_t depth = plan.depth;
    const TensorShape& shape = plan.shape;
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    MR_RETURN_IF_ERROR(ZeroTensor(ctx, out));
    if (x.num_elements() == 0) return OkStatus();
    const DimVector from = RowMajorStrides(x.shape().dims());
    const DimVector to = RowMajorStrides(shape.dims());
    // Each position within the windows is a strided part of the image.
    for (int64_t place = 0; place < plan.places; ++place) {
      // There may be billions, most of them of padding.
      if (place % 4096 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      StridedCopySpec spec;
      spec.dst_offset = place * depth;
      spec.Add(x.dim(0), from[0], to[0]);
      int64_t rest = place;
      int64_t at[kMaxSpatial];
      for (int i = kSpatial - 1; i >= 0; --i) {
        at[i] = rest % plan.windows[i].filter;
        rest /= plan.windows[i].filter;
      }
      bool none = false;
      for (int i = 0; i < kSpatial; ++i) {
        const Window& w = plan.windows[i];
        // In window o this position is at o * stride + shift of the input.
        const int64_t shift = at[i] * w.dilation - w.before;
        const int64_t first =
            shift >= 0 ? 0 : (-shift + w.stride - 1) / w.stride;
        const int64_t end =
            w.input > shift
                ? std::min(w.output,
                           (w.input - shift + w.stride - 1) / w.stride)
                : 0;
        if (end <= first) {
          none = true;
          break;
        }
        const auto d = static_cast<size_t>(i) + 1;
        spec.Add(end - first, w.stride * from[d], to[d]);
        spec.src_offset += (first * w.stride + shift) * from[d];
        spec.dst_offset += first * to[d];
      }
      if (none) continue;
      spec.Add(depth, 1, 1);
      MR_RETURN_IF_ERROR(
          StridedCopy(ctx, x.dtype(), x.data(), out->mutable_data(), spec));
    }
    return OkStatus();
  }

 private:
  PatchOptions<kRank> options_;
};

}  // namespace

MR_KERNELS(ExtractImagePatches,
           Cpu){{.types = "T: " MR_REAL_TYPES ", complex64, complex128",
                 .make = MakeKernel<PatchesKernel<4>>}};
MR_KERNELS(ExtractVolumePatches, Cpu){
    {.types = "T: " MR_REAL_TYPES, .make = MakeKernel<PatchesKernel<5>>}};

}  // namespace millrace::ops
