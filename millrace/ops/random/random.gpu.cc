// Kernels of random numbers with seeds on GPUs.
#include <memory>
#include <utility>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/random/fill.gpu.h"
#include "millrace/ops/random/numbers_shape.h"
#include "millrace/ops/random/random_stream.h"

namespace millrace::ops {
namespace {

template <Distribution kDistribution>
class GpuRandomKernel {
 public:
  static StatusOr<GpuRandomKernel> Make(const KernelInit& init) {
    GpuRandomKernel k;
    MR_ASSIGN_OR_RETURN(k.stream_, RandomStream::Make(init));
    MR_ASSIGN_OR_RETURN(k.fill_, GpuRandomFill::Make(init, kDistribution));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(TensorShape shape, ShapeOfNumbers(ctx.input(0)));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    const int64_t size = out->num_elements();
    if (size == 0) return OkStatus();
    return fill_.Run(
        ctx, stream_->Reserve(static_cast<uint64_t>(size) * kReservedPerOutput),
        out);
  }

 private:
  std::unique_ptr<RandomStream> stream_;
  GpuRandomFill fill_;
};

class GpuRandomUniformIntKernel {
 public:
  static StatusOr<GpuRandomUniformIntKernel> Make(const KernelInit& init) {
    GpuRandomUniformIntKernel k;
    MR_ASSIGN_OR_RETURN(k.stream_, RandomStream::Make(init));
    MR_ASSIGN_OR_RETURN(k.fill_, GpuRandomFill::MakeIntegers(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(TensorShape shape, ShapeOfNumbers(ctx.input(0)));
    for (int i : {1, 2}) {
      if (ctx.input(i).rank() != 0) {
        return InvalidArgument(i == 1 ? "minval" : "maxval",
                               " must be 0-D, got shape ",
                               ctx.input(i).shape().DebugString());
      }
    }
    const int64_t low = IntValues(ctx.input(1))[0];
    const int64_t high = IntValues(ctx.input(2))[0];
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    const int64_t size = out->num_elements();
    if (size == 0) return OkStatus();
    if (low >= high) {
      return InvalidArgument("Need minval < maxval, got ", low, " >= ", high);
    }
    return fill_.RunIntegers(
        ctx, stream_->Reserve(static_cast<uint64_t>(size) * kReservedPerOutput),
        static_cast<uint64_t>(low),
        static_cast<uint64_t>(high) - static_cast<uint64_t>(low), out);
  }

 private:
  std::unique_ptr<RandomStream> stream_;
  GpuRandomFill fill_;
};

template <Distribution kDistribution>
constexpr KernelEntry kGpuRandom = {
    .types = "dtype: half, bfloat16, float, double",
    .make = MakeKernel<GpuRandomKernel<kDistribution>>,
    .host = "shape"};

}  // namespace

MR_KERNELS(RandomUniform, Gpu){kGpuRandom<Distribution::kUniform>};
MR_KERNELS(RandomStandardNormal, Gpu){kGpuRandom<Distribution::kNormal>};
MR_KERNELS(TruncatedNormal, Gpu){kGpuRandom<Distribution::kTruncated>};
MR_KERNELS(RandomUniformInt,
           Gpu){{.make = MakeKernel<GpuRandomUniformIntKernel>,
                 .host = "shape, minval, maxval"}};

}  // namespace millrace::ops
