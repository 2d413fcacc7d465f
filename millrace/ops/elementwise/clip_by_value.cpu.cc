// Kernel of ClipByValue.
#include <algorithm>
#include <array>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/float_blocks.h"

namespace millrace::ops {
namespace {

using ClipLoop = void (*)(const void* x, const void* low, const void* high,
                          void* z, int64_t n);

template <class T>
MR_TARGET_CLONES void Clip(const void* xv, const void* lowv, const void* highv,
                           void* zv, int64_t n) {
  const T* x = static_cast<const T*>(xv);
  const T* low = static_cast<const T*>(lowv);
  const T* high = static_cast<const T*>(highv);
  T* z = static_cast<T*>(zv);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T v = high[i] < x[i] ? high[i] : x[i];
    z[i] = v < low[i] ? low[i] : v;
  }
}

// Limits the real and the imaginary parts separately.
template <class T>
void ClipComplex(const void* x, const void* low, const void* high, void* z,
                 int64_t n) {
  Clip<T>(x, low, high, z, 2 * n);
}

template <class... Ts>
constexpr std::array<ClipLoop, kDataTypeLimit> MakeClipLoops(Types<Ts...>) {
  std::array<ClipLoop, kDataTypeLimit> loops = {};
  ((loops[IndexOf<Ts>()] = &Clip<Ts>), ...);
  loops[IndexOf<Complex64>()] = &ClipComplex<float>;
  loops[IndexOf<Complex128>()] = &ClipComplex<double>;
  return loops;
}
constexpr auto kClipLoops = MakeClipLoops(
    Join<RealLoops, Join<SignedTypes, Types<uint8_t, uint16_t>>>());

Status CheckShapes(const Tensor& x, const Tensor& low, const Tensor& high) {
  const auto fits = [&](const Tensor& bound) {
    return bound.rank() == 0 || bound.shape() == x.shape();
  };
  if (fits(low) && fits(high)) return OkStatus();
  return InvalidArgument(
      "clip_value_min and clip_value_max must be either of the same shape as "
      "input, or a scalar. input shape: ",
      x.shape().DebugString(),
      "clip_value_min shape: ", low.shape().DebugString(),
      "clip_value_max shape: ", high.shape().DebugString());
}

// An operand as blocks of the type that the loop computes in: a scalar fills
// its block once, half and bfloat16 are converted.
class Operand {
 public:
  enum Form { kElements, kScalar };
  Operand(const Tensor& t, Form form)
      : type_(t.dtype()), data_(t.data()), is_scalar_(form == kScalar) {
    if (is_scalar_) Fill();
  }
  const char* Block(int64_t at, int64_t n) {
    if (is_scalar_) return buffer_;
    const char* from = data_ + at * static_cast<int64_t>(SizeOf(type_));
    if (!ComputesInFloat(type_)) return from;
    ToFloats(type_, from, reinterpret_cast<float*>(buffer_), n);
    return buffer_;
  }

 private:
  void Fill() {
    char one[16];
    size_t bytes = SizeOf(type_);
    if (ComputesInFloat(type_)) {
      ToFloats(type_, data_, reinterpret_cast<float*>(one), 1);
      bytes = sizeof(float);
    } else {
      std::copy_n(data_, bytes, one);
    }
    for (int64_t i = 0; i < kFloatBlock; ++i) {
      std::copy_n(one, bytes, buffer_ + i * bytes);
    }
  }

  DataType type_;
  const char* data_;
  bool is_scalar_;
  alignas(64) char buffer_[kFloatBlock * 16];
};

Status RunClip(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(CheckShapes(ctx.input(0), ctx.input(1), ctx.input(2)));
  const DataType type = ctx.input(0).dtype();
  const bool floats = ComputesInFloat(type);
  const ClipLoop loop =
      kClipLoops[static_cast<int>(floats ? DataType::kFloat : type)];
  const TensorShape shape = ctx.input(0).shape();
  MR_ASSIGN_OR_RETURN(Tensor * z, ctx.ForwardOrAllocateOutput({0}, 0, shape));
  char* out = z->mutable_data();
  const auto form = [](const Tensor& t) {
    return t.rank() == 0 ? Operand::kScalar : Operand::kElements;
  };
  return ShardElements(
      ctx, shape.num_elements(), 300, [&](int64_t begin, int64_t end) {
        Operand x(ctx.input(0), Operand::kElements);
        Operand low(ctx.input(1), form(ctx.input(1)));
        Operand high(ctx.input(2), form(ctx.input(2)));
        float clipped[kFloatBlock];
        for (int64_t at = begin; at < end; at += kFloatBlock) {
          const int64_t n = std::min(kFloatBlock, end - at);
          char* to = out + at * static_cast<int64_t>(SizeOf(type));
          if (floats) {
            loop(x.Block(at, n), low.Block(at, n), high.Block(at, n), clipped,
                 n);
            FromFloats(type, clipped, to, n);
          } else {
            loop(x.Block(at, n), low.Block(at, n), high.Block(at, n), to, n);
          }
        }
      });
}

}  // namespace

MR_KERNELS(ClipByValue, Cpu){{
    .types =
        "T: bfloat16, half, float, double, int8, int16, int32, int64, uint8, "
        "uint16, complex64, complex128",
    .make = MakeFunctionKernel<RunClip>,
}};

}  // namespace millrace::ops
