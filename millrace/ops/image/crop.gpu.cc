// Kernels of CropAndResize and its gradients on GPUs. They are asynchronous, as
// TensorFlow's: what is wrong with boxes is copied to the host.
#include "millrace/ops/image/crop.h"

#include <string>
#include <utility>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/device_read.gpu.h"

MR_GPU_SOURCE(image_pixels_crop_shared);
MR_GPU_SOURCE(image_crop);

namespace millrace::ops {
namespace {

// As in the device text.
struct GpuCrops {
  GpuPointer boxes, image;
  int64_t count = 0, images = 0, height = 0, width = 0, depth = 0;
  int64_t crop_height = 0, crop_width = 0;

  // `images` and `crops` have rank 4.
  GpuCrops(const Tensor& of_boxes, const Tensor& index,
           const TensorShape& of_images, const TensorShape& crops)
      : boxes(GpuInput(of_boxes)),
        image(GpuInput(index)),
        count(of_boxes.dim(0)),
        images(of_images.dim(0)),
        height(of_images.dim(1)),
        width(of_images.dim(2)),
        depth(of_images.dim(3)),
        crop_height(crops.dim(1)),
        crop_width(crops.dim(2)) {}
};

StatusOr<GpuFunction> LoadCrop(const KernelInit& init, const char* entry,
                               DataType type) {
  const GpuSource* const sources[] = {
      &MR_GPU_SOURCE_OF(image_pixels_crop_shared),
      &MR_GPU_SOURCE_OF(image_crop)};
  return LoadGpuFunction(init, sources, entry, {{"T", GpuTypeName(type)}});
}

// What one of the ops computes: its kernel, that which looks for wrong boxes,
// and the attributes.
class CropBase {
 public:
  Status Load(const KernelInit& init, const char* entry, DataType type) {
    if (init.HasAttr("method")) {
      MR_ASSIGN_OR_RETURN(const auto method, init.Attr<std::string>("method"));
      nearest_ = method == "nearest";
    }
    MR_ASSIGN_OR_RETURN(check_, LoadCrop(init, "CheckBoxes", type));
    MR_ASSIGN_OR_RETURN(compute_, LoadCrop(init, entry, type));
    return OkStatus();
  }

  // Enqueues a look at the boxes, and returns what it will have found.
  StatusOr<Tensor> Check(KernelContext& ctx, const GpuCrops& a) const {
    MR_ASSIGN_OR_RETURN(Tensor wrong,
                        ctx.AllocateTemp(DataType::kInt32, TensorShape({1})));
    MR_RETURN_IF_ERROR(FillGpuBytes(ctx, GpuOutput(wrong), 0, sizeof(int32_t)));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, check_, GridOver(a.count), a.boxes,
                                 a.image, GpuOutput(wrong), a.count, a.images));
    return wrong;
  }

  // Completes `done` when the host has what was found. `finite`: whether boxes
  // have to be.
  static void Finish(KernelContext& ctx, StatusOr<Tensor> wrong, bool finite,
                     Done done) {
    if (!wrong.ok()) return std::move(done)(wrong.status());
    ReadOnHost(
        ctx, *std::move(wrong),
        [finite](const Tensor& found) {
          const int32_t bits = found.flat<int32_t>()[0];
          if ((bits & 1) != 0) return BadImageOfBox();
          if (finite && (bits & 2) != 0) return BadBox();
          return OkStatus();
        },
        std::move(done));
  }

 protected:
  bool nearest_ = false;
  GpuFunction check_, compute_;
};

class CropGpu : public CropBase {
 public:
  static StatusOr<CropGpu> Make(const KernelInit& init) {
    CropGpu k;
    MR_ASSIGN_OR_RETURN(k.outside_, init.Attr<float>("extrapolation_value"));
    MR_RETURN_IF_ERROR(k.Load(init, "Crop", init.input_type(0)));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    Finish(ctx, Enqueue(ctx), true, std::move(done));
  }

