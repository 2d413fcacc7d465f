#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

enum class FillMode { kConstant, kReflect, kWrap, kNearest };

// Returns the number of whole periods; 0 for positions beyond any image.
float WholePeriods(float at, float period) {
  const float quotient = at / period;
  return std::abs(quotient) < 9e18f ? std::trunc(quotient) : 0.0f;
}

// Returns the position that is read for a position outside of [0, size).
float MapInto(FillMode mode, float at, int64_t size) {
  const auto length = static_cast<float>(size);
  const float last = length - 1;
  switch (mode) {
    case FillMode::kConstant:
      return at;
    case FillMode::kNearest:
      break;
    case FillMode::kReflect: {  // dcba|abcd|dcba
      const float period = 2 * length;
      if (at < 0) {
        if (size <= 1) return 0;
        at += period * WholePeriods(-at, period);
        at = at < -length ? at + period : -at - 1;
      } else if (at > last) {
        if (size <= 1) return 0;
        at -= period * WholePeriods(at, period);
        if (at >= length) at = period - at - 1;
      }
      break;
    }
    case FillMode::kWrap:  // abcd|abcd|abcd
      if (at < 0) {
        if (size <= 1) return 0;
        at += length * (WholePeriods(-at, last) + 1);
      } else if (at > last) {
        if (size <= 1) return 0;
        at -= length * WholePeriods(at, last);
      }
      break;
  }
  // Half a pixel beyond the last one would be rounded up.
  return std::min(std::max(at, 0.0f), last);
}

template <class T>
struct Picture {
  const T* pixels;
  int64_t height, width, depth;
  T outside;

  // NaN is outside, too.
  T At(float y, float x, int64_t c) const {
    if (!(y >= 0 && y < static_cast<float>(height) && x >= 0 &&
          x < static_cast<float>(width))) {
      return outside;
    }
    const auto row = static_cast<int64_t>(y), column = static_cast<int64_t>(x);
    return pixels[(row * width + column) * depth + c];
  }
};

template <class T>
T Bilinear(const Picture<T>& p, float y, float x, int64_t c) {
  using S = ComputeType<T>;
  const float top = std::floor(y), left = std::floor(x);
  const float bottom = top + 1, right = left + 1;
  const auto row = [&](float at) {
    return (right - x) * static_cast<float>(static_cast<S>(p.At(at, left, c))) +
           (x - left) * static_cast<float>(static_cast<S>(p.At(at, right, c)));
  };
  const float value = (bottom - y) * row(top) + (y - top) * row(bottom);
  if constexpr (std::is_integral_v<T>) {
    // A value out of the type's range becomes 0 or its smallest number.
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
    MR_ASSIGN_OR_RETURN(const auto interpolation,
                        init.Attr<std::string>("interpolation"));
    if (interpolation != "NEAREST" && interpolation != "BILINEAR") {
      return InvalidArgument("Invalid interpolation ", interpolation,
                             ". Supported types: NEAREST, BILINEAR");
    }
    k.bilinear_ = interpolation == "BILINEAR";
    MR_ASSIGN_OR_RETURN(const auto mode, init.Attr<std::string>("fill_mode"));
    if (mode == "REFLECT") {
      k.mode_ = FillMode::kReflect;
    } else if (mode == "WRAP") {
      k.mode_ = FillMode::kWrap;
    } else if (mode == "NEAREST") {
      k.mode_ = FillMode::kNearest;
    } else if (mode != "CONSTANT") {
      return InvalidArgument(
          "Invalid mode ", mode,
          ". Supported types: REFLECT, WRAP, CONSTANT, NEAREST");
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& images = ctx.input(0);
    const Tensor& transforms = ctx.input(1);
    const Tensor& size = ctx.input(2);
    MR_RETURN_IF_ERROR(CheckInputs(images, transforms, size));
    float outside = 0;
    if (ctx.num_inputs() > 3) {
      if (ctx.input(3).rank() != 0) {
        return InvalidArgument("fill_value must be a scalar",
                               ctx.input(3).shape().DebugString());
      }
      outside = ctx.input(3).scalar<float>();
    }
    const auto sizes = size.flat<int32_t>();
    const int64_t height = sizes[0], width = sizes[1], depth = images.dim(3);
    MR_ASSIGN_OR_RETURN(
        const TensorShape shape,
        TensorShape::Make({images.dim(0), height, width, depth}));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    const float* const matrices = transforms.flat<float>().data();
    const int64_t step = transforms.dim(0) == 1 ? 0 : 8;
    using ProjectTypes =
        Types<uint8_t, int32_t, int64_t, Half, Bfloat16, float, double>;
    return Dispatch(ProjectTypes{}, images.dtype(), [&]<class T>() -> Status {
      Picture<T> picture{nullptr, images.dim(1), images.dim(2), depth,
                         Outside<T>(outside)};
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
  static Status CheckInputs(const Tensor& images, const Tensor& transforms,
                            const Tensor& size) {
    if (images.rank() != 4) {
      return InvalidArgument("Input images must have rank 4");
    }
    if (transforms.rank() != 2 || transforms.dim(1) != 8 ||
        (transforms.dim(0) != 1 && transforms.dim(0) != images.dim(0))) {
      return InvalidArgument(
          "Input transform should be num_images x 8 or 1 x 8");
    }
    if (size.rank() != 1) {
      return InvalidArgument("output shape must be 1-dimensional",
                             size.shape().DebugString());
    }
    if (size.num_elements() != 2) {
      return InvalidArgument("output shape must have two elements",
                             size.shape().DebugString());
    }
    const auto sizes = size.flat<int32_t>();
    if (sizes[0] <= 0 || sizes[1] <= 0) {
      return InvalidArgument("output dimensions must be positive");
    }
    return OkStatus();
  }

  template <class T>
  static T Outside(float value) {
    if constexpr (std::is_integral_v<T>) {
      if (!(std::abs(value) < 9.2e18f)) return std::numeric_limits<T>::min();
      return static_cast<T>(static_cast<int64_t>(value));
    } else {
      return static_cast<T>(value);
    }
  }

  template <class T>
  void FillRow(const Picture<T>& p, const float* m, float row, int64_t width,
               T* out) const {
    for (int64_t i = 0; i < width; ++i, out += p.depth) {
      const auto column = static_cast<float>(i);
      const float projection = m[6] * column + m[7] * row + 1;
      if (projection == 0) {  // infinitely far away
        std::fill_n(out, p.depth, p.outside);
        continue;
      }
      float x = (m[0] * column + m[1] * row + m[2]) / projection;
      float y = (m[3] * column + m[4] * row + m[5]) / projection;
      x = MapInto(mode_, x, p.width);
      y = MapInto(mode_, y, p.height);
      if (!bilinear_) {
        x = std::round(x);
        y = std::round(y);
      }
      for (int64_t c = 0; c < p.depth; ++c) {
        out[c] = bilinear_ ? Bilinear(p, y, x, c) : p.At(y, x, c);
      }
    }
  }

  bool bilinear_ = false;
  FillMode mode_ = FillMode::kConstant;
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
