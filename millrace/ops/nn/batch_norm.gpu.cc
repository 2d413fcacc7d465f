// Kernels of batch normalization. As on CPUs, the second reserved output is the
// variance; TensorFlow's has its inverse root if cuDNN computes it.
#include "millrace/ops/nn/batch_norm.gpu.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "millrace/kernel/kernel_decl.h"

MR_GPU_SOURCE(nn_batch_norm);

namespace millrace::ops {
namespace {

constexpr int64_t kNormThreads = 256;
// As the order of additions, it must not depend on the card.
constexpr int64_t kNormBlocks = 1024;

}  // namespace

StatusOr<GpuBatchNorm> GpuBatchNorm::Make(const KernelInit& init, What what) {
  GpuBatchNorm n;
  const std::vector<GpuDefine> defines = {
      {"T", GpuTypeName(RemoveRef(init.input_type(0)))}};
  const bool forward = what == What::kForward;
  MR_RETURN_IF_ERROR(LoadGpuFunctions(
      init, MR_GPU_SOURCE_OF(nn_batch_norm), defines,
      {{&n.columns_, forward ? "MeasureColumns" : "MeasureGradientColumns"},
       {&n.planes_, forward ? "MeasurePlanes" : "MeasureGradientPlanes"},
       {&n.join_, forward ? "JoinStatistics" : "JoinGradients"},
       {&n.take_, "TakeStatistics"},
       {&n.apply_one_, forward ? "Normalize1" : "Gradient1"},
       {&n.apply_four_, forward ? "Normalize4" : "Gradient4"},
       {&n.fill_, "FillFloats"}}));
  return n;
}

Status GpuBatchNorm::SetLayout(const ChannelLayout& l, BatchNormArgs* a) {
  if (l.rest() >> 31 != 0 || l.channels >> 31 != 0) {
    return Unimplemented(
        "Batch normalization on GPUs takes channels of less than 2^31 "
        "elements, but got ",
        l.rest());
  }
  a->outer = l.outer;
  a->channels = l.channels;
  a->inner = l.inner;
  if (l.inner > 0) a->by_inner = GpuDivisor(static_cast<uint32_t>(l.inner));
  if (l.channels > 0) {
    a->by_channels = GpuDivisor(static_cast<uint32_t>(l.channels));
  }
  return OkStatus();
}

Status GpuBatchNorm::Measure(KernelContext& ctx, BatchNormArgs& a) const {
  const int64_t total = a.outer * a.inner;
  const bool by_columns = a.inner == 1;
  int64_t blocks = a.channels, least = kNormThreads * 8;
  if (by_columns) {
    while (a.width_shift < 5 && (1 << a.width_shift) < a.channels) {
      ++a.width_shift;
    }
    const int64_t width = int64_t{1} << a.width_shift;
    blocks = (a.channels + width - 1) / width;
    least = kNormThreads / width * 8;
  }
  const int64_t wanted =
      std::max<int64_t>(1, std::min(kNormBlocks / blocks, total / least));
  a.slice = (total + wanted - 1) / wanted;
  a.slices = (total + a.slice - 1) / a.slice;
  MR_ASSIGN_OR_RETURN(const Tensor partial,
                      ctx.AllocateTemp(DataType::kFloat,
                                       TensorShape({2, a.slices, a.channels})));
  a.partial = partial.device_address();
  MR_RETURN_IF_ERROR(
      LaunchGpu(ctx, by_columns ? columns_ : planes_,
                GpuGrid{.blocks = blocks * a.slices, .strided = true}, a));
  constexpr int64_t kWarps = kNormThreads / 32;
  return LaunchGpu(
      ctx, join_,
      GpuGrid{.blocks = (a.channels + kWarps - 1) / kWarps, .strided = true},
      a);
}

Status GpuBatchNorm::Take(KernelContext& ctx, const BatchNormArgs& a) const {
  return LaunchGpu(ctx, take_, GridOver(a.channels), a);
}

Status GpuBatchNorm::Apply(KernelContext& ctx, BatchNormArgs& a) const {
  // Four elements at once where they lie in one channel, or in neighbouring
  // ones, and are aligned to their size.
  constexpr uint64_t kMostBytes = 16;
  const bool four = (a.inner == 1 ? a.channels : a.inner) % 4 == 0 &&
                    (a.x | a.dy | a.side | a.out) % kMostBytes == 0;
  a.units = a.outer * a.channels * a.inner / (four ? 4 : 1);
  return LaunchGpu(ctx, four ? apply_four_ : apply_one_, GridOver(a.units), a);
}

Status GpuBatchNorm::Fill(KernelContext& ctx, Tensor* t, float value) const {
  const int64_t n = t->num_elements();
  return LaunchGpu(ctx, fill_, GridOver(n), GpuOutput(*t), n, value);
}

namespace {

uint64_t AddressOf(const Tensor& t) {
  return t.num_elements() == 0 ? 0 : t.device_address();
}

class BatchNormGpu {
 public:
  static StatusOr<BatchNormGpu> Make(const KernelInit& init) {
    BatchNormGpu k;
    MR_ASSIGN_OR_RETURN(k.attrs_, BatchNormAttrs::Make(init));
    MR_ASSIGN_OR_RETURN(k.norm_,
                        GpuBatchNorm::Make(init, GpuBatchNorm::What::kForward));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const ChannelLayout l, attrs_.Check(ctx));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    Tensor* stats[4];
    for (int i = 0; i < 4; ++i) {
      MR_ASSIGN_OR_RETURN(stats[i],
                          ctx.AllocateOutput(1 + i, TensorShape({l.channels})));
    }
    if (ctx.num_outputs() > 5) {
      MR_ASSIGN_OR_RETURN(Tensor* const t,
                          ctx.AllocateOutput(5, TensorShape()));
      MR_RETURN_IF_ERROR(norm_.Fill(ctx, t, 0));
    }
    if (x.num_elements() == 0) {
      // Without elements there are no statistics.
      for (Tensor* s : stats) {
        MR_RETURN_IF_ERROR(
            norm_.Fill(ctx, s, std::numeric_limits<float>::quiet_NaN()));
      }
      return OkStatus();
    }
    BatchNormArgs a;
    MR_RETURN_IF_ERROR(GpuBatchNorm::SetLayout(l, &a));
    MR_ASSIGN_OR_RETURN(
        const Tensor factors,
        ctx.AllocateTemp(DataType::kFloat, TensorShape({3, l.channels})));
    a.x = x.device_address();
    a.side = attrs_.side ? ctx.input(5).device_address() : 0;
    a.out = out->device_address();
    a.scale = AddressOf(ctx.input(1));
    a.offset = AddressOf(ctx.input(2));
    a.given_mean = AddressOf(ctx.input(3));
    a.given_variance = AddressOf(ctx.input(4));
    a.new_mean = stats[0]->device_address();
    a.new_variance = stats[1]->device_address();
    a.mean = stats[2]->device_address();
    a.variance = stats[3]->device_address();
    a.factors = factors.device_address();
    a.epsilon = attrs_.epsilon;
    a.factor = attrs_.factor;
    a.relu = attrs_.relu ? 1 : 0;
    MR_RETURN_IF_ERROR(attrs_.training ? norm_.Measure(ctx, a)
                                       : norm_.Take(ctx, a));
    return norm_.Apply(ctx, a);
  }

 private:
  BatchNormAttrs attrs_;
  GpuBatchNorm norm_;
};

#define MR_NORM_ON_GPU "T: float, half, bfloat16; U: float"

}  // namespace

MR_KERNELS(FusedBatchNorm,
           Gpu){{.types = "T: float", .make = MakeKernel<BatchNormGpu>}};
MR_KERNELS(FusedBatchNormV2,
           Gpu){{.types = MR_NORM_ON_GPU, .make = MakeKernel<BatchNormGpu>}};
MR_KERNELS(FusedBatchNormV3,
           Gpu){{.types = MR_NORM_ON_GPU, .make = MakeKernel<BatchNormGpu>}};
MR_KERNELS(_FusedBatchNormEx,
           Gpu){{.types = MR_NORM_ON_GPU, .make = MakeKernel<BatchNormGpu>}};

}  // namespace millrace::ops
