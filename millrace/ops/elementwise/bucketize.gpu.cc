// Kernel of Bucketize on GPUs.
#include <algorithm>
#include <vector>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"

MR_GPU_SOURCE(elementwise_bucketize);

namespace millrace::ops {
namespace {

class GpuBucketizeKernel {
 public:
  static StatusOr<GpuBucketizeKernel> Make(const KernelInit& init) {
    GpuBucketizeKernel k;
    MR_ASSIGN_OR_RETURN(k.boundaries_,
                        init.Attr<std::vector<float>>("boundaries"));
    if (!std::is_sorted(k.boundaries_.begin(), k.boundaries_.end())) {
      return InvalidArgument("Expected sorted boundaries");
    }
    MR_ASSIGN_OR_RETURN(
        k.bucketize_,
        LoadGpuFunction(init, MR_GPU_SOURCE_OF(elementwise_bucketize),
                        "Bucketize", {{"T", GpuTypeName(init.input_type(0))}}));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(Tensor* const z, ctx.AllocateOutput(0, x.shape()));
    if (x.num_elements() == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(
        const Tensor boundaries,
        UploadToGpu(ctx, boundaries_.data(),
                    static_cast<int64_t>(boundaries_.size() * sizeof(float))));
    return LaunchGpu(ctx, bucketize_, GridOver(x.num_elements()), GpuInput(x),
                     GpuInput(boundaries),
                     static_cast<int32_t>(boundaries_.size()), GpuOutput(*z),
                     x.num_elements());
  }

 private:
  std::vector<float> boundaries_;
  GpuFunction bucketize_;
};

}  // namespace

MR_KERNELS(Bucketize, Gpu){{.make = MakeKernel<GpuBucketizeKernel>}};

}  // namespace millrace::ops
