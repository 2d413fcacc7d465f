// Batch normalization. Statistics and their sums are float within a piece of
// rows and double over the pieces, in an order that threads do not change.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/math/float_blocks.h"
#include "millrace/ops/nn/channel_loops.h"
#include "millrace/ops/nn/window.op.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Elements as [outer, channels, inner]; inner is 1 where channels are last.
struct Layout {
  int64_t outer = 0, channels = 0, inner = 0;
  int64_t rest() const { return outer * inner; }
};

// A tensor of float, half or bfloat16 whose elements are read as floats.
class Elements {
 public:
  explicit Elements(const Tensor& t) : type_(t.dtype()), data_(t.data()) {}
  // [begin, begin + n), in `room` unless they are floats.
  const float* At(int64_t begin, int64_t n, std::vector<float>& room) const {
    if (type_ == DataType::kFloat) {
      return reinterpret_cast<const float*>(data_) + begin;
    }
    room.resize(static_cast<size_t>(n));
    ToFloats(type_, data_ + begin * 2, room.data(), n);
    return room.data();
  }

 private:
  DataType type_;
  const char* data_;
};
// The same to write.
class MutableElements {
 public:
  explicit MutableElements(Tensor* t)
      : type_(t->dtype()), data_(t->mutable_data()) {}
  float* Room(int64_t begin, int64_t n, std::vector<float>& room) {
    if (type_ == DataType::kFloat) {
      return reinterpret_cast<float*>(data_) + begin;
    }
    room.resize(static_cast<size_t>(n));
    return room.data();
  }
  void Put(int64_t begin, int64_t n, const std::vector<float>& room) {
    if (type_ != DataType::kFloat) {
      FromFloats(type_, room.data(), data_ + begin * 2, n);
    }
  }

 private:
  DataType type_;
  char* data_;
};

// Elements that one piece has at most.
constexpr int64_t kPiece = 16384;

// Calls f(first element, count, channel or -1, piece) for pieces of whole rows
// (all channels, -1) or of one channel's plane.
class Pieces {
 public:
  explicit Pieces(const Layout& l) : l_(l) {
    if (l.inner == 1) {
      rows_ = std::max<int64_t>(1, kPiece / std::max<int64_t>(1, l.channels));
      count_ = (l.outer + rows_ - 1) / rows_;
    } else {
      count_ = l.outer * l.channels;
    }
  }
  int64_t count() const { return count_; }
  int64_t cost() const {
    return (l_.inner == 1 ? rows_ * l_.channels : l_.inner) / 2 + 20;
  }
  // Channels that a piece has sums of, and where in their list.
  int64_t width() const { return l_.inner == 1 ? l_.channels : 1; }
  int64_t channel(int64_t piece) const {
    return l_.inner == 1 ? 0 : piece % l_.channels;
  }
  int64_t begin(int64_t piece) const {
    return l_.inner == 1 ? piece * rows_ * l_.channels : piece * l_.inner;
  }
  int64_t size(int64_t piece) const {
    return l_.inner == 1
               ? std::min(rows_, l_.outer - piece * rows_) * l_.channels
               : l_.inner;
  }

 private:
  Layout l_;
  int64_t rows_ = 0;
  int64_t count_ = 0;
};

struct Sums {
  std::vector<double> first, second;  // by channel
};

// f(piece, sums, seconds) adds a piece's sums; they are added up in order.
template <class F>
StatusOr<Sums> SumPieces(KernelContext& ctx, const Layout& l, F&& f) {
  const Pieces pieces(l);
  const int64_t width = pieces.width();
  std::vector<float> parts(static_cast<size_t>(2 * pieces.count() * width));
  MR_RETURN_IF_ERROR(ctx.ParallelFor(
      pieces.count(), pieces.cost(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          float* at = parts.data() + 2 * i * width;
          f(pieces, i, at, at + width);
        }
      }));
  Sums sums;
  sums.first.assign(static_cast<size_t>(l.channels), 0);
  sums.second = sums.first;
  for (int64_t i = 0; i < pieces.count(); ++i) {
    const float* at = parts.data() + 2 * i * width;
    for (int64_t c = 0; c < width; ++c) {
      sums.first[pieces.channel(i) + c] += at[c];
      sums.second[pieces.channel(i) + c] += at[width + c];
    }
  }
  return sums;
}

