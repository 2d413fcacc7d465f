// Activations with an exponential or a slope below zero.
#include <cmath>
#include <limits>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/math/elementwise.h"
#include "millrace/ops/math/float_math.h"
#include "millrace/ops/math/unary_chain.h"

namespace millrace::ops {
namespace {

inline float Exp1(float x) { return float_math::Exp(x); }
inline double Exp1(double x) { return std::exp(x); }
using float_math::Expm1OfNegative;
inline double Expm1OfNegative(double x) { return std::expm1(x); }
inline float Log1pOf(float x) { return float_math::Log1p(x); }
inline double Log1pOf(double x) { return std::log1p(x); }

// Where exp(x) is all that is left of log(exp(x) + 1), or x is: log(epsilon) +
// 2.
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

// The fixed point of Selu: mean 0 and variance 1 stay.
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

// LeakyRelu and its gradient, which have a number of their own.
template <bool kGrad>
class LeakyRelu {
 public:
  static StatusOr<LeakyRelu> Make(const KernelInit& init) {
    LeakyRelu k;
    MR_ASSIGN(k.alpha_, init.Attr<float>("alpha"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor x = ctx.input(kGrad ? 1 : 0);
    const Tensor dy = ctx.input(0);
    if (kGrad && dy.shape() != x.shape()) {
      return InvalidArgument("Inputs must have the same size and shape: ",
                             dy.shape().DebugString(), " vs ",
                             x.shape().DebugString());
    }
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    return Dispatch(FloatTypes{}, x.dtype(), [&]<class T>() -> Status {
      using S = ComputeType<T>;
      const T* in = x.flat<T>().data();
      const T* grad = dy.flat<T>().data();
      T* z = out->mutable_flat<T>().data();
      // Stock rounds alpha to the type.
      const S alpha = static_cast<S>(static_cast<T>(alpha_));
      return ShardElements(
          ctx, x.num_elements(), 400, [&](int64_t begin, int64_t end) {
            if constexpr (std::is_same_v<T, S>) {
              kGrad ? LeakGrad(grad + begin, in + begin, alpha, z + begin,
                               end - begin)
                    : Leak(in + begin, alpha, z + begin, end - begin);
            } else {
              for (int64_t i = begin; i < end; ++i) {
                const S v = static_cast<S>(in[i]);
                S r;
                if (kGrad) {
                  const S d = static_cast<S>(grad[i]);
                  LeakGrad(&d, &v, alpha, &r, 1);
                } else {
                  Leak(&v, alpha, &r, 1);
                }
                z[i] = static_cast<T>(r);
              }
            }
          });
    });
  }

 private:
  float alpha_ = 0;
};

#define MR_FLOAT_TYPES "T: bfloat16, double, float, half"

constexpr NamedUnary kNamed[] = {
    {"Elu", &kElu},
    {"Selu", &kSelu},
};

}  // namespace

absl::Span<const NamedUnary> RectifierUnaries() { return kNamed; }

}  // namespace millrace::ops

using namespace millrace;
using namespace millrace::ops;

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
                               .make = MakeSameSize<kSoftplusGrad>,
                               .elementwise = SameSizeFunction<kSoftplusGrad>}};
MR_KERNELS(SoftsignGrad, Cpu){{.types = MR_FLOAT_TYPES,
                               .make = MakeSameSize<kSoftsignGrad>,
                               .elementwise = SameSizeFunction<kSoftsignGrad>}};
MR_KERNELS(EluGrad, Cpu){{.types = MR_FLOAT_TYPES,
                          .make = MakeSameSize<kEluGrad>,
                          .elementwise = SameSizeFunction<kEluGrad>}};
MR_KERNELS(SeluGrad, Cpu){{.types = MR_FLOAT_TYPES,
                           .make = MakeSameSize<kSeluGrad>,
                           .elementwise = SameSizeFunction<kSeluGrad>}};
MR_KERNELS(LeakyRelu, Cpu){
    {.types = MR_FLOAT_TYPES, .make = MakeKernel<LeakyRelu<false>>}};
MR_KERNELS(LeakyReluGrad,
           Cpu){{.types = MR_FLOAT_TYPES, .make = MakeKernel<LeakyRelu<true>>}};
