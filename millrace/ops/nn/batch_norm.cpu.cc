// Kernels of batch normalization. Statistics and their sums are float within a
// piece of rows and double over the pieces, in an order that does not depend on
// threads.
#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/nn/batch_norm.h"
#include "millrace/ops/nn/channel_loops.h"

namespace millrace::ops {

StatusOr<BatchNormAttrs> BatchNormAttrs::Make(const KernelInit& init) {
  BatchNormAttrs k;
  MR_ASSIGN_OR_RETURN(k.epsilon, init.Attr<float>("epsilon"));
  MR_ASSIGN_OR_RETURN(k.factor, init.Attr<float>("exponential_avg_factor"));
  MR_ASSIGN_OR_RETURN(k.format, init.Attr<std::string>("data_format"));
  MR_ASSIGN_OR_RETURN(k.training, init.Attr<bool>("is_training"));
  if (!init.HasAttr("activation_mode")) return k;
  MR_ASSIGN_OR_RETURN(const auto mode,
                      init.Attr<std::string>("activation_mode"));
  if (mode != "Identity" && mode != "Relu") {
    return InvalidArgument("Unsupported activation mode: ", mode);
  }
  k.relu = mode == "Relu";
  k.side = init.num_inputs() > 5;
  if (init.num_inputs() > 6) {
    return InvalidArgument("FusedBatchNorm accepts at most one side input.");
  }
  if (k.side && !k.relu) {
    return InvalidArgument(
        "Identity activation is not supported with non-empty side input");
  }
  return k;
}

namespace {

// Checks statistics that an input has, which are read if they are `given`.
Status CheckGiven(const Tensor& t, const std::string& name, bool given,
                  bool training, int64_t channels) {
  if (t.rank() != 1) return CheckChannels(t, ("estimated_" + name).c_str(), 1);
  if (!given) return OkStatus();
  const std::string when = training ? "When exponential_avg_factor != 1, "
                                    : "When is_training=false, ";
  return CheckChannels(t, (when + name).c_str(), channels);
}

}  // namespace

StatusOr<ChannelLayout> BatchNormAttrs::Check(KernelContext& ctx) const {
  const Tensor& x = ctx.input(0);
  MR_ASSIGN_OR_RETURN(const ChannelLayout l,
                      ChannelLayoutOf(format, x.shape()));
  const int64_t n = l.channels;
  if (side && !(ctx.input(5).shape() == x.shape())) {
    return InvalidArgument("side_input shape must be equal to input shape: ",
                           ctx.input(5).shape().DebugString(),
                           " != ", x.shape().DebugString());
  }
  MR_RETURN_IF_ERROR(CheckChannels(ctx.input(1), "scale", n));
  MR_RETURN_IF_ERROR(CheckChannels(ctx.input(2), "offset", n));
  const bool given = !training || factor != 1.0f;
  for (const int i : {3, 4}) {
    MR_RETURN_IF_ERROR(CheckGiven(ctx.input(i), i == 3 ? "mean" : "variance",
                                  given, training, n));
  }
  return l;
}

namespace {

class BatchNormKernel {
 public:
  static StatusOr<BatchNormKernel> Make(const KernelInit& init) {
    BatchNormKernel k;
    MR_ASSIGN_OR_RETURN(k.attrs_, BatchNormAttrs::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const ChannelLayout l, attrs_.Check(ctx));
    const int64_t n = l.channels;
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    float* stats[4];
    for (int i = 0; i < 4; ++i) {
      MR_ASSIGN_OR_RETURN(Tensor* const t,
                          ctx.AllocateOutput(1 + i, TensorShape({n})));
      stats[i] = t->mutable_flat<float>().data();
    }
    if (ctx.num_outputs() > 5) {
      MR_ASSIGN_OR_RETURN(Tensor* const t,
                          ctx.AllocateOutput(5, TensorShape()));
      t->mutable_flat<float>().data()[0] = 0;
    }
    const FloatElements in(x);
    const float* scale = Floats(ctx.input(1));
    const float* offset = Floats(ctx.input(2));
    const float* old_mean = Floats(ctx.input(3));
    const float* old_variance = Floats(ctx.input(4));
    if (x.num_elements() == 0) {
      // Without elements there are no statistics.
      for (float* s : stats) {
        std::fill(s, s + n, std::numeric_limits<float>::quiet_NaN());
      }
      return OkStatus();
    }
    if (attrs_.training) {
      MR_RETURN_IF_ERROR(Measure(ctx, in, l, stats[2], stats[3]));
      const double count = static_cast<double>(l.rest());
      const double bessel = count / std::max(1.0, count - 1);
      for (int64_t c = 0; c < n; ++c) {
        const auto variance = static_cast<float>(stats[3][c] * bessel);
        stats[0][c] = attrs_.factor == 1.0f
                          ? stats[2][c]
                          : old_mean[c] * (1 - attrs_.factor) +
                                stats[2][c] * attrs_.factor;
        stats[1][c] = attrs_.factor == 1.0f
                          ? variance
                          : old_variance[c] * (1 - attrs_.factor) +
                                variance * attrs_.factor;
      }
    } else {
      for (const int i : {0, 2}) {
        std::copy(old_mean, old_mean + n, stats[i]);
        std::copy(old_variance, old_variance + n, stats[i + 1]);
      }
    }
    CountedVector<float> factors(static_cast<size_t>(n));
    for (int64_t c = 0; c < n; ++c) {
      factors[c] = scale[c] / std::sqrt(stats[3][c] + attrs_.epsilon);
    }
    const ChannelPieces pieces(l);
    MutableFloatElements z(out, 2 * out->size_bytes());
    const FloatElements side(ctx.input(attrs_.side ? 5 : 0));
    return ctx.ParallelFor(
        pieces.count(), pieces.cost(), [&](int64_t begin, int64_t end) {
          CountedVector<float> room, result;
          for (int64_t k = begin; k < end; ++k) {
            const int64_t i = pieces.Reversed(k);
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
            if (attrs_.side) {
              AddAndRectify(side.At(at, size, room), size, to);
            } else if (attrs_.relu) {
              Rectify(size, to);
            }
            z.Put(at, size, result);
          }
        });
  }

