// Kernels of convolutions of images that are resized and mirrored at their
// edges before.
#include <algorithm>
#include <string>
#include <vector>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/convolution/conv_best.h"
#include "millrace/ops/image/resize_plane.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Computes any type by plain loops.
struct PlainPadConv {
  static Status Run(KernelContext& ctx, const ConvProblem& p,
                    const ConvData& data) {
    return RunPlainConv(ctx, ConvPass::kForward, p, data);
  }
};
struct BestPadConv {
  Status Run(KernelContext& ctx, const ConvProblem& p,
             const ConvData& data) const {
    return conv.Run(ctx, ConvPass::kForward, p, data);
  }
  BestConv conv;
};

// The places in a dimension of `size` elements that its padded form has.
struct MirroredDim {
  int64_t before = 0, size = 0, after = 0;
  int64_t edge = 0;  // 0 if the edge itself is repeated, else 1

  int64_t padded() const { return before + size + after; }
  int64_t Source(int64_t i) const {
    const int64_t at = i - before;
    if (at < 0) return edge - 1 - at;
    return at < size ? at : 2 * size - 1 - edge - at;
  }
};

// Returns the padded form of each dimension of images of `shape`.
StatusOr<std::vector<MirroredDim>> ReadMirror(const TensorShape& shape,
                                              const Tensor& paddings,
                                              int64_t edge) {
  if (paddings.rank() != 2 || paddings.dim(1) != 2) {
    return InvalidArgument("paddings must be a matrix with 2 columns: ",
                           paddings.shape().DebugString());
  }
  if (paddings.dim(0) != 4) {
    return InvalidArgument(
        "The first dimension of paddings must be the rank of inputs",
        paddings.shape().DebugString(), ", ", shape.DebugString());
  }
  std::vector<MirroredDim> dims;
  for (int i = 0; i < 4; ++i) {
    MirroredDim d{IntAt(paddings, 2 * i), shape.dim(i),
                  IntAt(paddings, 2 * i + 1), edge};
    if (d.before < 0 || d.after < 0) {
      return InvalidArgument("paddings must be non-negative: ", d.before, " ",
                             d.after);
    }
    if (edge == 0 && (d.before > d.size || d.after > d.size)) {
      return InvalidArgument(
          "paddings must be no greater than the dimension size: ", d.before,
          ", ", d.after, " greater than ", d.size);
    }
    if (edge == 1 && (d.before >= d.size || d.after >= d.size)) {
      return InvalidArgument(
          "paddings must be less than the dimension size: ", d.before, ", ",
          d.after, " not less than ", d.size);
    }
    dims.push_back(d);
  }
  constexpr const char* kOthers[] = {"batches", "", "", "channels"};
  for (const size_t i : {size_t{0}, size_t{3}}) {
    if (dims[i].before != 0 || dims[i].after != 0) {
      return InvalidArgument(
          "Fused mirror padding only support spatial padding, not ", kOthers[i],
          ": ", paddings.DebugString());
    }
  }
  return dims;
}

// Computes rows [begin, end) of all padded images: copies of pixels.
template <class T>
void CopyRows(const T* in, const MirroredDim& y, const MirroredDim& x,
              int64_t depth, int64_t begin, int64_t end, T* out) {
  const int64_t height = y.padded(), width = x.padded();
  for (int64_t row = begin; row < end; ++row) {
    const int64_t image = row / height;
    const T* from =
        in + (image * y.size + y.Source(row % height)) * x.size * depth;
    T* to = out + row * width * depth;
    for (int64_t i = 0; i < width; ++i, to += depth) {
      std::copy_n(from + x.Source(i) * depth, depth, to);
    }
  }
}

