// Kernels of sums and products of 8-bit numbers. Each operand has 256 values,
// so a table holds what each adds or multiplies by. Activations limit numbers
// to those of 0 and 6.
#include <array>
#include <limits>

#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/broadcast.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/quantize/range.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Indexed by the number's bits as uint8.
using Table = std::array<uint32_t, 256>;

struct PlusOp {
  static uint32_t Do(uint32_t x, uint32_t y) { return x + y; }
};
struct TimesOp {
  static uint32_t Do(uint32_t x, uint32_t y) { return x * y; }
};

template <class Op>
MR_TARGET_CLONES void EachWithEach(const uint8_t* x, const uint32_t* xs,
                                   const uint8_t* y, const uint32_t* ys,
                                   uint32_t* z, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) z[i] = Op::Do(xs[x[i]], ys[y[i]]);
}
template <class Op>
MR_TARGET_CLONES void EachWithOne(const uint8_t* x, const uint32_t* xs,
                                  uint32_t y, uint32_t* z, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) z[i] = Op::Do(xs[x[i]], y);
}

// Computes output 0 from inputs 0 and 1.
template <class Op>
Status RunTables(KernelContext& ctx, const Broadcast& b, const Table& xs,
                 const Table& ys) {
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, b.shape()));
  const auto* x = reinterpret_cast<const uint8_t*>(ctx.input(0).data());
  const auto* y = reinterpret_cast<const uint8_t*>(ctx.input(1).data());
  auto* z = reinterpret_cast<uint32_t*>(out->mutable_data());
  const bool one_x = b.inner_is_scalar(0), one_y = b.inner_is_scalar(1);
  return ShardElements(ctx, b.total(), 700, [&](int64_t begin, int64_t end) {
    b.ForEachSpan(begin, end,
                  [&](const int64_t* offsets, int64_t at, int64_t n) {
                    const uint8_t* px = x + offsets[0];
                    const uint8_t* py = y + offsets[1];
                    if (one_y) {
                      EachWithOne<Op>(px, xs.data(), ys[*py], z + at, n);
                    } else if (one_x) {
                      EachWithOne<Op>(py, ys.data(), xs[*px], z + at, n);
                    } else {
                      EachWithEach<Op>(px, xs.data(), py, ys.data(), z + at, n);
                    }
                  });
  });
}

// Returns the numbers of range `from` in the range `to` of qint32: multiples of
// one step from the zero point on; if only one is added, each is rounded by
// itself.
Table AddendsOf(Range from, Range to, bool one) {
  const int64_t first =
      QuantizeUnclamped<Qint32>(Dequantize<Quint8>(0, from), to);
  const int64_t second =
      QuantizeUnclamped<Qint32>(Dequantize<Quint8>(1, from), to);
  const auto step = static_cast<int32_t>(static_cast<uint64_t>(second) -
                                         static_cast<uint64_t>(first));
  Table t;
  for (int i = 0; i < 256; ++i) {
    auto v = static_cast<int64_t>(static_cast<uint64_t>(first) +
                                  static_cast<uint64_t>(int64_t{step} * i));
    if (one) {
      v = QuantizeUnclamped<Qint32>(
          Dequantize<Quint8>(static_cast<uint8_t>(i), from), to);
    }
    t[static_cast<size_t>(i)] = static_cast<uint32_t>(
        std::clamp(v, Lowest<Qint32>(), Highest<Qint32>()));
  }
  return t;
}

// Returns a symmetric range with room for 2^bits sums.
Range RangeOfSum(float largest, int bits) {
  const float size = largest * static_cast<float>(1 << bits);
  return {-size, size};
}

Status RunAdd(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Range x, RangeInput(ctx, 2, 3));
  MR_ASSIGN_OR_RETURN(const Range y, RangeInput(ctx, 4, 5));
  MR_ASSIGN_OR_RETURN(
      const Broadcast b,
      Broadcast::Make({&ctx.input(0).shape(), &ctx.input(1).shape()}));
  if (!(x.max > x.min)) {
    return InvalidArgument("max_x must be larger than min_x.");
  }
  if (!(y.max > y.min)) {
    return InvalidArgument("max_y must be larger than min_y.");
  }
  const Range z = RangeOfSum(std::max(std::abs(std::min(x.min, y.min)),
                                      std::abs(std::max(x.max, y.max))),
                             14);
  const bool one_x = ctx.input(0).num_elements() == 1;
  const bool one_y = !one_x && ctx.input(1).num_elements() == 1;
  MR_RETURN_IF_ERROR(RunTables<PlusOp>(ctx, b, AddendsOf(x, z, one_x),
                                       AddendsOf(y, z, one_y)));
  return SetRange(ctx, 1, z);
}