 private:
  // Computes means, and variances around them. Each piece is measured around
  // its own mean while it is in the cache; pieces are combined as in Chan,
  // Golub and LeVeque, "Updating formulae and a pairwise algorithm for
  // computing sample variances" (1979).
  static Status Measure(KernelContext& ctx, const FloatElements& in,
                        const ChannelLayout& l, float* mean, float* variance) {
    const ChannelPieces pieces(l);
    const int64_t width = pieces.width();
    const auto count_of = [&](int64_t piece) {
      return static_cast<double>(pieces.size(piece) / width);
    };
    // For each piece, by channel: a shift close to the mean, and the sums of
    // elements minus the shift and of their squares.
    CountedVector<float> parts(static_cast<size_t>(3 * pieces.count() * width));
    MR_RETURN_IF_ERROR(ctx.ParallelFor(
        pieces.count(), 2 * pieces.cost(), [&](int64_t begin, int64_t end) {
          CountedVector<float> room;
          for (int64_t i = begin; i < end; ++i) {
            const float* x = in.At(pieces.begin(i), pieces.size(i), room);
            MeasurePiece(x, pieces.size(i) / width, width, l.inner == 1,
                         parts.data() + 3 * i * width);
          }
        }));
    CountedVector<double> sums(static_cast<size_t>(l.channels));
    CountedVector<double> squares(sums);  // around the means
    CountedVector<double> counts(sums);
    for (int64_t i = 0; i < pieces.count(); ++i) {
      const float* const shift = parts.data() + 3 * i * width;
      const double n = count_of(i);
      for (int64_t k = 0; k < width; ++k) {
        const size_t c = static_cast<size_t>(pieces.channel(i) + k);
        // Infinite elements have a mean, but no finite difference from it.
        const float more = shift[width + k];
        const double rest = std::isfinite(more) ? more / n : 0.0;
        const double piece_mean = shift[k] + rest;
        squares[c] += shift[2 * width + k] - rest * rest * n;
        if (counts[c] > 0) {
          const double apart = piece_mean - sums[c] / counts[c];
          squares[c] += apart * apart * counts[c] * n / (counts[c] + n);
        }
        sums[c] += piece_mean * n;
        counts[c] += n;
      }
    }
    for (int64_t c = 0; c < l.channels; ++c) {
      mean[c] = static_cast<float>(sums[c] / counts[c]);
      const double square = squares[c] / counts[c];
      variance[c] = static_cast<float>(square < 0 ? 0 : square);  // keeps NaN
    }
    return OkStatus();
  }

  static void MeasurePiece(const float* x, int64_t rows, int64_t width,
                           bool channels_last, float* shift) {
    float* const first = shift + width;
    float* const second = first + width;
    if (!channels_last) {
      AddPlane(x, 0, rows, first, second);
      *shift = *first / static_cast<float>(rows);
      *first = *second = 0;
      return AddPlane(x, *shift, rows, first, second);
    }
    AddRows(x, shift, rows, width, first, second);
    for (int64_t c = 0; c < width; ++c) {
      shift[c] = first[c] / static_cast<float>(rows);
      first[c] = second[c] = 0;
    }
    AddRows(x, shift, rows, width, first, second);
  }

  BatchNormAttrs attrs_;
};

}  // namespace

#define MR_TYPES "T: float, half, bfloat16; U: float"

MR_KERNELS(FusedBatchNorm,
           Cpu){{.types = "T: float", .make = MakeKernel<BatchNormKernel>}};
MR_KERNELS(FusedBatchNormV2,
           Cpu){{.types = MR_TYPES, .make = MakeKernel<BatchNormKernel>}};
MR_KERNELS(FusedBatchNormV3,
           Cpu){{.types = MR_TYPES, .make = MakeKernel<BatchNormKernel>}};
MR_KERNELS(_FusedBatchNormEx, Cpu){{.types = "T: bfloat16, float; U: float",
                                    .make = MakeKernel<BatchNormKernel>}};

}  // namespace millrace::ops
