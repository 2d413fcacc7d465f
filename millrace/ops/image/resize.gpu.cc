// Kernels that resize images. The tables of both axes are those of CPUs.
#include <cstring>
#include <vector>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/image/resize_plane.h"

MR_GPU_SOURCE(image_resize);

namespace millrace::ops {
namespace {

// As in the device text.
struct ResizeArgs {
  uint64_t in = 0, out = 0, first_y = 0, first_x = 0, taps_y = 0, taps_x = 0;
  uint32_t total = 0;
  int32_t in_height = 0, in_width = 0;
  GpuDivisor height, width, channels;
};

// Both axes as one table, whose parts begin at these bytes.
struct AxisTable {
  std::vector<int32_t> words;
  size_t first_y = 0, first_x = 0, taps_y = 0, taps_x = 0;

  AxisTable(const Axis& y, const Axis& x) {
    first_y = AddFirst(y);
    first_x = AddFirst(x);
    taps_y = AddTaps(y);
    taps_x = AddTaps(x);
  }

 private:
  size_t AddFirst(const Axis& axis) {
    const size_t at = words.size() * sizeof(int32_t);
    for (const int64_t i : axis.first) {
      words.push_back(static_cast<int32_t>(i));
    }
    return at;
  }
  size_t AddTaps(const Axis& axis) {
    if (words.size() % 2 != 0) words.push_back(0);  // taps have 8 bytes
    const size_t at = words.size() * sizeof(int32_t);
    for (const Tap& t : axis.taps) {
      words.push_back(static_cast<int32_t>(t.place));
      int32_t weight;
      std::memcpy(&weight, &t.weight, sizeof(weight));
      words.push_back(weight);
    }
    return at;
  }
};

class ResizeFunction {
 public:
  static StatusOr<ResizeFunction> Make(const KernelInit& init, bool weighted,
                                       const char* acc) {
    ResizeFunction f;
    MR_ASSIGN_OR_RETURN(
        f.resize_,
        LoadGpuFunction(init, MR_GPU_SOURCE_OF(image_resize), "Resize",
                        {{"IN", GpuTypeName(RemoveRef(init.input_type(0)))},
                         {"OUT", GpuTypeName(RemoveRef(init.output_type(0)))},
                         {"ACC", acc},
                         {"WEIGHTED", weighted ? "1" : "0"}}));
    return f;
  }
  Status Run(KernelContext& ctx, const Tensor& in, const Axis& y, const Axis& x,
             Tensor* out) const {
    const int64_t total = out->num_elements();
    if (total >> 31 != 0) {
      return Unimplemented(
          "Images are resized on GPUs to less than 2^31 elements, but got ",
          out->shape().DebugString());
    }
    const AxisTable table(y, x);
    MR_ASSIGN_OR_RETURN(const Tensor uploaded,
                        UploadToGpu(ctx, table.words.data(),
                                    static_cast<int64_t>(table.words.size() *
                                                         sizeof(int32_t))));
    ResizeArgs a;
    a.in = in.device_address();
    a.out = out->device_address();
    const uintptr_t base = uploaded.device_address();
    a.first_y = base + table.first_y;
    a.first_x = base + table.first_x;
    a.taps_y = base + table.taps_y;
    a.taps_x = base + table.taps_x;
    a.total = static_cast<uint32_t>(total);
    a.in_height = static_cast<int32_t>(in.dim(1));
    a.in_width = static_cast<int32_t>(in.dim(2));
    a.height = GpuDivisor(static_cast<uint32_t>(out->dim(1)));
    a.width = GpuDivisor(static_cast<uint32_t>(out->dim(2)));
    a.channels = GpuDivisor(static_cast<uint32_t>(out->dim(3)));
    return LaunchGpu(ctx, resize_, GridOver(total), a);
  }

 private:
  GpuFunction resize_;
};

// Returns the type of sums of elements.
const char* AccOf(DataType type) {
  return type == DataType::kDouble ? "double"
         : IsInteger(type)         ? "int64_t"
                                   : "float";
}

template <ResizeMethod kMethod>
class ResizeGpu {
 public:
  static StatusOr<ResizeGpu> Make(const KernelInit& init) {
    ResizeGpu k;
    MR_ASSIGN_OR_RETURN(k.options_, ReadResizeOptions(init));
    const bool nearest = kMethod == ResizeMethod::kNearest;
    MR_ASSIGN_OR_RETURN(
        k.function_,
        ResizeFunction::Make(
            init, !nearest,
            nearest ? AccOf(RemoveRef(init.input_type(0))) : "float"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const TensorShape shape, ResizedShape(x, ctx.input(1)));
    MR_RETURN_IF_ERROR(ExpectChannels(x));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    const Plane p = MakePlane(kMethod, options_, x.shape(), shape);
    return function_.Run(ctx, x, p.y, p.x, out);
  }

 private:
  ResizeOptions options_;
  ResizeFunction function_;
};

// Each pixel of the original sums what took it, in the order of CPUs.
template <ResizeMethod kMethod>
class ResizeGradGpu {
 public:
  static StatusOr<ResizeGradGpu> Make(const KernelInit& init) {
    ResizeGradGpu k;
    MR_ASSIGN_OR_RETURN(k.options_, ReadResizeOptions(init));
    MR_ASSIGN_OR_RETURN(
        k.function_,
        ResizeFunction::Make(init, !kOfNearest,
                             AccOf(RemoveRef(init.output_type(0)))));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& grad = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const TensorShape shape,
                        kOfNearest ? UnresizedShape(grad, ctx.input(1))
                                   : OriginalShape(grad, ctx.input(1)));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    const Plane p = MakePlane(kMethod, options_, shape, grad.shape());
    return function_.Run(ctx, grad, Transposed(p.y, shape.dim(1)),
                         Transposed(p.x, shape.dim(2)), out);
  }

 private:
  static constexpr bool kOfNearest = kMethod == ResizeMethod::kNearest;
  ResizeOptions options_;
  ResizeFunction function_;
};

#define MR_IMAGES_ON_GPU                                                 \
  "T: float, double, half, bfloat16, int8, int16, int32, int64, uint8, " \
  "uint16"

}  // namespace

MR_KERNELS(ResizeBilinear,
           Gpu){{.types = MR_IMAGES_ON_GPU,
                 .make = MakeKernel<ResizeGpu<ResizeMethod::kBilinear>>,
                 .host = "size"}};
MR_KERNELS(ResizeNearestNeighbor,
           Gpu){{.types = MR_IMAGES_ON_GPU,
                 .make = MakeKernel<ResizeGpu<ResizeMethod::kNearest>>,
                 .host = "size"}};
MR_KERNELS(ResizeBilinearGrad,
           Gpu){{.types = "T: float, bfloat16, half, double",
                 .make = MakeKernel<ResizeGradGpu<ResizeMethod::kBilinear>>}};
MR_KERNELS(ResizeNearestNeighborGrad,
           Gpu){{.types = MR_IMAGES_ON_GPU,
                 .make = MakeKernel<ResizeGradGpu<ResizeMethod::kNearest>>,
                 .host = "size"}};

}  // namespace millrace::ops
