// Kernel of Dequantize.
#include <algorithm>

#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/float_blocks.h"
#include "millrace/ops/quantize/mode.h"
#include "millrace/ops/quantize/range.h"
#include "millrace/ops/quantize/slices.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Computes z = (x + before) * scale + after, with parameters for each element
// if kEach, else the same for all.
template <class I, bool kEach>
MR_TARGET_CLONES void Scale(const I* x, float before, const float* scales,
                            const float* afters, float* z, int64_t n) {
  const float scale0 = scales[0], after0 = afters[0];
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    z[i] = (static_cast<float>(x[i]) + before) * (kEach ? scales[i] : scale0) +
           (kEach ? afters[i] : after0);
  }
}
// Computes z = offset + x * scale.
template <class T>
MR_TARGET_CLONES void MinFirst(const IntegerOf<T>* x, ToReal<T> to, float* z,
                               int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) z[i] = to(x[i]);
}

class DequantizeKernel {
 public:
  static StatusOr<DequantizeKernel> Make(const KernelInit& init) {
    DequantizeKernel k;
    MR_ASSIGN_OR_RETURN(k.mode_, ReadMode(init));
    k.output_ = init.output_type(0);
    if (k.output_ == DataType::kBfloat16 &&
        k.mode_ != QuantizeMode::kMinCombined) {
      MR_ASSIGN_OR_RETURN(const auto mode, init.Attr<std::string>("mode"));
      return InvalidArgument(
          "When output type is bfloat16, Mode string must be 'MIN_COMBINED', "
          "is '",
          mode, "'");
    }
    MR_ASSIGN_OR_RETURN(k.narrow_, init.Attr<bool>("narrow_range"));
    MR_ASSIGN_OR_RETURN(k.axis_, init.Attr<int32_t>("axis"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    const Tensor &min = ctx.input(1), &max = ctx.input(2);
    if (axis_ >= x.rank()) {
      return InvalidArgument("Axis must be less than input dimension(",
                             x.rank(), "), got ", axis_);
    }
    const Slices slices(x.shape(), axis_);
    MR_RETURN_IF_ERROR(CheckRange(min, "input_min_tensor", slices.count()));
    MR_RETURN_IF_ERROR(CheckRange(max, "input_max_tensor", slices.count()));
    if (slices.count() != 1 && mode_ == QuantizeMode::kMinFirst) {
      return Unimplemented(
          "MIN_FIRST mode is not implemented for Dequantize with axis != -1.");
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    const float* mins = min.flat<float>().data();
    const float* maxs = max.flat<float>().data();
    char* z = out->mutable_data();
    return Dispatch(QuantizedTypes{}, x.dtype(), [&]<class T>() -> Status {
      using I = IntegerOf<T>;
      constexpr float kHalf =
          Lowest<T>() < 0 ? static_cast<float>((Span<T>() + 1) / 2) : 0.0f;
      const bool combined = mode_ == QuantizeMode::kMinCombined;
      const float before = combined ? kHalf : 0.0f;
      const auto scales = slices.Spread<float>([&](int64_t slice) {
        const Range r{mins[slice], maxs[slice]};
        return combined ? (r.max - r.min) / static_cast<float>(Span<T>())
                        : ScaleOf<T>(r);
      });
      const auto afters = slices.Spread<float>(
          [&](int64_t slice) { return combined ? mins[slice] : 0.0f; });
      const I* in = reinterpret_cast<const I*>(x.data());
      return slices.ForPieces(
          ctx, 300, [&](int64_t place, int64_t begin, int64_t n) {
            const auto run = [&](int64_t i, int64_t count, float* to) {
              const I* from = in + begin + i;
              if (mode_ == QuantizeMode::kMinFirst) {
                MinFirst<T>(from, ToReal<T>(Range{*mins, *maxs}), to, count);
              } else if (slices.interleaved()) {
                Scale<I, true>(from, before, &scales[place + i],
                               &afters[place + i], to, count);
              } else {
                Scale<I, false>(from, before, &scales[place], &afters[place],
                                to, count);
              }
            };
            if (output_ == DataType::kFloat) {
              return run(0, n, reinterpret_cast<float*>(z) + begin);
            }
            // bfloat16 is converted from blocks of floats.
            float block[kFloatBlock];
            for (int64_t i = 0; i < n; i += kFloatBlock) {
              const int64_t count = std::min(kFloatBlock, n - i);
              run(i, count, block);
              FromFloats(output_, block, z + (begin + i) * 2, count);
            }
          });
    });
  }

 private:
  Status CheckRange(const Tensor& t, const char* name, int64_t count) const {
    if (t.num_elements() == count) return OkStatus();
    return InvalidArgument(
        name,
        " must have as many elements as input on the dequantization axis (",
        axis_, "), got ", t.num_elements(), ", expected ", count);
  }

  // Returns the size of a step in mode SCALED.
  template <class T>
  float ScaleOf(Range r) const {
    const float scale = r.max / static_cast<float>(Highest<T>());
    if (Lowest<T>() == 0) return scale;
    return std::max(r.min / static_cast<float>(Lowest<T>() + (narrow_ ? 1 : 0)),
                    scale);
  }

  QuantizeMode mode_ = QuantizeMode::kMinCombined;
  DataType output_ = DataType::kFloat;
  bool narrow_ = false;
  int64_t axis_ = -1;
};

}  // namespace

MR_KERNELS(Dequantize,
           Cpu){{.types = "T: qint8, quint8, qint16, quint16, qint32; dtype: "
                          "float, bfloat16",
                 .make = MakeKernel<DequantizeKernel>}};

}  // namespace millrace::ops
