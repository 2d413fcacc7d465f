#include <algorithm>
#include <cmath>
#include <string>

#include "millrace/base/random.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/random/distributions.h"
#include "millrace/ops/random/random_stream.h"

namespace millrace::ops {
namespace {

enum class GlimpseVersion { kFirst, kSecond };
enum class Noise { kUniform, kGaussian, kZero };

// The part of a window of `size` that lies within an image of `limit` along one
// axis.
struct Overlap {
  int64_t from = 0;   // in the image
  int64_t to = 0;     // in the window
  int64_t count = 0;  // 0: no overlap
  bool all = false;   // no noise is needed

  Overlap(float at, int64_t size, int64_t limit) {
    // A window further away is outside, however large it is.
    constexpr float kFar = 4e9f;
    const auto offset = at >= -kFar && at <= kFar ? static_cast<int64_t>(at)
                                                  : int64_t{-1} << 62;
    if (offset < 0) {
      count = std::max<int64_t>(0, size + offset);
      to = size - count;
    } else {
      from = offset;
      all = offset + size < limit;
      count = all ? size : std::max<int64_t>(0, limit - offset);
    }
    count = std::min({count, limit, size - to});
    if (all) count = size;
  }
};

template <GlimpseVersion kVersion>
class GlimpseKernel {
 public:
  static StatusOr<GlimpseKernel> Make(const KernelInit& init) {
    GlimpseKernel k;
    MR_ASSIGN_OR_RETURN(k.normalized_, init.Attr<bool>("normalized"));
    MR_ASSIGN_OR_RETURN(k.centered_, init.Attr<bool>("centered"));
    MR_ASSIGN_OR_RETURN(const bool uniform, init.Attr<bool>("uniform_noise"));
    MR_ASSIGN_OR_RETURN(const auto noise, init.Attr<std::string>("noise"));
    if (uniform && !noise.empty() && noise != "uniform") {
      return InvalidArgument(
          "The uniform_noise and noise could not be specified at the same "
          "time");
    }
    if (noise == "uniform" || (noise.empty() && uniform)) {
      k.noise_ = Noise::kUniform;
    } else if (noise == "gaussian" || noise.empty()) {
      k.noise_ = Noise::kGaussian;
    } else if (noise == "zero") {
      k.noise_ = Noise::kZero;
    } else {
      return InvalidArgument(
          "The noise could only be uniform, gaussian, or zero, got", noise);
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& input = ctx.input(0);
    const Tensor& size = ctx.input(1);
    const Tensor& offsets = ctx.input(2);
    MR_RETURN_IF_ERROR(CheckInputs(input, size, offsets));
    const auto sizes = size.flat<int32_t>();
    MR_ASSIGN_OR_RETURN(
        const TensorShape shape,
        TensorShape::Make({input.dim(0), sizes[0], sizes[1], input.dim(3)}));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    const float* const in = input.flat<float>().data();
    const float* const at = offsets.flat<float>().data();
    float* const z = out->mutable_flat<float>().data();
    const int64_t in_size = input.num_elements() / input.dim(0);
    const int64_t out_size = out->num_elements() / input.dim(0);
    return ctx.ParallelFor(input.dim(0), out_size * 4,
                           [&](int64_t begin, int64_t end) {
                             for (int64_t i = begin; i < end; ++i) {
                               Glimpse(input.shape(), shape, at + 2 * i,
                                       in + i * in_size, z + i * out_size);
                             }
                           });
  }

 private:
  static Status CheckInputs(const Tensor& input, const Tensor& size,
                            const Tensor& offsets) {
    if (input.rank() != 4) {
      return InvalidArgument(
          "input must be 4-dimensional (batch_size, height, width, depth)",
          input.shape().DebugString());
    }
    if (size.rank() != 1 || size.dim(0) != 2) {
      return InvalidArgument("input must be a vector of size 2 (height, width)",
                             size.shape().DebugString());
    }
    if (offsets.rank() != 2) {
      return InvalidArgument("input must be a matrix",
                             offsets.shape().DebugString());
    }
    if (offsets.dim(0) != input.dim(0)) {
      return InvalidArgument("first dimension should be batch",
                             offsets.shape().DebugString());
    }
    if (offsets.dim(1) != 2) {
      return InvalidArgument("second dimension should be of size 2 (y,x)",
                             offsets.shape().DebugString());
    }
    return OkStatus();
  }

  // Returns the first pixel of the window.
  float Start(float offset, int64_t limit, int64_t size) const {
    const auto whole = static_cast<float>(limit);
    const auto window = static_cast<float>(size);
    if (normalized_) offset *= whole;
    constexpr bool kFirst = kVersion == GlimpseVersion::kFirst;
    // The second version moves to the centre only if its attributes say so.
    const bool halves = kFirst || normalized_;
    if (centered_) {
      if (halves) offset /= 2;
      offset += whole / 2;
    }
    if (kFirst || (normalized_ && centered_)) offset -= window / 2;
    return offset;
  }

  void Glimpse(const TensorShape& in, const TensorShape& out, const float* at,
               const float* from, float* to) const {
    const int64_t depth = in.dim(3);
    const Overlap y(Start(at[0], in.dim(1), out.dim(1)), out.dim(1), in.dim(1));
    const Overlap x(Start(at[1], in.dim(2), out.dim(2)), out.dim(2), in.dim(2));
    if (!y.all || !x.all) {
      Fill(from, in.dim(1) * in.dim(2), depth, to, out.dim(1) * out.dim(2));
    }
    if (x.count == 0) return;
    for (int64_t row = 0; row < y.count; ++row) {
      std::copy_n(from + ((y.from + row) * in.dim(2) + x.from) * depth,
                  x.count * depth,
                  to + ((y.to + row) * out.dim(2) + x.to) * depth);
    }
  }

  // Fills with noise like the image: uniform between its extremes, or by the
  // mean and the deviation of each channel and limited to its extremes.
  void Fill(const float* from, int64_t pixels, int64_t depth, float* to,
            int64_t count) const {
    if (noise_ == Noise::kZero || pixels == 0) {
      std::fill_n(to, count * depth, 0.0f);
      return;
    }
    Philox4x32 generator(RandomUint64(), RandomUint64());
    SingleNumbers next(&generator);
    if (noise_ == Noise::kUniform) {
      const auto [low, high] = std::minmax_element(from, from + pixels * depth);
      for (int64_t i = 0; i < count * depth; ++i) {
        to[i] = *low + UniformFloat(next()) * (*high - *low);
      }
      return;
    }
    for (int64_t c = 0; c < depth; ++c) {
      double sum = 0, squares = 0;
      float low = from[c], high = from[c];
      for (int64_t i = 0; i < pixels; ++i) {
        const float v = from[i * depth + c];
        sum += double{v};
        squares += double{v} * double{v};
        low = std::min(low, v);
        high = std::max(high, v);
      }
      const double mean = sum / static_cast<double>(pixels);
      const double variance =
          squares / static_cast<double>(pixels) - mean * mean;
      const double deviation = std::sqrt(std::max(variance, 0.0));
      for (int64_t i = 0; i < count; ++i) {
        const double normal =
            double{NormalFloats(next(), next()).first} * deviation + mean;
        to[i * depth + c] =
            std::max(low, std::min(high, static_cast<float>(normal)));
      }
    }
  }

  bool normalized_ = true, centered_ = true;
  Noise noise_ = Noise::kUniform;
};

}  // namespace

MR_KERNELS(ExtractGlimpse,
           Cpu){{.make = MakeKernel<GlimpseKernel<GlimpseVersion::kFirst>>,
                 .host = "size"}};
MR_KERNELS(ExtractGlimpseV2,
           Cpu){{.make = MakeKernel<GlimpseKernel<GlimpseVersion::kSecond>>,
                 .host = "size"}};

}  // namespace millrace::ops