Status RunMul(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Range x, ScalarRangeInput(ctx, 2, 3));
  MR_ASSIGN_OR_RETURN(const Range y, ScalarRangeInput(ctx, 4, 5));
  MR_ASSIGN_OR_RETURN(
      const Broadcast b,
      Broadcast::Make({&ctx.input(0).shape(), &ctx.input(1).shape()}));
  if (!(x.max > x.min)) {
    return InvalidArgument("max_x must be larger than min_a.");
  }
  if (!(y.max > y.min)) {
    return InvalidArgument("max_x must be larger than min_b.");
  }
  const auto factors = [](Range r) {
    Table t;
    for (uint32_t i = 0; i < 256; ++i) {
      t[i] = i - static_cast<uint32_t>(ZeroOf<Quint8>(r));
    }
    return t;
  };
  MR_RETURN_IF_ERROR(RunTables<TimesOp>(ctx, b, factors(x), factors(y)));
  return SetRange(ctx, 1, RangeOfProducts<Quint8, Quint8>(x, y));
}

Status RunBiasAdd(KernelContext& ctx) {
  const Tensor &x = ctx.input(0), &bias = ctx.input(1);
  MR_ASSIGN_OR_RETURN(const Range range, RangeInput(ctx, 2, 3));
  MR_ASSIGN_OR_RETURN(const Range bias_range, RangeInput(ctx, 4, 5));
  if (x.rank() < 2) {
    return InvalidArgument("Input tensor must be at least 2D: ",
                           x.shape().DebugString());
  }
  if (bias.rank() != 1) {
    return InvalidArgument("Biases must be 1D: ", bias.shape().DebugString());
  }
  if (bias.dim(0) != x.dim(x.rank() - 1)) {
    return InvalidArgument(
        "Must provide as many biases as the last dimension of the input "
        "tensor: ",
        bias.shape().DebugString(), " vs. ", x.shape().DebugString());
  }
  if (bias.num_elements() == 0) {
    return InvalidArgument("Must provide at least 1 bias");
  }
  const Range sum = RangeOfSum(
      std::max(range.max,
               std::max(-range.min, std::max(bias_range.max, -bias_range.min))),
      17);
  MR_ASSIGN_OR_RETURN(const Broadcast b,
                      Broadcast::Make({&x.shape(), &bias.shape()}));
  const ToSteps<Qint32> steps(sum);
  MR_RETURN_IF_ERROR(
      Dispatch(Types<Quint8, Qint8>{}, x.dtype(), [&]<class T>() -> Status {
        const auto table = [&](Range r, int32_t more) {
          const ToReal<T> real(r);
          Table t;
          for (int i = 0; i < 256; ++i) {
            const auto q = static_cast<IntegerOf<T>>(i);
            t[static_cast<size_t>(i)] = static_cast<uint32_t>(steps(real(q))) +
                                        static_cast<uint32_t>(more);
          }
          return t;
        };
        return RunTables<PlusOp>(
            ctx, b, table(range, 0),
            table(bias_range, Quantize<Qint32>(0.0f, sum)));
      }));
  return SetRange(ctx, 1, sum);
}

template <class I>
MR_TARGET_CLONES void Limit(const I* x, I low, I high, I* z, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const I v = x[i] < low ? low : x[i];
    z[i] = high < v ? high : v;
  }
}

template <bool kTo6>
Status RunRelu(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Range range,
                      RangeInput(ctx, 1, 2, "min_input", "max_input"));
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.ForwardOrAllocateOutput(
                                             {0}, 0, ctx.input(0).shape()));
  MR_RETURN_IF_ERROR(
      Dispatch(Types<Quint8, Qint32>{}, out->dtype(), [&]<class T>() -> Status {
        using I = IntegerOf<T>;
        const I low = Quantize<T>(0.0f, range);
        const I high =
            kTo6 ? Quantize<T>(6.0f, range) : std::numeric_limits<I>::max();
        const I* x = reinterpret_cast<const I*>(ctx.input(0).data());
        I* z = reinterpret_cast<I*>(out->mutable_data());
        return ShardElements(
            ctx, out->num_elements(), 100, [&](int64_t begin, int64_t end) {
              Limit(x + begin, low, high, z + begin, end - begin);
            });
      }));
  return SetRange(ctx, 1, range);
}

}  // namespace

#define MR_BYTES "T1: quint8; T2: quint8; Toutput: qint32"

MR_KERNELS(QuantizedAdd,
           Cpu){{.types = MR_BYTES, .make = MakeFunctionKernel<RunAdd>}};
MR_KERNELS(QuantizedMul,
           Cpu){{.types = MR_BYTES, .make = MakeFunctionKernel<RunMul>}};
MR_KERNELS(QuantizedBiasAdd, Cpu){
    {.types = "T1: quint8; T2: quint8; out_type: qint32",
     .make = MakeFunctionKernel<RunBiasAdd>},
    {.types = "T1: qint8; T2: qint8; out_type: qint32",
     .make = MakeFunctionKernel<RunBiasAdd>}};
MR_KERNELS(QuantizedRelu, Cpu){{.types = "Tinput: qint32; out_type: qint32",
                                .make = MakeFunctionKernel<RunRelu<false>>},
                               {.types = "Tinput: quint8; out_type: quint8",
                                .make = MakeFunctionKernel<RunRelu<false>>}};
MR_KERNELS(QuantizedRelu6, Cpu){{.types = "Tinput: qint32; out_type: qint32",
                                 .make = MakeFunctionKernel<RunRelu<true>>},
                                {.types = "Tinput: quint8; out_type: quint8",
                                 .make = MakeFunctionKernel<RunRelu<true>>}};

}  // namespace millrace::ops
