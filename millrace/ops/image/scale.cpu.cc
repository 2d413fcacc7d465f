// ScaleAndTranslate: samples an image as a continuous function, with one of
// several kernels, which widen where the image gets smaller.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/image/rows/sum_taps.h"

namespace millrace::ops {
namespace {

// A kernel is even, and 0 beyond its radius.
struct SamplingKernel {
  const char* name;
  float radius;
  float (*at)(float distance);
};

template <int kRadius>
float Lanczos(float x) {
  constexpr float kPi = std::numbers::pi_v<float>;
  if (x > kRadius) return 0;
  if (x <= 1e-3f) return 1;
  return kRadius * std::sin(kPi * x) * std::sin(kPi * x / kRadius) /
         (kPi * kPi * x * x);
}
float Gaussian(float x) {
  constexpr float kSigma = 0.5f;
  return x >= 3 * kSigma ? 0 : std::exp(-x * x / (2 * kSigma * kSigma));
}
float Box(float x) { return x < 0.5f ? 1 : x == 0.5f ? 0.5f : 0; }
float Triangle(float x) { return x < 1 ? 1 - x : 0; }
// Keys, "Cubic convolution interpolation for digital image processing", 1981.
float KeysCubic(float x) {
  if (x >= 2) return 0;
  return x >= 1 ? ((-0.5f * x + 2.5f) * x - 4) * x + 2
                : (1.5f * x - 2.5f) * x * x + 1;
}
// Mitchell and Netravali, "Reconstruction filters in computer graphics", 1988.
float MitchellCubic(float x) {
  if (x >= 2) return 0;
  return x >= 1 ? ((-7.0f / 18 * x + 2) * x - 10.0f / 3) * x + 16.0f / 9
                : (7.0f / 6 * x - 2) * x * x + 8.0f / 9;
}

constexpr SamplingKernel kKernels[] = {
    {"lanczos1", 1, &Lanczos<1>},
    {"lanczos3", 3, &Lanczos<3>},
    {"lanczos5", 5, &Lanczos<5>},
    {"gaussian", 1.5, &Gaussian},
    {"box", 1, &Box},
    {"triangle", 1, &Triangle},
    {"keyscubic", 2, &KeysCubic},
    {"mitchellcubic", 2, &MitchellCubic},
};

Axis SampleAxis(const SamplingKernel& kernel, bool antialias, int64_t in,
                int64_t out, float scale, float translation) {
  Axis axis;
  const float inverse = 1 / scale;
  const float shift = -inverse * translation;
  const float widening = antialias ? std::max(inverse, 1.0f) : 1.0f;
  const float reach = kernel.radius * widening;
  const auto limit = static_cast<float>(in);
  CountedVector<float> weights;
  for (int64_t i = 0; i < out; ++i, axis.EndPlace()) {
    const float at = (static_cast<float>(i) + 0.5f) * inverse + shift;
    if (!(at >= 0 && at <= limit)) continue;  // outside: 0
    const auto place = [&](float x) {
      return std::min(static_cast<int64_t>(std::min(std::max(x, 0.0f), limit)),
                      in - 1);
    };
    const int64_t first = place(std::ceil(at - reach - 0.5f));
    const int64_t last = place(std::floor(at + reach - 0.5f));
    weights.clear();
    float sum = 0;
    for (int64_t k = first; k <= last; ++k) {
      const float distance = static_cast<float>(k) + 0.5f - at;
      weights.push_back(kernel.at(std::abs(distance * (1 / widening))));
      sum += weights.back();
    }
    if (std::abs(sum) < 1000 * std::numeric_limits<float>::min()) continue;
    for (int64_t k = first; k <= last; ++k) {
      const float weight = weights[static_cast<size_t>(k - first)] / sum;
      if (weight != 0) axis.Add(k, weight);
    }
  }
  return axis;
}

struct Pair {
  float y, x;
};
StatusOr<Pair> ReadPair(const Tensor& t) {
  if (t.rank() != 1) {
    return InvalidArgument("t must be 1-dimensional", t.shape().DebugString());
  }
  if (t.num_elements() != 2) {
    return InvalidArgument("t must have two elements", t.shape().DebugString());
  }
  return Pair{t.flat<float>()[0], t.flat<float>()[1]};
}

// Holds the attributes of both directions, and makes axes from inputs.
class ScaleBase {
 protected:
  struct Axes {
    Axis y, x;
  };