 private:
  StatusOr<Tensor> Enqueue(KernelContext& ctx) const {
    const Tensor &image = ctx.input(0), &boxes = ctx.input(1);
    MR_RETURN_IF_ERROR(CheckCropImages(image, "input image"));
    MR_RETURN_IF_ERROR(CheckCropBoxes(boxes, ctx.input(2)));
    MR_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes,
                        CropSize(ctx.input(3)));
    MR_ASSIGN_OR_RETURN(
        const TensorShape shape,
        TensorShape::Make({boxes.dim(0), sizes[0], sizes[1], image.dim(3)}));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    const GpuCrops a(boxes, ctx.input(2), image.shape(), shape);
    MR_ASSIGN_OR_RETURN(Tensor wrong, Check(ctx, a));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, compute_, GridOver(out->num_elements()),
                                 GpuInput(image), GpuOutput(*out), a, outside_,
                                 nearest_));
    return wrong;
  }

  float outside_ = 0;
};

class CropGradImageGpu : public CropBase {
 public:
  static StatusOr<CropGradImageGpu> Make(const KernelInit& init) {
    CropGradImageGpu k;
    MR_RETURN_IF_ERROR(k.Load(init, "GradientOfImages", init.output_type(0)));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    Finish(ctx, Enqueue(ctx), false, std::move(done));
  }

 private:
  StatusOr<Tensor> Enqueue(KernelContext& ctx) const {
    const Tensor &grads = ctx.input(0), &boxes = ctx.input(1);
    MR_RETURN_IF_ERROR(CheckCropImages(grads, "grads image"));
    MR_ASSIGN_OR_RETURN(const TensorShape shape, CroppedShape(ctx.input(3)));
    MR_RETURN_IF_ERROR(CheckCropBoxes(boxes, ctx.input(2)));
    MR_RETURN_IF_ERROR(CheckCropGrads(grads, boxes.dim(0), shape.dim(3),
                                      "image_size and grads are incompatible"));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    const GpuCrops a(boxes, ctx.input(2), shape, grads.shape());
    MR_ASSIGN_OR_RETURN(Tensor wrong, Check(ctx, a));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, compute_, GridOver(out->num_elements()),
                                 GpuInput(grads), GpuOutput(*out), a,
                                 nearest_));
    return wrong;
  }
};

class CropGradBoxesGpu : public CropBase {
 public:
  static StatusOr<CropGradBoxesGpu> Make(const KernelInit& init) {
    CropGradBoxesGpu k;
    MR_RETURN_IF_ERROR(k.Load(init, "GradientOfBoxes", init.input_type(1)));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    Finish(ctx, Enqueue(ctx), false, std::move(done));
  }

 private:
  StatusOr<Tensor> Enqueue(KernelContext& ctx) const {
    const Tensor &grads = ctx.input(0), &image = ctx.input(1);
    const Tensor& boxes = ctx.input(2);
    MR_RETURN_IF_ERROR(CheckCropImages(grads, "grads image"));
    MR_RETURN_IF_ERROR(CheckCropImages(image, "input image"));
    MR_RETURN_IF_ERROR(CheckCropBoxes(boxes, ctx.input(3)));
    MR_RETURN_IF_ERROR(CheckCropGrads(grads, boxes.dim(0), image.dim(3),
                                      "image, grads depth differ"));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, TensorShape({boxes.dim(0), 4})));
    const GpuCrops a(boxes, ctx.input(3), image.shape(), grads.shape());
    MR_ASSIGN_OR_RETURN(Tensor wrong, Check(ctx, a));
    MR_RETURN_IF_ERROR(
        LaunchGpu(ctx, compute_, GpuGrid{.blocks = a.count, .strided = true},
                  GpuInput(grads), GpuInput(image), GpuOutput(*out), a));
    return wrong;
  }
};

constexpr char kGpuCropTypes[] = "T: float, double, half";

}  // namespace

MR_KERNELS(CropAndResize, Gpu){
    {.types = kGpuCropTypes, .make = MakeKernel<CropGpu>, .host = "crop_size"},
    kOnHostIfAsked};
MR_KERNELS(CropAndResizeGradImage, Gpu){{.types = kGpuCropTypes,
                                         .make = MakeKernel<CropGradImageGpu>,
                                         .host = "image_size"}};
MR_KERNELS(CropAndResizeGradBoxes, Gpu){
    {.types = kGpuCropTypes, .make = MakeKernel<CropGradBoxesGpu>},
    kOnHostIfAsked};

}  // namespace millrace::ops
