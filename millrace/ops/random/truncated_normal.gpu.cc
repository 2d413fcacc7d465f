// The kernel of ParameterizedTruncatedNormal on GPUs. It is asynchronous: what
// is wrong with parameters is copied to the host.
#include "millrace/ops/random/truncated_normal.h"

#include <memory>
#include <utility>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/device_read.gpu.h"
#include "millrace/ops/random/random_stream.h"

MR_GPU_SOURCE(random_fill);
MR_GPU_SOURCE(random_truncated_normal);

namespace millrace::ops {
namespace {

// As in the device text.
struct GpuTruncatedArgs {
  GpuPointer parameters[4];
  int64_t steps[4] = {};
  int64_t batches = 0, samples = 0, size = 0;
};

class TruncatedNormalGpu {
 public:
  static StatusOr<TruncatedNormalGpu> Make(const KernelInit& init) {
    const GpuSource* const sources[] = {
        &MR_GPU_SOURCE_OF(random_fill),
        &MR_GPU_SOURCE_OF(random_truncated_normal)};
    TruncatedNormalGpu k;
    MR_ASSIGN_OR_RETURN(k.stream_, RandomStream::Make(init));
    MR_ASSIGN_OR_RETURN(
        k.sample_, LoadGpuFunction(init, sources, "SampleTruncated",
                                   {{"T", GpuTypeName(init.output_type(0))}}));
    return k;
  }

  void RunAsync(KernelContext& ctx, Done done) const {
    StatusOr<Tensor> wrong = Enqueue(ctx);
    if (!wrong.ok()) return std::move(done)(wrong.status());
    ReadOnHost(
        ctx, *std::move(wrong),
        [](const Tensor& found) {
          constexpr const char* kSamplers[] = {"randn", "uniform",
                                               "exponential distribution"};
          const int32_t what = found.flat<int32_t>()[0];
          if (what == 0) return OkStatus();
          return what == 1 ? TruncatedPlan::BadParameters()
                           : TruncatedPlan::NothingFound(kSamplers[what - 2]);
        },
        std::move(done));
  }

 private:
  StatusOr<Tensor> Enqueue(KernelContext& ctx) const {
    constexpr int kTriers = 64;  // as in the device text
    MR_ASSIGN_OR_RETURN(const TruncatedPlan plan, TruncatedPlan::Make(ctx));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, plan.shape));
    MR_ASSIGN_OR_RETURN(Tensor wrong,
                        ctx.AllocateTemp(DataType::kInt32, TensorShape({1})));
    MR_RETURN_IF_ERROR(FillGpuBytes(ctx, GpuOutput(wrong), 0, sizeof(int32_t)));
    GpuTruncatedArgs a;
    for (int i = 0; i < 4; ++i) {
      a.parameters[i] = GpuInput(ctx.input(i + 1));
      a.steps[i] = ctx.input(i + 1).num_elements() == 1 ? 0 : 1;
    }
    a.batches = plan.batches;
    a.samples = plan.samples;
    a.size = out->num_elements();
    const Philox4x32 base = stream_->Reserve(plan.reserved);
    MR_RETURN_IF_ERROR(LaunchGpu(
        ctx, sample_,
        GpuGrid{.blocks = plan.batches == 0 ? 0 : 1, .threads = kTriers},
        GpuOutput(*out), base, a, GpuOutput(wrong)));
    return wrong;
  }

  std::unique_ptr<RandomStream> stream_;
  GpuFunction sample_;
};

}  // namespace

// Batches go on with one stream, so one block makes all numbers, which a CPU
// does as fast; and a step that is cancelled would wait for it.
MR_KERNELS(ParameterizedTruncatedNormal,
           Gpu){{.types = "dtype: float, double, half",
                 .make = MakeKernel<TruncatedNormalGpu>,
                 .host = "shape",
                 .only_if_asked = true}};

}  // namespace millrace::ops
