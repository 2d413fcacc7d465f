// Kernel of QuantizeV2.
#include <cmath>
#include <limits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/quantize/mode.h"
#include "millrace/ops/quantize/range.h"
#include "millrace/ops/quantize/slices.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Returns the number of T to which stock converts a rounded float: through
// int32, or through int64 for qint32.
template <class T>
IntegerOf<T> Whole(float x) {
  if constexpr (sizeof(T) == 4) {
    return static_cast<IntegerOf<T>>(ToInt64(x));
  } else {
    return static_cast<IntegerOf<T>>(ToInt32(x));
  }
}

// The limits of the values and the factor that makes steps of them: for each
// element if kEach, else for all.
struct Numbers {
  const float* low;
  const float* high;
  const float* scale;
};

// MIN_COMBINED: steps above `low`.
template <class T, bool kEach>
MR_TARGET_CLONES void QuantizeCombined(const float* x, Numbers numbers,
                                       IntegerOf<T>* z, int64_t n) {
  constexpr bool kSigned = Lowest<T>() < 0;
  constexpr auto kHalf = static_cast<float>((Span<T>() + 1) / 2);
  const float *lows = numbers.low, *highs = numbers.high;
  const float* scales = numbers.scale;
  const float low0 = lows[0], high0 = highs[0], scale0 = scales[0];
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const float low = kEach ? lows[i] : low0;
    const float high = kEach ? highs[i] : high0;
    float v = high < x[i] ? high : x[i];
    v = v < low ? low : v;
    v = (v - low) * (kEach ? scales[i] : scale0);
    z[i] = Whole<T>(kSigned ? std::round(v - kHalf) : v + 0.5f);
  }
}

template <class T>
MR_TARGET_CLONES void QuantizeMinFirst(const float* x, ToSteps<T> to,
                                       IntegerOf<T>* z, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) z[i] = static_cast<IntegerOf<T>>(to(x[i]));
}

// SCALED: multiples of 1 / scale.
template <class T, bool kEach, bool kToEven>
MR_TARGET_CLONES void QuantizeScaled(const float* x, Numbers numbers,
                                     IntegerOf<T>* z, int64_t n) {
  const float *lows = numbers.low, *highs = numbers.high;
  const float* scales = numbers.scale;
  const float low0 = lows[0], high0 = highs[0], scale0 = scales[0];
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const float low = kEach ? lows[i] : low0;
    const float high = kEach ? highs[i] : high0;
    float v = high < x[i] ? high : x[i];
    v = v < low ? low : v;
    v *= kEach ? scales[i] : scale0;
    z[i] = Whole<T>(kToEven ? std::nearbyint(v) : std::round(v));
  }
}

// The parameters of a slice.
struct SlicePlan {
  Range range;  // of the output
  float scale = 0;
};

