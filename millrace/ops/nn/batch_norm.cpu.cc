// Batch normalization. Statistics and their sums are float within a piece of
// rows and double over the pieces, in an order that threads do not change.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/nn/channel_loops.h"
#include "millrace/ops/nn/channel_pieces.h"

namespace millrace::ops {
namespace {

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
    MR_ASSIGN(const ChannelLayout l, ChannelLayoutOf(format_, x.shape()));
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
    const FloatElements in(x);
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
    const ChannelPieces pieces(l);
    MutableFloatElements z(out, 2 * out->size_bytes());
    const FloatElements side(ctx.input(side_ ? 5 : 0));
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
  static Status Measure(KernelContext& ctx, const FloatElements& in,
                        const ChannelLayout& l, float* mean, float* variance) {
    const auto count = static_cast<double>(l.rest());
    std::fill(mean, mean + l.channels, 0.0f);
    const auto add = [&](const ChannelPieces& p, int64_t i, float* sums,
                         float* sq) {
      std::vector<float> room;
      const float* x = in.At(p.begin(i), p.size(i), room);
      if (l.inner == 1) {
        AddRows(x, mean, p.size(i) / l.channels, l.channels, sums, sq);
      } else {
        AddPlane(x, mean[p.channel(i)], p.size(i), sums, sq);
      }
    };
    MR_ASSIGN(const ChannelSums total, SumPieces(ctx, l, add));
    for (int64_t c = 0; c < l.channels; ++c) {
      mean[c] = static_cast<float>(total.first[c] / count);
    }
    MR_ASSIGN(const ChannelSums about, SumPieces(ctx, l, add));
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
