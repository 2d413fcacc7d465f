// The kernel of HistogramFixedWidth. What is no number is left out, as in
// TensorFlow on GPUs; on CPUs it is an error.
#include "millrace/ops/reduction/histogram.h"

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"

MR_GPU_SOURCE(reduction_histogram);

namespace millrace::ops {
namespace {

class HistogramGpu {
 public:
  static StatusOr<HistogramGpu> Make(const KernelInit& init) {
    HistogramGpu k;
    MR_ASSIGN_OR_RETURN(
        k.count_,
        LoadGpuFunction(init, MR_GPU_SOURCE_OF(reduction_histogram),
                        "CountInBins",
                        {{"T", GpuTypeName(RemoveRef(init.input_type(0)))},
                         {"R", GpuTypeName(RemoveRef(init.output_type(0)))}}));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& values = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const HistogramPlan plan,
                        PlanHistogram(ctx.input(1), ctx.input(2)));
    MR_ASSIGN_OR_RETURN(Tensor* const z,
                        ctx.AllocateOutput(0, TensorShape({plan.bins})));
    MR_RETURN_IF_ERROR(FillGpuBytes(ctx, GpuOutput(*z), 0,
                                    static_cast<int64_t>(z->size_bytes())));
    const int64_t n = values.num_elements();
    return LaunchGpu(ctx, count_, GridOver(n), GpuInput(values), GpuOutput(*z),
                     n, plan.low, plan.width, plan.bins);
  }

 private:
  GpuFunction count_;
};

}  // namespace

MR_KERNELS(HistogramFixedWidth, Gpu){
    {.make = MakeKernel<HistogramGpu>, .host = "value_range, nbins"}};

}  // namespace millrace::ops
