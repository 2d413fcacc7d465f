// Kernels of Multinomial and its stateless form on GPUs.
#include <limits>
#include <memory>
#include <utility>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/random/fill.h"
#include "millrace/ops/random/multinomial.h"
#include "millrace/ops/random/random_stream.h"
#include "millrace/ops/random/stateless_seed.h"

MR_GPU_SOURCE(random_multinomial);

namespace millrace::ops {
namespace {

// What both kernels enqueue.
class GpuClasses {
 public:
  static StatusOr<GpuClasses> Make(const KernelInit& init) {
    GpuClasses c;
    const std::vector<GpuDefine> defines = {
        {"T", GpuTypeName(init.input_type(0))},
        {"OUT", GpuTypeName(init.output_type(0))}};
    const GpuSource& source = MR_GPU_SOURCE_OF(random_multinomial);
    MR_ASSIGN_OR_RETURN(c.accumulate_,
                        LoadGpuFunction(init, source, "Accumulate", defines));
    MR_ASSIGN_OR_RETURN(c.draw_,
                        LoadGpuFunction(init, source, "Draw", defines));
    return c;
  }

  Status Run(KernelContext& ctx, const MultinomialDraw& d,
             const Philox4x32& base, Tensor* out) const {
    MR_ASSIGN_OR_RETURN(const TensorShape shape,
                        TensorShape::Make({d.rows, d.classes}));
    MR_ASSIGN_OR_RETURN(Tensor sums,
                        ctx.AllocateTemp(DataType::kDouble, shape));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, accumulate_, {.blocks = d.rows},
                                 GpuInput(ctx.input(0)), GpuOutput(sums),
                                 d.classes));
    return LaunchGpu(ctx, draw_, GridOver(out->num_elements()), GpuInput(sums),
                     GpuOutput(*out), base, d.rows, d.classes, d.samples);
  }

 private:
  GpuFunction accumulate_, draw_;
};

template <bool kStateless>
class GpuMultinomialKernel {
 public:
  static StatusOr<GpuMultinomialKernel> Make(const KernelInit& init) {
    GpuMultinomialKernel k;
    if (!kStateless) {
      MR_ASSIGN_OR_RETURN(k.stream_, RandomStream::Make(init));
    }
    MR_ASSIGN_OR_RETURN(k.classes_, GpuClasses::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    Philox4x32 base;
    if (kStateless) {
      MR_ASSIGN_OR_RETURN(base, PhiloxFromSeed(ctx.input(2)));
    }
    MR_ASSIGN_OR_RETURN(const MultinomialDraw d,
                        CheckMultinomial(ctx.input(0), ctx.input(1)));
    MR_ASSIGN_OR_RETURN(const TensorShape shape,
                        TensorShape::Make({d.rows, d.samples}));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    if (!kStateless) {
      // As many as the CPU's kernel reserves.
      const auto reserved =
          static_cast<uint64_t>(d.rows * ((d.samples + 3) / 4 * 8));
      base = stream_->Reserve(reserved * kReservedPerOutput);
    }
    return classes_.Run(ctx, d, base, out);
  }

 private:
  std::unique_ptr<RandomStream> stream_;
  GpuClasses classes_;
};

constexpr char kGpuLogits[] = "T: half, bfloat16, float, double";

}  // namespace

MR_KERNELS(Multinomial, Gpu){{.types = kGpuLogits,
                              .make = MakeKernel<GpuMultinomialKernel<false>>,
                              .host = "num_samples"}};
MR_KERNELS(StatelessMultinomial,
           Gpu){{.types = kGpuLogits,
                 .make = MakeKernel<GpuMultinomialKernel<true>>,
                 .host = "num_samples, seed"}};

}  // namespace millrace::ops
