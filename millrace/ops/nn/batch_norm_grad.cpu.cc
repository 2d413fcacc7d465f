// Kernels of gradients of batch normalization, summed as in batch_norm.cpu.cc.
#include <algorithm>
#include <cmath>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/nn/batch_norm.h"
#include "millrace/ops/nn/channel_loops.h"

namespace millrace::ops {
namespace {

// TensorFlow calls an input by one name where it speaks of its rank, and by
// another where it speaks of its size.
Status CheckSaved(const Tensor& t, const char* of_rank, const char* of_size,
                  int64_t channels) {
  return CheckChannels(t, t.rank() == 1 ? of_size : of_rank, channels);
}

}  // namespace

StatusOr<BatchNormGradAttrs> BatchNormGradAttrs::Make(const KernelInit& init) {
  BatchNormGradAttrs k;
  MR_ASSIGN_OR_RETURN(k.epsilon, init.Attr<float>("epsilon"));
  MR_ASSIGN_OR_RETURN(k.format, init.Attr<std::string>("data_format"));
  MR_ASSIGN_OR_RETURN(k.training, init.Attr<bool>("is_training"));
  return k;
}

StatusOr<ChannelLayout> BatchNormGradAttrs::Check(KernelContext& ctx) const {
  const Tensor& grad = ctx.input(0);
  const Tensor& x = ctx.input(1);
  MR_RETURN_IF_ERROR(ChannelLayoutOf(format, grad.shape()).status());
  MR_ASSIGN_OR_RETURN(const ChannelLayout l,
                      ChannelLayoutOf(format, x.shape()));
  if (grad.shape() != x.shape()) {
    return InvalidArgument(
        "x and y_backprop must have same shape, but x has shape ",
        x.shape().DebugString(), " and y_backprop has shape ",
        grad.shape().DebugString());
  }
  const int64_t n = l.channels;
  MR_RETURN_IF_ERROR(CheckChannels(ctx.input(2), "scale", n));
  MR_RETURN_IF_ERROR(
      CheckSaved(ctx.input(3), "saved mean", "reserve_space_1", n));
  MR_RETURN_IF_ERROR(
      CheckSaved(ctx.input(4), "saved variance", "reserve_space_2", n));
  return l;
}

namespace {

class BatchNormGradKernel {
 public:
  static StatusOr<BatchNormGradKernel> Make(const KernelInit& init) {
    BatchNormGradKernel k;
    MR_ASSIGN_OR_RETURN(k.attrs_, BatchNormGradAttrs::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor grad = ctx.input(0);
    const Tensor x = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const ChannelLayout l, attrs_.Check(ctx));
    const int64_t n = l.channels;
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    MR_ASSIGN_OR_RETURN(Tensor* const d_scale,
                        ctx.AllocateOutput(1, TensorShape({n})));
    MR_ASSIGN_OR_RETURN(Tensor* const d_offset,
                        ctx.AllocateOutput(2, TensorShape({n})));
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
    const FloatElements dy(grad), in(x);
    const float* scale = Floats(ctx.input(2));
    const float* mean = Floats(ctx.input(3));
    const float* variance = Floats(ctx.input(4));
    MR_ASSIGN_OR_RETURN(
        const ChannelSums sums,
        SumPieces(ctx, l,
                  [&](const ChannelPieces& p, int64_t i, float* s, float* q) {
                    CountedVector<float> room, more;
                    const float* d = dy.At(p.begin(i), p.size(i), room);
                    const float* v = in.At(p.begin(i), p.size(i), more);
                    if (l.inner == 1) {
                      AddGradRows(d, v, mean, p.size(i) / n, n, s, q);
                    } else {
                      AddGradPlane(d, v, mean[p.channel(i)], p.size(i), s, q);
                    }
                  }));
    // dx = (dy - a - (x - mean) * b) * factor; given statistics are constants.
    CountedVector<float> a(static_cast<size_t>(n)), b(a), factor(a);
    const auto count = static_cast<double>(l.rest());
    for (int64_t c = 0; c < n; ++c) {
      const double r = 1 / std::sqrt(double{variance[c]} + attrs_.epsilon);
      offset_sum[c] = static_cast<float>(sums.first[c]);
      scale_sum[c] = static_cast<float>(sums.second[c] * r);
      factor[c] = static_cast<float>(scale[c] * r);
      if (attrs_.training) {
        a[c] = static_cast<float>(sums.first[c] / count);
        b[c] = static_cast<float>(sums.second[c] * r * r / count);
      }
    }
    const ChannelPieces pieces(l);
    MutableFloatElements z(out, 3 * out->size_bytes());
    return ctx.ParallelFor(
        pieces.count(), pieces.cost(), [&](int64_t begin, int64_t end) {
          CountedVector<float> room, more, result;
          for (int64_t k = begin; k < end; ++k) {
            const int64_t i = pieces.Reversed(k);
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
  BatchNormGradAttrs attrs_;
};

}  // namespace

#define MR_TYPES "T: float, half, bfloat16; U: float"

MR_KERNELS(FusedBatchNormGrad,
           Cpu){{.types = "T: float", .make = MakeKernel<BatchNormGradKernel>}};
MR_KERNELS(FusedBatchNormGradV2,
           Cpu){{.types = MR_TYPES, .make = MakeKernel<BatchNormGradKernel>}};
MR_KERNELS(FusedBatchNormGradV3,
           Cpu){{.types = MR_TYPES, .make = MakeKernel<BatchNormGradKernel>}};

}  // namespace millrace::ops
