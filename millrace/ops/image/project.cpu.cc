#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/image/project.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

using project::Picture;

// Returns a computed value as an element: of an integer that is out of the
// type's range, 0 or its smallest number.
template <class T>
T ElementOf(float value) {
  if constexpr (std::is_integral_v<T>) {
    if (!(std::abs(value) < 9.2e18f)) return std::numeric_limits<T>::min();
    return static_cast<T>(static_cast<int64_t>(value));
  } else {
    return static_cast<T>(value);
  }
}

class ProjectKernel {
 public:
  static StatusOr<ProjectKernel> Make(const KernelInit& init) {
    ProjectKernel k;
    MR_ASSIGN_OR_RETURN(k.options_, ProjectOptions::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& images = ctx.input(0);
    const Tensor& transforms = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const ProjectInputs in, ProjectInputs::Read(ctx));
    const TensorShape& shape = in.shape;
    const int64_t height = shape.dim(1), width = shape.dim(2);
    const int64_t depth = shape.dim(3);
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    const float* const matrices = transforms.flat<float>().data();
    const int64_t step = transforms.dim(0) == 1 ? 0 : 8;
    using ProjectTypes =
        Types<uint8_t, int32_t, int64_t, Half, Bfloat16, float, double>;
    return Dispatch(ProjectTypes{}, images.dtype(), [&]<class T>() -> Status {
      Picture<T> picture{nullptr, images.dim(1), images.dim(2), depth,
                         ElementOf<T>(in.outside)};
      const T* const pixels = images.flat<T>().data();
      T* const z = out->mutable_flat<T>().data();
      const int64_t image_size = picture.height * picture.width * depth;
      return ctx.ParallelFor(shape.dim(0) * height, width * (20 + depth * 5),
                             [&](int64_t begin, int64_t end) {
                               Picture<T> p = picture;
                               for (int64_t row = begin; row < end; ++row) {
                                 p.pixels = pixels + row / height * image_size;
                                 FillRow(p, matrices + row / height * step,
                                         static_cast<float>(row % height),
                                         width, z + row * width * depth);
                               }
                             });
    });
  }

 private:
  template <class T>
  void FillRow(const Picture<T>& p, const float* m, float row, int64_t width,
               T* out) const {
    for (int64_t i = 0; i < width; ++i, out += p.depth) {
      const auto column = static_cast<float>(i);
      const project::Place place = project::Projected(m, column, row);
      if (!place.exists) {
        std::fill_n(out, p.depth, p.outside);
        continue;
      }
      float x = project::MapInto(options_.mode, place.x, p.width);
      float y = project::MapInto(options_.mode, place.y, p.height);
      if (!options_.bilinear) {
        x = std::round(x);
        y = std::round(y);
      }
      for (int64_t c = 0; c < p.depth; ++c) {
        out[c] = options_.bilinear ? ElementOf<T>(p.Bilinear(y, x, c))
                                   : p.At(y, x, c);
      }
    }
  }

  ProjectOptions options_;
};

#define MR_PROJECT_TYPES \
  "dtype: uint8, int32, int64, half, bfloat16, float, double"

}  // namespace

MR_KERNELS(ImageProjectiveTransformV2, Cpu){{.types = MR_PROJECT_TYPES,
                                             .make = MakeKernel<ProjectKernel>,
                                             .host = "output_shape"}};
MR_KERNELS(ImageProjectiveTransformV3,
           Cpu){{.types = MR_PROJECT_TYPES,
                 .make = MakeKernel<ProjectKernel>,
                 .host = "output_shape, fill_value"}};

}  // namespace millrace::ops
