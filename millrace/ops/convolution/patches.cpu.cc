#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/pooling/window.op.h"

namespace millrace::ops {
namespace {

using Ints = std::vector<int64_t>;

// Copies windows of images (rank 4) or volumes (rank 5) side by side.
template <int kRank>
class PatchesKernel {
 public:
  static StatusOr<PatchesKernel> Make(const KernelInit& init) {
    PatchesKernel k;
    MR_ASSIGN_OR_RETURN(k.sizes_, init.Attr<Ints>("ksizes"));
    MR_ASSIGN_OR_RETURN(k.strides_, init.Attr<Ints>("strides"));
    MR_ASSIGN_OR_RETURN(k.padding_, init.Attr<std::string>("padding"));
    MR_ASSIGN_OR_RETURN(k.rates_,
                        IntListOr(init.node().attrs, "rates",
                                  Ints(static_cast<size_t>(kRank), 1)));
    MR_RETURN_IF_ERROR(k.Check(k.sizes_, "ksizes"));
    MR_RETURN_IF_ERROR(k.Check(k.strides_, "strides"));
    MR_RETURN_IF_ERROR(k.Check(k.rates_, "rates"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    if (x.rank() != kRank) {
      return InvalidArgument("input must be ", kRank, "-dimensional",
                             x.shape().DebugString());
    }
    const int spatial = kRank - 2;
    Window windows[kMaxSpatial];
    DimVector dims = {x.dim(0)};
    int64_t places = 1;
    for (int i = 0; i < spatial; ++i) {
      Window& w = windows[i];
      const auto d = static_cast<size_t>(i) + 1;
      w.input = x.dim(i + 1);
      w.filter = sizes_[d];
      w.stride = strides_[d];
      w.dilation = rates_[d];
      MR_RETURN_IF_ERROR(ResolveWindow(WindowPhase::kRun, padding_, &w));
      dims.push_back(w.output);
      if (__builtin_mul_overflow(places, w.filter, &places)) {
        return InvalidArgument("ksizes are too large");
      }
    }
    const int64_t depth = x.dim(kRank - 1);
    int64_t elements = 0;
    if (__builtin_mul_overflow(places, depth, &elements)) {
      return InvalidArgument("ksizes are too large");
    }
    dims.push_back(elements);
    MR_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    MR_RETURN_IF_ERROR(ZeroTensor(ctx, out));
    if (x.num_elements() == 0) return OkStatus();
    const DimVector from = RowMajorStrides(x.shape().dims());
    const DimVector to = RowMajorStrides(dims);
    // Each position within the windows is a strided part of the image.
    for (int64_t place = 0; place < places; ++place) {
      StridedCopySpec spec;
      spec.dst_offset = place * depth;
      spec.Add(x.dim(0), from[0], to[0]);
      int64_t rest = place;
      int64_t at[kMaxSpatial];
      for (int i = spatial - 1; i >= 0; --i) {
        at[i] = rest % windows[i].filter;
        rest /= windows[i].filter;
      }
      bool none = false;
      for (int i = 0; i < spatial; ++i) {
        const Window& w = windows[i];
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
  Status Check(const Ints& list, const char* what) const {
    if (static_cast<int>(list.size()) != kRank) {
      return InvalidArgument("ExtractImagePatches requires the ", what,
                             " attribute to contain ", kRank,
                             " values, but got: ", list.size());
    }
    if (list.front() != 1 || list.back() != 1) {
      return Unimplemented(
          "Only support ", what,
          " across space: that of the batch and depth must be 1");
    }
    for (const int64_t n : list) {
      if (n < 1) {
        return InvalidArgument(what, " must be positive, got ", n);
      }
    }
    return OkStatus();
  }

  Ints sizes_, strides_, rates_;
  std::string padding_;
};

}  // namespace

MR_KERNELS(ExtractImagePatches,
           Cpu){{.types = "T: " MR_REAL_TYPES ", complex64, complex128",
                 .make = MakeKernel<PatchesKernel<4>>}};
MR_KERNELS(ExtractVolumePatches, Cpu){
    {.types = "T: " MR_REAL_TYPES, .make = MakeKernel<PatchesKernel<5>>}};

}  // namespace millrace::ops
