// Kernels of random numbers whose position is a seed, or a key and a counter,
// on GPUs. Both lie on the host.
#include <utility>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/random/fill.gpu.h"
#include "millrace/ops/random/numbers_shape.h"
#include "millrace/ops/random/stateless_seed.h"

namespace millrace::ops {
namespace {

// Returns the generator for the inputs behind `shape`.
StatusOr<Philox4x32> StatelessGenerator(KernelContext& ctx,
                                        const TensorShape& shape, bool by_key) {
  if (by_key) return PhiloxFromKey(ctx.input(1), ctx.input(2), ctx.input(3));
  if (shape.num_elements() > 0) return PhiloxFromSeed(ctx.input(1));
  // If there are no numbers, a seed may have any type.
  if (ctx.input(1).shape() == TensorShape({2})) return Philox4x32(0, 0);
  return InvalidArgument("seed must have shape [2], not ",
                         ctx.input(1).shape().DebugString());
}

template <Distribution kDistribution, bool kByKey>
class GpuStatelessKernel {
 public:
  static StatusOr<GpuStatelessKernel> Make(const KernelInit& init) {
    GpuStatelessKernel k;
    MR_ASSIGN_OR_RETURN(k.fill_, GpuRandomFill::Make(init, kDistribution));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(TensorShape shape, ShapeOfNumbers(ctx.input(0)));
    MR_ASSIGN_OR_RETURN(const Philox4x32 base,
                        StatelessGenerator(ctx, shape, kByKey));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    return fill_.Run(ctx, base, out);
  }

 private:
  GpuRandomFill fill_;
};

// Makes integers between limits, or any.
template <bool kByKey, bool kHasLimits>
class GpuStatelessIntKernel {
 public:
  static StatusOr<GpuStatelessIntKernel> Make(const KernelInit& init) {
    GpuStatelessIntKernel k;
    MR_ASSIGN_OR_RETURN(k.fill_, GpuRandomFill::MakeIntegers(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(TensorShape shape, ShapeOfNumbers(ctx.input(0)));
    MR_ASSIGN_OR_RETURN(const Philox4x32 base,
                        StatelessGenerator(ctx, shape, kByKey));
    constexpr int kMin = kByKey ? 4 : 2;
    for (int i = kMin; kHasLimits && i <= kMin + 1; ++i) {
      if (ctx.input(i).rank() == 0) continue;
      return InvalidArgument(i == kMin ? "minval" : "maxval",
                             " must be 0-D, got shape ",
                             ctx.input(i).shape().DebugString());
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    if (!kHasLimits) return fill_.RunIntegers(ctx, base, 0, 0, out);
    const int64_t low = IntValues(ctx.input(kMin))[0];
    const int64_t high = IntValues(ctx.input(kMin + 1))[0];
    if (low >= high) {
      return InvalidArgument("Need minval < maxval, got ", low, " >= ", high);
    }
    return fill_.RunIntegers(
        ctx, base, static_cast<uint64_t>(low),
        static_cast<uint64_t>(high) - static_cast<uint64_t>(low), out);
  }

 private:
  GpuRandomFill fill_;
};

template <Distribution kDistribution, bool kByKey>
constexpr KernelEntry kGpuStateless = {
    .types = "dtype: half, bfloat16, float, double",
    .make = MakeKernel<GpuStatelessKernel<kDistribution, kByKey>>,
    .host = kByKey ? "shape, key, counter, alg" : "shape, seed"};
template <bool kByKey, bool kHasLimits>
constexpr KernelEntry GpuStatelessInt(const char* types, const char* host) {
  return {.types = types,
          .make = MakeKernel<GpuStatelessIntKernel<kByKey, kHasLimits>>,
          .host = host};
}

constexpr char kGpuFullInts[] = "dtype: int32, int64, uint32, uint64";
constexpr KernelEntry kSmallOnHost = {.make = OnHost, .host = "*"};

}  // namespace

MR_KERNELS(StatelessRandomUniform,
           Gpu){kGpuStateless<Distribution::kUniform, false>};
MR_KERNELS(StatelessRandomUniformV2,
           Gpu){kGpuStateless<Distribution::kUniform, true>};
MR_KERNELS(StatelessRandomNormal,
           Gpu){kGpuStateless<Distribution::kNormal, false>};
MR_KERNELS(StatelessRandomNormalV2,
           Gpu){kGpuStateless<Distribution::kNormal, true>};
MR_KERNELS(StatelessTruncatedNormal,
           Gpu){kGpuStateless<Distribution::kTruncated, false>};
MR_KERNELS(StatelessTruncatedNormalV2,
           Gpu){kGpuStateless<Distribution::kTruncated, true>};
MR_KERNELS(StatelessRandomUniformInt,
           Gpu){GpuStatelessInt<false, true>("dtype: int32, int64",
                                             "shape, seed, minval, maxval")};
MR_KERNELS(StatelessRandomUniformIntV2, Gpu){
    GpuStatelessInt<true, true>("dtype: int32, int64",
                                "shape, key, counter, alg, minval, maxval")};
MR_KERNELS(StatelessRandomUniformFullInt,
           Gpu){GpuStatelessInt<false, false>(kGpuFullInts, "shape, seed")};
MR_KERNELS(StatelessRandomUniformFullIntV2, Gpu){
    GpuStatelessInt<true, false>(kGpuFullInts, "shape, key, counter, alg")};
MR_KERNELS(StatelessRandomGetKeyCounter, Gpu){kSmallOnHost};
MR_KERNELS(StatelessRandomGetAlg, Gpu){kSmallOnHost};
MR_KERNELS(StatelessRandomGetKeyCounterAlg, Gpu){kSmallOnHost};

}  // namespace millrace::ops