// Does the same for pixels that are between those of the image.
template <class T>
void ResizeRowsOf(const T* in, const Plane& p, const MirroredDim& y,
                  const MirroredDim& x, int64_t begin, int64_t end, T* out) {
  using S = ComputeType<T>;
  const int64_t height = y.padded(), width = x.padded(), depth = p.channels;
  CountedVector<S> sums(static_cast<size_t>(depth));
  for (int64_t row = begin; row < end; ++row) {
    const int64_t image = row / height, v = y.Source(row % height);
    T* to = out + row * width * depth;
    for (int64_t i = 0; i < width; ++i, to += depth) {
      const int64_t u = x.Source(i);
      std::fill(sums.begin(), sums.end(), S(0));
      for (int64_t a = p.y.first[v]; a < p.y.first[v + 1]; ++a) {
        const Tap& ty = p.y.taps[a];
        for (int64_t b = p.x.first[u]; b < p.x.first[u + 1]; ++b) {
          const Tap& tx = p.x.taps[b];
          const S weight =
              static_cast<S>(ty.weight) * static_cast<S>(tx.weight);
          // A weight of 0 keeps NaN and infinity out.
          if (weight == 0) continue;
          const T* from = in + ((image * p.places_of_taps_y + ty.place) *
                                    p.places_of_taps_x +
                                tx.place) *
                                   depth;
          for (int64_t c = 0; c < depth; ++c) {
            sums[static_cast<size_t>(c)] += weight * static_cast<S>(from[c]);
          }
        }
      }
      for (int64_t c = 0; c < depth; ++c) {
        to[c] = static_cast<T>(sums[static_cast<size_t>(c)]);
      }
    }
  }
}