class QuantizeKernel {
 public:
  static StatusOr<QuantizeKernel> Make(const KernelInit& init) {
    QuantizeKernel k;
    MR_ASSIGN_OR_RETURN(k.mode_, ReadMode(init));
    MR_ASSIGN_OR_RETURN(const auto round, init.Attr<std::string>("round_mode"));
    k.to_even_ = round == "HALF_TO_EVEN";
    if (k.to_even_ && k.mode_ != QuantizeMode::kScaled) {
      MR_ASSIGN_OR_RETURN(const auto mode, init.Attr<std::string>("mode"));
      return InvalidArgument(
          "Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', b  ut "
          "mode is '",
          mode, "'.");
    }
    MR_ASSIGN_OR_RETURN(k.narrow_, init.Attr<bool>("narrow_range"));
    MR_ASSIGN_OR_RETURN(k.axis_, init.Attr<int32_t>("axis"));
    MR_ASSIGN_OR_RETURN(k.least_range_,
                        init.Attr<float>("ensure_minimum_range"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    const Tensor &min = ctx.input(1), &max = ctx.input(2);
    MR_RETURN_IF_ERROR(CheckRanges(x, min, max));
    const Slices slices(x.shape(), axis_);
    if (slices.count() != 1 && mode_ == QuantizeMode::kMinFirst) {
      return Unimplemented(
          "MIN_FIRST mode is not implemented for Quantize with axis != -1.");
    }
    // A single slice has scalar ranges even if an axis names it.
    const TensorShape shape = slices.count() == 1 ? TensorShape() : min.shape();
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    MR_ASSIGN_OR_RETURN(Tensor* const out_min, ctx.AllocateOutput(1, shape));
    MR_ASSIGN_OR_RETURN(Tensor* const out_max, ctx.AllocateOutput(2, shape));
    return Dispatch(QuantizedTypes{}, out->dtype(), [&]<class T>() -> Status {
      CountedVector<SlicePlan> plans;
      for (int64_t i = 0; i < slices.count(); ++i) {
        MR_ASSIGN_OR_RETURN(
            const SlicePlan plan,
            PlanFor<T>(min.flat<float>()[i], max.flat<float>()[i]));
        plans.push_back(plan);
        out_min->mutable_flat<float>()[i] = plan.range.min;
        out_max->mutable_flat<float>()[i] = plan.range.max;
      }
      const auto low = slices.Spread<float>(
          [&](int64_t slice) { return plans[slice].range.min; });
      const auto high = slices.Spread<float>(
          [&](int64_t slice) { return plans[slice].range.max; });
      const auto scale = slices.Spread<float>(
          [&](int64_t slice) { return plans[slice].scale; });
      const float* in = x.flat<float>().data();
      auto* z = reinterpret_cast<IntegerOf<T>*>(out->mutable_data());
      return slices.ForPieces(
          ctx, 500, [&](int64_t place, int64_t begin, int64_t n) {
            const Numbers numbers{&low[place], &high[place], &scale[place]};
            slices.interleaved()
                ? RunPiece<T, true>(numbers, in + begin, z + begin, n)
                : RunPiece<T, false>(numbers, in + begin, z + begin, n);
          });
    });
  }

 private:
  Status CheckRanges(const Tensor& x, const Tensor& min,
                     const Tensor& max) const {
    if (axis_ < 0) {
      const auto check = [](const Tensor& t, const char* name) -> Status {
        if (t.num_elements() == 1) return OkStatus();
        return InvalidArgument(
            "If axis is not specified, ", name,
            " must contain a single float element, but it contains ",
            t.num_elements(), " elements");
      };
      MR_RETURN_IF_ERROR(check(min, "min_range"));
      return check(max, "max_range");
    }
    if (axis_ >= x.rank()) {
      return InvalidArgument(
          "Axis is on a zero-based index, so its value must always be less "
          "than number of input's dims, but given axis value was ",
          axis_, " and input's dims was ", x.rank());
    }
    const int64_t count = x.dim(static_cast<int>(axis_));
    const auto check = [count](const Tensor& t, const char* name) -> Status {
      constexpr char kText[] =
          " must be a 1-D tensor whose size matches the axis dimension of the "
          "input and output tensors, but ";
      if (t.rank() != 1) {
        return InvalidArgument("If axis is specified, ", name, kText, name,
                               " dims are ", t.rank());
      }
      if (t.dim(0) != count) {
        return InvalidArgument("If axis is specified, ", name, kText, name,
                               " is a 1-D tensor of size ", t.dim(0),
                               " and input's axis dimension is of size ",
                               count);
      }
      return OkStatus();
    };
    MR_RETURN_IF_ERROR(check(min, "min_range"));
    return check(max, "max_range");
  }

  template <class T>
  StatusOr<SlicePlan> PlanFor(float min, float max) const {
    if (max < min) {
      return InvalidArgument(
          "input_max_range must be larger than input_min_range.");
    }
    SlicePlan p;
    // Extends the range to contain 0, and to be so large that not everything
    // becomes one number.
    p.range.min = std::min(0.0f, min);
    const float least =
        std::max(1.0f, std::max(std::fabs(min), std::fabs(max))) * least_range_;
    p.range.max = std::max(0.0f, std::max(max, p.range.min + least));
    if (mode_ == QuantizeMode::kMinCombined) {
      p.scale = static_cast<float>(static_cast<double>(Span<T>()) /
                                   (p.range.max - p.range.min));
    } else if (mode_ == QuantizeMode::kScaled) {
      const auto lowest = static_cast<float>(Lowest<T>() + (narrow_ ? 1 : 0));
      const auto highest = static_cast<float>(Highest<T>());
      constexpr float kNone = std::numeric_limits<float>::max();
      const float from_min =
          lowest * p.range.min > 0 ? lowest / p.range.min : kNone;
      const float from_max =
          highest * p.range.max > 0 ? highest / p.range.max : kNone;
      p.scale = std::min(from_min, from_max);
      p.range = {lowest / p.scale, highest / p.scale};
    }
    return p;
  }

  template <class T, bool kEach>
  void RunPiece(const Numbers& p, const float* x, IntegerOf<T>* z,
                int64_t n) const {
    if (mode_ == QuantizeMode::kMinCombined) {
      QuantizeCombined<T, kEach>(x, p, z, n);
    } else if (mode_ == QuantizeMode::kMinFirst) {
      QuantizeMinFirst<T>(x, ToSteps<T>(Range{*p.low, *p.high}), z, n);
    } else if (to_even_) {
      QuantizeScaled<T, kEach, true>(x, p, z, n);
    } else {
      QuantizeScaled<T, kEach, false>(x, p, z, n);
    }
  }

  QuantizeMode mode_ = QuantizeMode::kMinCombined;
  bool to_even_ = false, narrow_ = false;
  int64_t axis_ = -1;
  float least_range_ = 0;
};

}  // namespace

MR_KERNELS(QuantizeV2,
           Cpu){{.types = "T: qint8, quint8, qint16, quint16, qint32",
                 .make = MakeKernel<QuantizeKernel>}};

}  // namespace millrace::ops
