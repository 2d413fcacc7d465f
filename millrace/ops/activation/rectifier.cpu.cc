// Kernels of activations with an exponential or a slope below zero.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/double_math.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/float_blocks.h"
#include "millrace/ops/elementwise/float_math.h"
#include "millrace/ops/fused/unary_chain.h"

namespace millrace::ops {
namespace {

inline float Exp1(float x) { return float_math::Exp(x); }
inline double Exp1(double x) { return double_math::Exp(x); }
using double_math::Expm1OfNegative;
using float_math::Expm1OfNegative;
inline float Log1pOf(float x) { return float_math::Log1p(x); }
inline double Log1pOf(double x) { return double_math::Log1p(x); }

// Below this log(exp(x) + 1) is exp(x), and above its negative it is x:
// log(epsilon) + 2.
template <class T>
constexpr T kSmall = std::is_same_v<T, float> ? T(-13.9423847)
                                              : T(-34.04365338911715);

struct SoftplusOp {
  template <class T>
  static T Do(T x) {
    const T e = Exp1(x);
    const T middle = Log1pOf(e);
    return x > -kSmall<T> ? x : x < kSmall<T> ? e : middle;
  }
};
struct SoftplusGradOp {
  template <class T>
  static T Do(T dy, T x) {
    return dy / (Exp1(-x) + T(1));
  }
};
struct SoftsignOp {
  template <class T>
  static T Do(T x) {
    return x / ((x < T(0) ? -x : x) + T(1));
  }
};
struct SoftsignGradOp {
  template <class T>
  static T Do(T dy, T x) {
    const T y = (x < T(0) ? -x : x) + T(1);
    return dy / (y * y);
  }
};
struct EluOp {
  template <class T>
  static T Do(T x) {
    const T e = Expm1OfNegative(x);
    return x < T(0) ? e : x;
  }
};
struct EluGradOp {
  template <class T>
  static T Do(T dy, T y) {
    return y < T(0) ? (y + T(1)) * dy : dy;
  }
};

// The constants of Selu, for which mean 0 and variance 1 are a fixed point.
template <class T>
constexpr T kScale = T(1.0507009873554804934193349852946);
template <class T>
constexpr T kScaleAlpha = T(1.7580993408473768599402175208123);

struct SeluOp {
  template <class T>
  static T Do(T x) {
    const T e = kScaleAlpha<T> * Expm1OfNegative(x);
    return x < T(0) ? e : kScale<T> * x;
  }
};
struct SeluGradOp {
  template <class T>
  static T Do(T dy, T y) {
    return y < T(0) ? dy * (y + kScaleAlpha<T>) : dy * kScale<T>;
  }
};

constexpr UnaryTable kSoftplus = MakeUnaryTable<SoftplusOp>(RealLoops(), 1500);
constexpr UnaryTable kSoftsign = MakeUnaryTable<SoftsignOp>(RealLoops());
constexpr UnaryTable kElu = MakeUnaryTable<EluOp>(RealLoops(), 900);
constexpr UnaryTable kSelu = MakeUnaryTable<SeluOp>(RealLoops(), 900);
constexpr BinaryTable kSoftplusGrad =
    MakeBinaryTable<SoftplusGradOp>(RealLoops(), 900);
constexpr BinaryTable kSoftsignGrad =
    MakeBinaryTable<SoftsignGradOp>(RealLoops());
constexpr BinaryTable kEluGrad = MakeBinaryTable<EluGradOp>(RealLoops());
constexpr BinaryTable kSeluGrad = MakeBinaryTable<SeluGradOp>(RealLoops());

template <class T>
MR_TARGET_CLONES void Leak(const T* x, T alpha, T* z, int64_t n) {
  const bool larger = alpha < T(1);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T y = x[i] * alpha;
    z[i] = (larger ? x[i] < y : y < x[i]) ? y : x[i];
  }
}
template <class T>
MR_TARGET_CLONES void LeakGrad(const T* dy, const T* x, T alpha, T* z,
                               int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) z[i] = x[i] > T(0) ? dy[i] : dy[i] * alpha;
}

// LeakyRelu and its gradient, which have an attribute.
template <class T, bool kGrad>
class LeakyElements final : public ElementwiseFunction {
 public:
  explicit LeakyElements(float alpha)
      // Stock rounds alpha to the type.
      : ElementwiseFunction(kGrad ? 2 : 1, !kGrad, 250, ""),
        alpha_(static_cast<S>(static_cast<T>(alpha))) {}

