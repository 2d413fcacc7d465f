// Kernels of ops that copy windows side by side on GPUs.
#include "millrace/ops/convolution/patches.h"

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/state/rows/row_order.gpu.h"

MR_GPU_SOURCE(convolution_patches);

namespace millrace::ops {
namespace {

// As in the device text.
struct GpuPatchWindow {
  GpuDivisor output, filter;
  int32_t input = 1, stride = 1, dilation = 1, before = 0;
};
struct GpuPatchArgs {
  uint64_t x = 0, z = 0;
  uint32_t total = 0;
  int64_t first_row = 0;
  GpuDivisor depth;
  GpuPatchWindow windows[3];
};

template <int kRank>
class PatchesGpu {
 public:
  static StatusOr<PatchesGpu> Make(const KernelInit& init) {
    PatchesGpu k;
    MR_ASSIGN_OR_RETURN(k.options_, PatchOptions<kRank>::Make(init));
    MR_ASSIGN_OR_RETURN(
        k.copy_,
        LoadGpuFunction(init, MR_GPU_SOURCE_OF(convolution_patches), "Patches",
                        {{"T", GpuNameOfSize(init.input_type(0))}}));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    constexpr int64_t kLimit = int64_t{1} << 31;
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const PatchPlan plan, options_.Plan(x.shape()));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, plan.shape));
    if (out->num_elements() == 0) return OkStatus();
    if (x.num_elements() == 0) {
      return FillGpuBytes(ctx, GpuOutput(*out), 0,
                          static_cast<int64_t>(out->size_bytes()));
    }
    GpuPatchArgs a;
    a.x = x.device_address();
    if (plan.depth >= kLimit) return TooMany(plan.shape);
    a.depth = GpuDivisor(static_cast<uint32_t>(plan.depth));
    for (int i = 0; i < kRank - 2; ++i) {
      const Window& w = plan.windows[i];
      for (const int64_t n :
           {w.input, w.output, w.filter, w.stride, w.dilation, w.before}) {
        if (n >= kLimit) return TooMany(plan.shape);
      }
      GpuPatchWindow& to = a.windows[i];
      to.output = GpuDivisor(static_cast<uint32_t>(w.output));
      to.filter = GpuDivisor(static_cast<uint32_t>(w.filter));
      to.input = static_cast<int32_t>(w.input);
      to.stride = static_cast<int32_t>(w.stride);
      to.dilation = static_cast<int32_t>(w.dilation);
      to.before = static_cast<int32_t>(w.before);
    }
    // As many rows (planes of volumes) at a time as have numbers of 31 bits.
    const int64_t rows =
        x.dim(0) * static_cast<int64_t>(a.windows[0].output.divisor);
    const int64_t row = out->num_elements() / rows;
    if (row >= kLimit) return TooMany(plan.shape);
    const int64_t at_once = (kLimit - 1) / row;
    for (int64_t first = 0; first < rows; first += at_once) {
      const int64_t total = std::min(at_once, rows - first) * row;
      a.z = out->device_address() +
            static_cast<uint64_t>(first * row) * SizeOf(out->dtype());
      a.total = static_cast<uint32_t>(total);
      a.first_row = first;
      MR_RETURN_IF_ERROR(LaunchGpu(ctx, copy_, GridOver(total), a));
    }
    return OkStatus();
  }

 private:
  static Status TooMany(const TensorShape& shape) {
    return Unimplemented(
        "Patches on GPUs have less than 2^31 elements in a row of an image or "
        "a plane of a volume, but got ",
        shape.DebugString());
  }

  PatchOptions<kRank> options_;
  GpuFunction copy_;
};

}  // namespace

MR_KERNELS(ExtractImagePatches, Gpu){
    {.types = "T: float, double, half, bfloat16, complex64, "
              "complex128, bool",
     .make = MakeKernel<PatchesGpu<4>>},
    kOnHostIfAsked};
MR_KERNELS(ExtractVolumePatches, Gpu){
    {.types = "T: float, double, half, bfloat16",
     .make = MakeKernel<PatchesGpu<5>>},
    kOnHostIfAsked};

}  // namespace millrace::ops