  // Makes axes from [.., in_height, in_width, ..] to [.., height, width, ..].
  Status MakeAxes(KernelContext& ctx, int64_t in_height, int64_t in_width,
                  int64_t height, int64_t width, Axes* axes) const {
    MR_ASSIGN_OR_RETURN(const Pair scale, ReadPair(ctx.input(2)));
    if (!(scale.y > 0 && scale.x > 0)) {
      return InvalidArgument("Scale must be greater than zero.");
    }
    MR_ASSIGN_OR_RETURN(const Pair shift, ReadPair(ctx.input(3)));
    axes->y =
        SampleAxis(*kernel_, antialias_, in_height, height, scale.y, shift.y);
    axes->x =
        SampleAxis(*kernel_, antialias_, in_width, width, scale.x, shift.x);
    return OkStatus();
  }

  Status Init(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(antialias_, init.Attr<bool>("antialias"));
    MR_ASSIGN_OR_RETURN(const auto type, init.Attr<std::string>("kernel_type"));
    for (const SamplingKernel& kernel : kKernels) {
      if (type == kernel.name) kernel_ = &kernel;
    }
    if (kernel_ == nullptr) {
      return InvalidArgument("Unrecognized kernel type: ", type);
    }
    return OkStatus();
  }

 private:
  bool antialias_ = true;
  const SamplingKernel* kernel_ = nullptr;
};

class ScaleKernel : public ScaleBase {
 public:
  static StatusOr<ScaleKernel> Make(const KernelInit& init) {
    ScaleKernel k;
    MR_RETURN_IF_ERROR(k.Init(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& in = ctx.input(0);
    const Tensor& size = ctx.input(1);
    if (in.rank() != 4) {
      return InvalidArgument("input must be 4-dimensional",
                             in.shape().DebugString());
    }
    if (size.rank() != 1) {
      return InvalidArgument("output_shape_t must be 1-dimensional",
                             size.shape().DebugString());
    }
    if (size.num_elements() != 2) {
      return InvalidArgument("output_shape_t must have two elements",
                             size.shape().DebugString());
    }
    const int64_t height = size.flat<int32_t>()[0];
    const int64_t width = size.flat<int32_t>()[1];
    if (height <= 0 || width <= 0) {
      return InvalidArgument("output dimensions must be positive");
    }
    if (in.dim(3) <= 0) {
      return InvalidArgument("image must have at least one channel");
    }
    if (in.dim(1) <= 0 || in.dim(2) <= 0) {
      return InvalidArgument("input image must be of non-zero size");
    }
    MR_ASSIGN_OR_RETURN(
        const TensorShape shape,
        TensorShape::Make({in.dim(0), height, width, in.dim(3)}));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    Axes axes;
    MR_RETURN_IF_ERROR(
        MakeAxes(ctx, in.dim(1), in.dim(2), height, width, &axes));
    return SumTaps(ctx, in, axes.y, axes.x, out);
  }
};

class ScaleGradKernel : public ScaleBase {
 public:
  static StatusOr<ScaleGradKernel> Make(const KernelInit& init) {
    ScaleGradKernel k;
    MR_RETURN_IF_ERROR(k.Init(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& grads = ctx.input(0);
    const TensorShape& original = ctx.input(1).shape();
    if (grads.rank() != 4) {
      return InvalidArgument("input_grad must be 4-dimensional",
                             grads.shape().DebugString());
    }
    if (original.rank() != 4) {
      return InvalidArgument("original_image must be 4-dimensional",
                             original.DebugString());
    }
    const int64_t in_height = original.dim(1), in_width = original.dim(2);
    // As in stock, the batch and channels are those of the gradients.
    MR_ASSIGN_OR_RETURN(
        TensorShape shape,
        TensorShape::Make({grads.dim(0), in_height, in_width, grads.dim(3)}));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    // A side of gradients without elements may be endless.
    const bool none = grads.num_elements() == 0;
    Axes axes;
    MR_RETURN_IF_ERROR(MakeAxes(ctx, in_height, in_width,
                                none ? 0 : grads.dim(1),
                                none ? 0 : grads.dim(2), &axes));
    if (none) return ZeroTensor(ctx, out);
    return SumTaps(ctx, grads, Transposed(axes.y, in_height),
                   Transposed(axes.x, in_width), out);
  }
};

}  // namespace

MR_KERNELS(ScaleAndTranslate,
           Cpu){{.types = "T: bfloat16, double, float, half, int16, int32, "
                          "int64, int8, uint16, uint32, uint64, uint8",
                 .make = MakeKernel<ScaleKernel>,
                 .host = "size, scale, translation"}};
MR_KERNELS(ScaleAndTranslateGrad, Cpu){{.types = "T: float",
                                        .make = MakeKernel<ScaleGradKernel>,
                                        .host = "scale, translation"}};

}  // namespace millrace::ops
