// Kernels of projective transforms on GPUs.
#include "millrace/ops/image/project.h"

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"

MR_GPU_SOURCE(image_pixels_project_shared);
MR_GPU_SOURCE(image_project);

namespace millrace::ops {
namespace {

class ProjectGpu {
 public:
  static StatusOr<ProjectGpu> Make(const KernelInit& init) {
    const GpuSource* const sources[] = {
        &MR_GPU_SOURCE_OF(image_pixels_project_shared),
        &MR_GPU_SOURCE_OF(image_project)};
    ProjectGpu k;
    MR_ASSIGN_OR_RETURN(k.options_, ProjectOptions::Make(init));
    MR_ASSIGN_OR_RETURN(
        k.project_, LoadGpuFunction(init, sources, "Project",
                                    {{"T", GpuTypeName(init.input_type(0))}}));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const ProjectInputs in, ProjectInputs::Read(ctx));
    const Tensor &images = ctx.input(0), &transforms = ctx.input(1);
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, in.shape));
    const int64_t n = out->num_elements();
    const int64_t step = transforms.dim(0) == 1 ? 0 : 8;
    return LaunchGpu(ctx, project_, GridOver(n), GpuInput(images),
                     GpuInput(transforms), GpuOutput(*out), n, images.dim(1),
                     images.dim(2), images.dim(3), in.shape.dim(1),
                     in.shape.dim(2), step, in.outside,
                     static_cast<int32_t>(options_.mode), options_.bilinear);
  }

 private:
  ProjectOptions options_;
  GpuFunction project_;
};

#define MR_GPU_PROJECT_TYPES "dtype: uint8, int32, int64, half, float, double"

}  // namespace

MR_KERNELS(ImageProjectiveTransformV2, Gpu){{.types = MR_GPU_PROJECT_TYPES,
                                             .make = MakeKernel<ProjectGpu>,
                                             .host = "output_shape"},
                                            kOnHostIfAsked};
MR_KERNELS(ImageProjectiveTransformV3, Gpu){
    {.types = MR_GPU_PROJECT_TYPES,
     .make = MakeKernel<ProjectGpu>,
     .host = "output_shape, fill_value"},
    kOnHostIfAsked};

}  // namespace millrace::ops
