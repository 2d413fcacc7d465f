// Kernels of QuantizedBatchNormWithGlobalNormalization and
// QuantizedInstanceNorm.
#include <cmath>
#include <limits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/quantize/range.h"

namespace millrace::ops {
namespace {

// Computes z = x scale / one + offset by channel, all in the range of the
// output; x is looked up in a table, since it has 256 values.
MR_TARGET_CLONES void ScaleRow(const uint8_t* x, const int32_t* table,
                               const int32_t* scales, const int32_t* offsets,
                               int32_t one, int32_t* z, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const auto product = static_cast<int32_t>(
        static_cast<uint32_t>(table[x[i]]) * static_cast<uint32_t>(scales[i]));
    z[i] = static_cast<int32_t>(static_cast<uint32_t>(product / one) +
                                static_cast<uint32_t>(offsets[i]));
  }
}

class BatchNorm {
 public:
  static StatusOr<BatchNorm> Make(const KernelInit& init) {
    BatchNorm k;
    MR_ASSIGN_OR_RETURN(k.epsilon_, init.Attr<float>("variance_epsilon"));
    MR_ASSIGN_OR_RETURN(k.scales_,
                        init.Attr<bool>("scale_after_normalization"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    constexpr const char* kNames[] = {"input", "mean", "var", "beta", "gamma"};
    Range ranges[5];
    for (int i = 0; i < 5; ++i) {
      MR_ASSIGN_OR_RETURN(
          ranges[i], OneElementRange(ctx, 3 * i + 1, 3 * i + 2, kNames[i]));
    }
    const Tensor& x = ctx.input(0);
    MR_RETURN_IF_ERROR(CheckShapes(ctx));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    const int64_t depth = x.dim(3);
    // The range is -2^20 to 2^20.
    const Range to{-static_cast<float>(1 << 20), static_cast<float>(1 << 20)};
    CountedVector<int32_t> scales, offsets;
    for (int64_t i = 0; i < depth; ++i) {
      const auto value = [&](int tensor) {
        return Dequantize<Quint8>(Bytes(ctx.input(3 * tensor))[i],
                                  ranges[tensor]);
      };
      float scale = 1.0f / std::sqrt(value(2) + epsilon_);
      if (scales_) scale *= value(4);
      const float offset = -value(1) * scale + value(3);
      scales.push_back(Quantize<Qint32>(scale, to));
      offsets.push_back(Quantize<Qint32>(offset, to));
    }
    const int32_t one = Quantize<Qint32>(1.0f, to);
    int32_t table[256];
    for (int i = 0; i < 256; ++i) {
      table[i] = Quantize<Qint32>(
          Dequantize<Quint8>(static_cast<uint8_t>(i), ranges[0]), to);
    }
    const uint8_t* in = Bytes(x);
    auto* z = reinterpret_cast<int32_t*>(out->mutable_data());
    MR_RETURN_IF_ERROR(ctx.ParallelFor(
        x.num_elements() / depth, depth * 2, [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            ScaleRow(in + row * depth, table, scales.data(), offsets.data(),
                     one, z + row * depth, depth);
          }
        }));
    return SetRange(ctx, 1, to);
  }

 private:
  static const uint8_t* Bytes(const Tensor& t) {
    return reinterpret_cast<const uint8_t*>(t.data());
  }

  static Status CheckShapes(KernelContext& ctx) {
    const Tensor& x = ctx.input(0);
    if (x.rank() != 4) {
      return InvalidArgument("input must be 4-dimensional",
                             x.shape().DebugString());
    }
    constexpr const char* kNames[] = {"mean", "var", "beta", "gamma"};
    for (int i = 0; i < 4; ++i) {
      const Tensor& t = ctx.input(3 * i + 3);
      if (t.rank() != 1) {
        return InvalidArgument(kNames[i], " must be 1-dimensional",
                               t.shape().DebugString());
      }
    }
    const Tensor& mean = ctx.input(3);
    if (mean.num_elements() <= 1) {
      return InvalidArgument("Must have at least a mean value",
                             mean.shape().DebugString());
    }
    if (mean.dim(0) != x.dim(3)) {
      return InvalidArgument(
          "Must provide as many means as the last dimension of the input "
          "tensor: ",
          mean.shape().DebugString(), " vs. ", x.shape().DebugString());
    }
    constexpr const char* kOthers[] = {"variance", "beta", "gamma"};
    for (int i = 0; i < 3; ++i) {
      const Tensor& t = ctx.input(3 * i + 6);
      if (t.dim(0) != mean.dim(0)) {
        return InvalidArgument(
            "Mean and ", kOthers[i],
            " tensors must have the same shape: ", mean.shape().DebugString(),
            " vs. ", t.shape().DebugString());
      }
    }
    return OkStatus();
  }

  float epsilon_ = 0;
  bool scales_ = false;
};

// The parameters by which a channel of an image is normalized.
struct Moments {
  float mean, factor;
};

class InstanceNorm {
 public:
  static StatusOr<InstanceNorm> Make(const KernelInit& init) {
    InstanceNorm k;
    MR_ASSIGN_OR_RETURN(k.epsilon_, init.Attr<float>("variance_epsilon"));
    MR_ASSIGN_OR_RETURN(k.separation_, init.Attr<float>("min_separation"));
    MR_ASSIGN_OR_RETURN(k.range_given_, init.Attr<bool>("output_range_given"));
    MR_ASSIGN_OR_RETURN(k.given_.min, init.Attr<float>("given_y_min"));
    MR_ASSIGN_OR_RETURN(k.given_.max, init.Attr<float>("given_y_max"));
    if (k.range_given_ && !(k.given_.min < k.given_.max)) {
      return InvalidArgument("given_y_min must be less than given_y_max : ",
                             k.given_.min, " >= ", k.given_.max);
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const Range from, RangeInput(ctx, 1, 2));
    if (!(from.min < from.max)) {
      return InvalidArgument("input_min must be less than input_max : ",
                             from.min, " >= ", from.max);
    }
    if (x.rank() != 4) {
      return InvalidArgument("x must be rank 4 but is rank ", x.rank());
    }
    const float scale = (from.max - from.min) / 255.0f;
    const int64_t images = x.dim(0), depth = x.dim(3);
    const int64_t pixels = x.dim(1) * x.dim(2);
    const int64_t size = pixels * depth;
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    if (x.num_elements() == 0) return SetRange(ctx, 1, Separate(given_));
    const auto* in = reinterpret_cast<const uint8_t*>(x.data());
    auto* z = reinterpret_cast<uint8_t*>(out->mutable_data());
    CountedVector<Moments> moments(static_cast<size_t>(images * depth));
    CountedVector<Range> ranges(static_cast<size_t>(images));
    MR_RETURN_IF_ERROR(
        ctx.ParallelFor(images, size * 4 + 1, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            FindMoments(in + i * size, pixels, depth, scale,
                        &moments[i * depth]);
            ranges[i] = FindRange(in + i * size, pixels, depth, scale,
                                  &moments[i * depth]);
          }
        }));
    Range to = given_;
    if (!range_given_) {
      to = {std::numeric_limits<float>::infinity(),
            -std::numeric_limits<float>::infinity()};
      for (const Range& r : ranges) {
        to = {std::min(to.min, r.min), std::max(to.max, r.max)};
      }
    }
    to = Separate(to);
    const ToSteps<Quint8> steps(to);
    MR_RETURN_IF_ERROR(ctx.ParallelFor(
        images * pixels, depth * 3 + 1, [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            NormalizeRow(in + row * depth, &moments[row / pixels * depth],
                         scale, steps, z + row * depth, depth);
          }
        }));
    return SetRange(ctx, 1, to);
  }

 private:
  Range Separate(Range r) const {
    if (r.max - r.min < separation_) r.max = r.min + separation_;
    return r;
  }

  static float Normalized(uint8_t x, Moments m, float scale) {
    return scale * (static_cast<float>(x) - m.mean) * m.factor;
  }

  void FindMoments(const uint8_t* x, int64_t pixels, int64_t depth, float scale,
                   Moments* out) const {
    const auto n = static_cast<double>(pixels);
    CountedVector<int64_t> sums(static_cast<size_t>(depth));
    CountedVector<double> squares(static_cast<size_t>(depth));
    for (int64_t i = 0; i < pixels * depth; i += depth) {
      for (int64_t c = 0; c < depth; ++c) sums[c] += x[i + c];
    }
    for (int64_t c = 0; c < depth; ++c) {
      out[c].mean = static_cast<float>(static_cast<double>(sums[c]) / n);
    }
    for (int64_t i = 0; i < pixels * depth; i += depth) {
      for (int64_t c = 0; c < depth; ++c) {
        const float d = scale * (static_cast<float>(x[i + c]) - out[c].mean);
        squares[c] += d * d;
      }
    }
    for (int64_t c = 0; c < depth; ++c) {
      const auto variance = static_cast<float>(squares[c] / n);
      out[c].factor = 1.0f / std::sqrt(variance + epsilon_);
    }
  }

  static Range FindRange(const uint8_t* x, int64_t pixels, int64_t depth,
                         float scale, const Moments* m) {
    Range r{std::numeric_limits<float>::infinity(),
            -std::numeric_limits<float>::infinity()};
    // The smallest and the largest number of each channel decide.
    CountedVector<uint8_t> low(static_cast<size_t>(depth), 255);
    CountedVector<uint8_t> high(static_cast<size_t>(depth), 0);
    for (int64_t i = 0; i < pixels * depth; i += depth) {
      for (int64_t c = 0; c < depth; ++c) {
        low[c] = std::min(low[c], x[i + c]);
        high[c] = std::max(high[c], x[i + c]);
      }
    }
    for (int64_t c = 0; c < depth; ++c) {
      r.min = std::min(r.min, Normalized(low[c], m[c], scale));
      r.max = std::max(r.max, Normalized(high[c], m[c], scale));
    }
    return r;
  }

  static void NormalizeRow(const uint8_t* x, const Moments* m, float scale,
                           const ToSteps<Quint8>& steps, uint8_t* z,
                           int64_t n) {
    for (int64_t c = 0; c < n; ++c) {
      z[c] = static_cast<uint8_t>(steps(Normalized(x[c], m[c], scale)));
    }
  }

  float epsilon_ = 0, separation_ = 0;
  bool range_given_ = false;
  Range given_;
};

}  // namespace

MR_KERNELS(QuantizedBatchNormWithGlobalNormalization,
           Cpu){{.types = "Tinput: quint8; out_type: qint32",
                 .make = MakeKernel<BatchNorm>}};
MR_KERNELS(QuantizedInstanceNorm,
           Cpu){{.types = "T: quint8", .make = MakeKernel<InstanceNorm>}};

}  // namespace millrace::ops