StatusOr<Layout> ReadLayout(const std::string& format, const TensorShape& s) {
  MR_ASSIGN(const ImageLayout image, LayoutOf(format));
  if (s.rank() != image.rank() && !(s.rank() == 4 || s.rank() == 5)) {
    return InvalidArgument("input must be 4 or 5-dimensional", s.DebugString());
  }
  const int channel = image.channels_first ? 1 : s.rank() - 1;
  Layout l{s.NumElements(0, channel), s.dim(channel),
           s.NumElements(channel + 1, s.rank())};
  // One pixel an image: channels are last either way.
  return l;
}

Status CheckChannels(const Tensor& t, const char* what, int64_t channels) {
  if (t.rank() != 1) {
    return InvalidArgument(what, " must be 1-dimensional",
                           t.shape().DebugString());
  }
  if (t.dim(0) != channels) {
    return InvalidArgument(what,
                           " must have the same number of elements as "
                           "the channels of x, got ",
                           t.dim(0), " and ", channels);
  }
  return OkStatus();
}

const float* Floats(const Tensor& t) { return t.flat<float>().data(); }

class BatchNormKernel {
 public:
  static StatusOr<BatchNormKernel> Make(const KernelInit& init) {
    BatchNormKernel k;
    MR_ASSIGN(k.epsilon_, init.Attr<float>("epsilon"));
    MR_ASSIGN(k.factor_, init.Attr<float>("exponential_avg_factor"));
    MR_ASSIGN(k.format_, init.Attr<std::string>("data_format"));
    MR_ASSIGN(k.training_, init.Attr<bool>("is_training"));
    if (!init.HasAttr("activation_mode")) return k;
    MR_ASSIGN(const auto mode, init.Attr<std::string>("activation_mode"));
    if (mode != "Identity" && mode != "Relu") {
      return InvalidArgument("Unsupported activation mode: ", mode);
    }
    k.relu_ = mode == "Relu";
    k.side_ = init.num_inputs() > 5;
    if (init.num_inputs() > 6) {
      return InvalidArgument("FusedBatchNorm accepts at most one side input.");
    }
    if (k.side_ && !k.relu_) {
      return InvalidArgument(
          "Identity activation is not supported with non-empty side input");
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor x = ctx.input(0);
    MR_ASSIGN(const Layout l, ReadLayout(format_, x.shape()));
    const int64_t n = l.channels;
    if (side_ && !(ctx.input(5).shape() == x.shape())) {
      return InvalidArgument("side_input shape must be equal to input shape: ",
                             ctx.input(5).shape().DebugString(),
                             " != ", x.shape().DebugString());
    }
    MR_RETURN_IF_ERROR(CheckChannels(ctx.input(1), "scale", n));
    MR_RETURN_IF_ERROR(CheckChannels(ctx.input(2), "offset", n));
    const bool given = !training_ || factor_ != 1.0f;
    if (given || ctx.input(3).num_elements() != 0) {
      MR_RETURN_IF_ERROR(CheckChannels(ctx.input(3), "mean", n));
    }
    if (given || ctx.input(4).num_elements() != 0) {
      MR_RETURN_IF_ERROR(CheckChannels(ctx.input(4), "variance", n));
    }
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    float* stats[4];
    for (int i = 0; i < 4; ++i) {
      MR_ASSIGN(Tensor* const t, ctx.AllocateOutput(1 + i, TensorShape({n})));
      stats[i] = t->mutable_flat<float>().data();
    }
    if (ctx.num_outputs() > 5) {
      MR_ASSIGN(Tensor* const t, ctx.AllocateOutput(5, TensorShape()));
      t->mutable_flat<float>().data()[0] = 0;
    }
    const Elements in(x);
    const float* scale = Floats(ctx.input(1));
    const float* offset = Floats(ctx.input(2));
    const float* old_mean = Floats(ctx.input(3));
    const float* old_variance = Floats(ctx.input(4));
    if (x.num_elements() == 0) {
      // No elements, no statistics.
      for (float* s : stats) {
        std::fill(s, s + n, std::numeric_limits<float>::quiet_NaN());
      }
      return OkStatus();
    }
    if (training_) {
      MR_RETURN_IF_ERROR(Measure(ctx, in, l, stats[2], stats[3]));
      const double count = static_cast<double>(l.rest());
      const double bessel = count / std::max(1.0, count - 1);
      for (int64_t c = 0; c < n; ++c) {
        const auto variance = static_cast<float>(stats[3][c] * bessel);
        stats[0][c] = factor_ == 1.0f
                          ? stats[2][c]
                          : old_mean[c] * (1 - factor_) + stats[2][c] * factor_;
        stats[1][c] = factor_ == 1.0f ? variance
                                      : old_variance[c] * (1 - factor_) +
                                            variance * factor_;
      }
    } else {
      for (const int i : {0, 2}) {
        std::copy(old_mean, old_mean + n, stats[i]);
        std::copy(old_variance, old_variance + n, stats[i + 1]);
      }
    }
    std::vector<float> factors(static_cast<size_t>(n));
    for (int64_t c = 0; c < n; ++c) {
      factors[c] = scale[c] / std::sqrt(stats[3][c] + epsilon_);
    }
    const Pieces pieces(l);
    MutableElements z(out);
    const Elements side(ctx.input(side_ ? 5 : 0));
    return ctx.ParallelFor(
        pieces.count(), pieces.cost(), [&](int64_t begin, int64_t end) {
          std::vector<float> room, result;
          for (int64_t i = begin; i < end; ++i) {
            const int64_t at = pieces.begin(i), size = pieces.size(i);
            const float* from = in.At(at, size, room);
            float* to = z.Room(at, size, result);
            const int64_t c = pieces.channel(i);
            if (l.inner == 1) {
              NormalizeRows(from, stats[2], factors.data(), offset, size / n, n,
                            to);
            } else {
              NormalizePlane(from, stats[2][c], factors[c], offset[c], size,
                             to);
            }
            if (side_) {
              AddAndRectify(side.At(at, size, room), size, to);
            } else if (relu_) {
              Rectify(size, to);
            }
            z.Put(at, size, result);
          }
        });
  }

 private:
  // Means, and variances about them in a second pass.
  static Status Measure(KernelContext& ctx, const Elements& in, const Layout& l,
                        float* mean, float* variance) {
    const auto count = static_cast<double>(l.rest());
    std::fill(mean, mean + l.channels, 0.0f);
    const auto add = [&](const Pieces& p, int64_t i, float* sums, float* sq) {
      std::vector<float> room;
      const float* x = in.At(p.begin(i), p.size(i), room);
      if (l.inner == 1) {
        AddRows(x, mean, p.size(i) / l.channels, l.channels, sums, sq);
      } else {
        AddPlane(x, mean[p.channel(i)], p.size(i), sums, sq);
      }
    };
    MR_ASSIGN(const Sums total, SumPieces(ctx, l, add));
    for (int64_t c = 0; c < l.channels; ++c) {
      mean[c] = static_cast<float>(total.first[c] / count);
    }
    MR_ASSIGN(const Sums about, SumPieces(ctx, l, add));
    for (int64_t c = 0; c < l.channels; ++c) {
      const double rest = about.first[c] / count;  // what the mean was off
      variance[c] = static_cast<float>(
          std::max(0.0, about.second[c] / count - rest * rest));
      if (about.second[c] != about.second[c]) {
        variance[c] = static_cast<float>(about.second[c]);
      }
    }
    return OkStatus();
  }

  float epsilon_ = 0, factor_ = 1;
  std::string format_;
  bool training_ = true;
  // Of the fused form: what follows the normalization.
  bool relu_ = false, side_ = false;
};

class BatchNormGradKernel {
 public:
  static StatusOr<BatchNormGradKernel> Make(const KernelInit& init) {
    BatchNormGradKernel k;
    MR_ASSIGN(k.epsilon_, init.Attr<float>("epsilon"));
    MR_ASSIGN(k.format_, init.Attr<std::string>("data_format"));
    MR_ASSIGN(k.training_, init.Attr<bool>("is_training"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor grad = ctx.input(0);
    const Tensor x = ctx.input(1);
    MR_ASSIGN(const Layout l, ReadLayout(format_, x.shape()));
    if (grad.shape() != x.shape()) {
      return InvalidArgument(
          "x and y_backprop must have same shape, but x has shape ",
          x.shape().DebugString(), " and y_backprop has shape ",
          grad.shape().DebugString());
    }
    const int64_t n = l.channels;
    MR_RETURN_IF_ERROR(CheckChannels(ctx.input(2), "scale", n));
    MR_RETURN_IF_ERROR(CheckChannels(ctx.input(3), "saved mean", n));
    MR_RETURN_IF_ERROR(CheckChannels(ctx.input(4), "saved variance", n));
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    MR_ASSIGN(Tensor* const d_scale, ctx.AllocateOutput(1, TensorShape({n})));
    MR_ASSIGN(Tensor* const d_offset, ctx.AllocateOutput(2, TensorShape({n})));
    for (int i = 3; i < 5; ++i) {
      MR_RETURN_IF_ERROR(ctx.AllocateOutput(i, TensorShape({0})).status());
    }
    float* scale_sum = d_scale->mutable_flat<float>().data();
    float* offset_sum = d_offset->mutable_flat<float>().data();
    if (x.num_elements() == 0) {
      std::fill(scale_sum, scale_sum + n, 0.0f);
      std::fill(offset_sum, offset_sum + n, 0.0f);
      return OkStatus();
    }
    const Elements dy(grad), in(x);
    const float* scale = Floats(ctx.input(2));
    const float* mean = Floats(ctx.input(3));
    const float* variance = Floats(ctx.input(4));
    MR_ASSIGN(
        const Sums sums,
        SumPieces(ctx, l, [&](const Pieces& p, int64_t i, float* s, float* q) {
          std::vector<float> room, more;
          const float* d = dy.At(p.begin(i), p.size(i), room);
          const float* v = in.At(p.begin(i), p.size(i), more);
          if (l.inner == 1) {
            AddGradRows(d, v, mean, p.size(i) / n, n, s, q);
          } else {
            AddGradPlane(d, v, mean[p.channel(i)], p.size(i), s, q);
          }
        }));
    // dx = (dy - a - (x - mean) * b) * factor; given statistics are constants.
    std::vector<float> a(static_cast<size_t>(n)), b(a), factor(a);
    const auto count = static_cast<double>(l.rest());
    for (int64_t c = 0; c < n; ++c) {
      const double r = 1 / std::sqrt(double{variance[c]} + epsilon_);
      offset_sum[c] = static_cast<float>(sums.first[c]);
      scale_sum[c] = static_cast<float>(sums.second[c] * r);
      factor[c] = static_cast<float>(scale[c] * r);
      if (training_) {
        a[c] = static_cast<float>(sums.first[c] / count);
        b[c] = static_cast<float>(sums.second[c] * r * r / count);
      }
    }
    const Pieces pieces(l);
    MutableElements z(out);
    return ctx.ParallelFor(
        pieces.count(), pieces.cost(), [&](int64_t begin, int64_t end) {
          std::vector<float> room, more, result;
          for (int64_t i = begin; i < end; ++i) {
            const int64_t at = pieces.begin(i), size = pieces.size(i);
            const float* d = dy.At(at, size, room);
            const float* v = in.At(at, size, more);
            float* to = z.Room(at, size, result);
            const int64_t c = pieces.channel(i);
            if (l.inner == 1) {
              GradRows(d, v, mean, a.data(), b.data(), factor.data(), size / n,
                       n, to);
            } else {
              GradPlane(d, v, mean[c], a[c], b[c], factor[c], size, to);
            }
            z.Put(at, size, result);
          }
        });
  }

 private:
  float epsilon_ = 0;
  std::string format_;
  bool training_ = true;
};

// The oldest form, by statistics that are given.
class GlobalNormKernel {
 public:
  static StatusOr<GlobalNormKernel> Make(const KernelInit& init) {
    GlobalNormKernel k;
    MR_ASSIGN(k.epsilon_, init.Attr<float>("variance_epsilon"));
    MR_ASSIGN(k.scales_, init.Attr<bool>("scale_after_normalization"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    if (x.rank() != 4) {
      return InvalidArgument("input must be 4-dimensional",
                             x.shape().DebugString());
    }
    for (int i = 1; i < 5; ++i) {
      constexpr const char* kNames[] = {"mean", "var", "beta", "gamma"};
      MR_RETURN_IF_ERROR(CheckChannels(ctx.input(i), kNames[i - 1], x.dim(3)));
    }
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    return Dispatch<float, double, Half>(x.dtype(), [&]<class T>() -> Status {
      using S = ComputeType<T>;
      const T* in = x.flat<T>().data();
      const T* p[4];
      for (int i = 0; i < 4; ++i) p[i] = ctx.input(i + 1).flat<T>().data();
      T* z = out->mutable_flat<T>().data();
      const int64_t n = x.dim(3);
      for (int64_t i = 0; i < x.num_elements(); ++i) {
        const int64_t c = i % n;
        S factor = S(1) / std::sqrt(static_cast<S>(p[1][c]) +
                                    static_cast<S>(epsilon_));
        if (scales_) factor *= static_cast<S>(p[3][c]);
        z[i] = static_cast<T>(
            (static_cast<S>(in[i]) - static_cast<S>(p[0][c])) * factor +
            static_cast<S>(p[2][c]));
      }
      return OkStatus();
    });
  }

 private:
  float epsilon_ = 0;
  bool scales_ = false;
};

}  // namespace
}  // namespace millrace::ops

using namespace millrace;
using namespace millrace::ops;

#define MR_TYPES "T: float, half, bfloat16; U: float"

MR_KERNELS(FusedBatchNorm,
           Cpu){{.types = "T: float", .make = MakeKernel<BatchNormKernel>}};
MR_KERNELS(FusedBatchNormV2,
           Cpu){{.types = MR_TYPES, .make = MakeKernel<BatchNormKernel>}};
MR_KERNELS(FusedBatchNormV3,
           Cpu){{.types = MR_TYPES, .make = MakeKernel<BatchNormKernel>}};
MR_KERNELS(_FusedBatchNormEx, Cpu){{.types = "T: bfloat16, float; U: float",
                                    .make = MakeKernel<BatchNormKernel>}};
MR_KERNELS(FusedBatchNormGrad,
           Cpu){{.types = "T: float", .make = MakeKernel<BatchNormGradKernel>}};
MR_KERNELS(FusedBatchNormGradV2,
           Cpu){{.types = MR_TYPES, .make = MakeKernel<BatchNormGradKernel>}};
MR_KERNELS(FusedBatchNormGradV3,
           Cpu){{.types = MR_TYPES, .make = MakeKernel<BatchNormGradKernel>}};
MR_KERNELS(BatchNormWithGlobalNormalization, Cpu){
    {.types = "T: float, double, half", .make = MakeKernel<GlobalNormKernel>}};