  bool Run(const char* const* in, uint32_t, char* out,
           int64_t n) const override {
    const char* const second = kGrad ? in[1] : nullptr;
    if constexpr (std::is_same_v<T, S>) {
      Span(reinterpret_cast<const T*>(in[0]),
           reinterpret_cast<const T*>(second), reinterpret_cast<T*>(out), n);
    } else {
      constexpr DataType kType = DataTypeOf<T>;
      float x[kFloatBlock];
      float y[kFloatBlock];
      for (int64_t at = 0; at < n; at += kFloatBlock) {
        const int64_t m = std::min(kFloatBlock, n - at);
        const size_t offset = static_cast<size_t>(at) * sizeof(T);
        ToFloats(kType, in[0] + offset, x, m);
        if (kGrad) ToFloats(kType, second + offset, y, m);
        Span(x, y, x, m);
        FromFloats(kType, x, out + offset, m);
      }
    }
    return true;
  }

 private:
  using S = ComputeType<T>;

  void Span(const S* in0, const S* in1, S* z, int64_t n) const {
    if constexpr (kGrad) {
      LeakGrad(in0, in1, alpha_, z, n);
    } else {
      Leak(in0, alpha_, z, n);
    }
  }

  const S alpha_;
};

template <bool kGrad>
StatusOr<std::unique_ptr<ElementwiseFunction>> LeakyFunction(
    const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(const float alpha, init.Attr<float>("alpha"));
  std::unique_ptr<ElementwiseFunction> function;
  MR_RETURN_IF_ERROR(
      Dispatch(FloatTypes{}, init.input_type(0), [&]<class T>() -> Status {
        function = std::make_unique<LeakyElements<T, kGrad>>(alpha);
        return OkStatus();
      }));
  return function;
}

#define MR_FLOAT_TYPES "T: bfloat16, double, float, half"

constexpr NamedUnary kRectifierUnaries[] = {
    {"Elu", &kElu},
    {"Selu", &kSelu},
};

}  // namespace

absl::Span<const NamedUnary> RectifierUnaries() { return kRectifierUnaries; }

MR_KERNELS(Softplus, Cpu){{.types = MR_FLOAT_TYPES,
                           .make = MakeUnary<kSoftplus>,
                           .elementwise = UnaryFunction<kSoftplus>}};
MR_KERNELS(Softsign, Cpu){{.types = MR_FLOAT_TYPES,
                           .make = MakeUnary<kSoftsign>,
                           .elementwise = UnaryFunction<kSoftsign>}};
MR_KERNELS(Elu, Cpu){{.types = MR_FLOAT_TYPES,
                      .make = MakeUnary<kElu>,
                      .elementwise = UnaryFunction<kElu>}};
MR_KERNELS(Selu, Cpu){{.types = MR_FLOAT_TYPES,
                       .make = MakeUnary<kSelu>,
                       .elementwise = UnaryFunction<kSelu>}};
MR_KERNELS(SoftplusGrad, Cpu){{.types = MR_FLOAT_TYPES,
                               .make = MakeSameShape<kSoftplusGrad>,
                               .elementwise = SameSizeFunction<kSoftplusGrad>}};
MR_KERNELS(SoftsignGrad, Cpu){{.types = MR_FLOAT_TYPES,
                               .make = MakeSameShape<kSoftsignGrad>,
                               .elementwise = SameSizeFunction<kSoftsignGrad>}};
MR_KERNELS(EluGrad, Cpu){{.types = MR_FLOAT_TYPES,
                          .make = MakeSameShape<kEluGrad>,
                          .elementwise = SameSizeFunction<kEluGrad>}};
MR_KERNELS(SeluGrad, Cpu){{.types = MR_FLOAT_TYPES,
                           .make = MakeSameShape<kSeluGrad>,
                           .elementwise = SameSizeFunction<kSeluGrad>}};
MR_KERNELS(LeakyRelu, Cpu){{.types = MR_FLOAT_TYPES,
                            .make = MakeElementwise<LeakyFunction<false>>,
                            .elementwise = LeakyFunction<false>}};
MR_KERNELS(LeakyReluGrad, Cpu){{.types = MR_FLOAT_TYPES,
                                .make = MakeElementwise<LeakyFunction<true>>,
                                .elementwise = LeakyFunction<true>}};

}  // namespace millrace::ops