template <class Conv, bool kResizes>
class PadConvKernel {
 public:
  static StatusOr<PadConvKernel> Make(const KernelInit& init) {
    PadConvKernel k;
    if constexpr (kResizes) {
      MR_ASSIGN_OR_RETURN(k.resize_.align_corners,
                          init.Attr<bool>("resize_align_corners"));
    }
    MR_ASSIGN_OR_RETURN(const auto mode, init.Attr<std::string>("mode"));
    k.edge_ = mode == "REFLECT" ? 1 : 0;
    MR_ASSIGN_OR_RETURN(k.strides_,
                        Int32ListOr(init.node().attrs, "strides", {}));
    MR_ASSIGN_OR_RETURN(k.padding_, init.Attr<std::string>("padding"));
    if (k.strides_.size() != 4) {
      return InvalidArgument(
          "Sliding window strides field must specify 4 dimensions");
    }
    if (k.strides_[0] != 1 || k.strides_[3] != 1) {
      return InvalidArgument(
          "Current implementation does not yet support strides in the batch "
          "and depth dimensions.");
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    constexpr int kPaddings = kResizes ? 2 : 1;
    const Tensor& in = ctx.input(0);
    const Tensor& filter = ctx.input(kPaddings + 1);
    if (in.rank() != 4) {
      return InvalidArgument("input must be 4-dimensional",
                             in.shape().DebugString());
    }
    if (in.num_elements() == 0) {
      return InvalidArgument("Input tensor can't be empty");
    }
    TensorShape images = in.shape();
    if constexpr (kResizes) {
      MR_ASSIGN_OR_RETURN(images, ResizedShape(in, ctx.input(1)));
    }
    MR_ASSIGN_OR_RETURN(const std::vector<MirroredDim> mirror,
                        ReadMirror(images, ctx.input(kPaddings), edge_));
    if (filter.rank() != 4) {
      return InvalidArgument("filter must be 4-dimensional: ",
                             filter.shape().DebugString());
    }
    MR_ASSIGN_OR_RETURN(const ConvProblem p,
                        Resolve(in.dtype(), mirror, filter.shape()));
    MR_ASSIGN_OR_RETURN(const TensorShape padded,
                        TensorShape::Make({p.batch, p.window[1].input,
                                           p.window[2].input, p.in_depth}));
    MR_ASSIGN_OR_RETURN(TensorShape shape,
                        TensorShape::Make({p.batch, p.window[1].output,
                                           p.window[2].output, p.out_depth}));
    if (shape.num_elements() == 0) {
      return InvalidArgument("Output tensor can't be empty");
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    if (filter.num_elements() == 0) return ZeroTensor(ctx, out);
    Tensor temp;
    const char* pixels = in.data();
    if (kResizes || padded != in.shape()) {
      MR_ASSIGN_OR_RETURN(temp, ctx.AllocateTemp(in.dtype(), padded));
      MR_RETURN_IF_ERROR(FillPadded(ctx, images, mirror, &temp));
      pixels = temp.data();
    }
    return conv_.Run(ctx, p,
                     {const_cast<char*>(pixels),
                      const_cast<char*>(filter.data()), out->mutable_data()});
  }

 private:
  StatusOr<ConvProblem> Resolve(DataType type,
                                const std::vector<MirroredDim>& mirror,
                                const TensorShape& filter) const {
    ConvProblem p;
    p.type = type;
    p.batch = mirror[0].size;
    p.in_depth = mirror[3].size;
    p.out_depth = filter.dim(3);
    if (p.in_depth != filter.dim(2)) {
      return InvalidArgument("input and filter must have the same depth: ",
                             p.in_depth, " vs ", filter.dim(2));
    }
    for (int i = 1; i < 3; ++i) {
      Window& w = p.window[i];
      w.input = mirror[static_cast<size_t>(i)].padded();
      w.filter = filter.dim(i - 1);
      w.stride = strides_[static_cast<size_t>(i)];
      MR_RETURN_IF_ERROR(ResolveWindow(WindowPhase::kRun, padding_, &w));
    }
    return p;
  }

  Status FillPadded(KernelContext& ctx, const TensorShape& images,
                    const std::vector<MirroredDim>& mirror,
                    Tensor* padded) const {
    const Tensor& in = ctx.input(0);
    const MirroredDim &y = mirror[1], &x = mirror[2];
    const int64_t rows = padded->dim(0) * padded->dim(1);
    const int64_t row = padded->dim(2) * padded->dim(3);
    if constexpr (kResizes) {
      const Plane plane =
          MakePlane(ResizeMethod::kBilinear, resize_, in.shape(), images);
      return Dispatch<float, double, Half>(
          in.dtype(), [&]<class T>() -> Status {
            const T* const from = in.flat<T>().data();
            T* const to = padded->mutable_flat<T>().data();
            return ctx.ParallelFor(
                rows, row * 5, [&](int64_t begin, int64_t end) {
                  ResizeRowsOf(from, plane, y, x, begin, end, to);
                });
          });
    } else {
      return Dispatch<uint16_t, uint32_t, uint64_t>(
          SizeOf(in.dtype()) == 2   ? DataType::kUint16
          : SizeOf(in.dtype()) == 4 ? DataType::kUint32
                                    : DataType::kUint64,
          [&]<class T>() -> Status {
            const T* const from = reinterpret_cast<const T*>(in.data());
            T* const to = reinterpret_cast<T*>(padded->mutable_data());
            return ctx.ParallelFor(
                rows, row / 2 + 10, [&](int64_t begin, int64_t end) {
                  CopyRows(from, y, x, padded->dim(3), begin, end, to);
                });
          });
    }
  }

  ResizeOptions resize_;
  int64_t edge_ = 0;
  std::vector<int64_t> strides_;
  std::string padding_;
  Conv conv_;
};

}  // namespace

MR_KERNELS(FusedPadConv2D, Cpu){
    {.types = "T: float, bfloat16, half",
     .make = MakeKernel<PadConvKernel<BestPadConv, false>>},
    {.types = "T: float, bfloat16, half, double",
     .make = MakeKernel<PadConvKernel<PlainPadConv, false>>}};
MR_KERNELS(FusedResizeAndPadConv2D, Cpu){
    {.types = "T: float, half",
     .make = MakeKernel<PadConvKernel<BestPadConv, true>>},
    {.types = "T: float, half, double",
     .make = MakeKernel<PadConvKernel<PlainPadConv, true>>}};

}  // namespace millrace::ops
