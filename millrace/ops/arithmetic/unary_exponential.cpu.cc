// Kernels of exponentials, logarithms and the functions made of them, of one
// operand. float and double use our own vector code, complex the C library.
#include <cmath>

#include "millrace/ops/arithmetic/complex_loops.h"
#include "millrace/ops/elementwise/double_math.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/float_math.h"
#include "millrace/ops/elementwise/inverse_math.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/fused/unary_chain.h"

namespace millrace::ops {
namespace {

struct ExpOp {
  static float Do(float x) { return float_math::Exp(x); }
  static double Do(double x) { return double_math::Exp(x); }
  template <class T>
  static T Do(T x) {
    return std::exp(x);
  }
};

struct Expm1Op {
  static float Do(float x) { return float_math::Expm1(x); }
  static double Do(double x) { return double_math::Expm1(x); }
  // Computes exp(a) cos b - 1 without cancellation near 0.
  template <Complex T>
  static T Do(T x) {
    const auto e = std::expm1(x.real());
    const auto s = std::sin(x.imag() / 2);
    return T(e * std::cos(x.imag()) - 2 * s * s, (e + 1) * std::sin(x.imag()));
  }
};

struct LogOp {
  static float Do(float x) { return float_math::Log(x); }
  static double Do(double x) { return double_math::Log(x); }
  template <class T>
  static T Do(T x) {
    return std::log(x);
  }
};

struct Log1pOp {
  static float Do(float x) { return float_math::Log1p(x); }
  static double Do(double x) { return double_math::Log1p(x); }
  template <Complex T>
  static T Do(T x) {
    const auto a = x.real();
    const auto b = x.imag();
    // |1 + x| loses the digits of x where it is near 1; far from there the
    // square could overflow.
    const bool near = std::abs(a) < 0.5 && std::abs(b) < 0.5;
    const auto log_of_size = near ? std::log1p(a * (2 + a) + b * b) / 2
                                  : std::log(std::hypot(1 + a, b));
    return T(log_of_size, std::atan2(b, 1 + a));
  }
};

struct TanhOp {
  static float Do(float x) { return float_math::Tanh(x); }
  static double Do(double x) { return double_math::Tanh(x); }
  template <class T>
  static T Do(T x) {
    return std::tanh(x);
  }
};

struct SigmoidOp {
  static float Do(float x) { return float_math::Sigmoid(x); }
  static double Do(double x) { return double_math::Sigmoid(x); }
  template <Complex T>
  static T Do(T x) {
    return T(1) / (T(1) + std::exp(-x));
  }
};

struct SinhOp {
  template <class T>
  static T Do(T x) {
    if constexpr (Real<T>) {
      return vector_math::Sinh(x);
    } else {
      return std::sinh(x);
    }
  }
};
struct CoshOp {
  template <class T>
  static T Do(T x) {
    if constexpr (Real<T>) {
      return vector_math::Cosh(x);
    } else {
      return std::cosh(x);
    }
  }
};
struct AsinhOp {
  template <class T>
  static T Do(T x) {
    if constexpr (Real<T>) {
      return vector_math::Asinh(x);
    } else {
      return std::asinh(x);
    }
  }
};
struct AcoshOp {
  template <class T>
  static T Do(T x) {
    if constexpr (Real<T>) {
      return vector_math::Acosh(x);
    } else {
      return std::acosh(x);
    }
  }
};
struct AtanhOp {
  template <class T>
  static T Do(T x) {
    if constexpr (Real<T>) {
      return vector_math::Atanh(x);
    } else {
      return std::atanh(x);
    }
  }
};

constexpr UnaryTable kExp = WithComplexLoops<complex_math::ExpOfParts, ExpOp>(
    MakeUnaryTable<ExpOp>(RealLoops(), 400));
constexpr UnaryTable kExpm1 = MakeUnaryTable<Expm1Op>(FloatLoops(), 400);
constexpr UnaryTable kLog = WithComplexLoops<complex_math::LogOfParts, LogOp>(
    MakeUnaryTable<LogOp>(RealLoops(), 500));
constexpr UnaryTable kLog1p = MakeUnaryTable<Log1pOp>(FloatLoops(), 500);
constexpr UnaryTable kTanh = MakeUnaryTable<TanhOp>(FloatLoops(), 400);
constexpr UnaryTable kSigmoid = MakeUnaryTable<SigmoidOp>(FloatLoops(), 400);
constexpr UnaryTable kSinh = MakeUnaryTable<SinhOp>(FloatLoops(), 600);
constexpr UnaryTable kCosh = MakeUnaryTable<CoshOp>(FloatLoops(), 600);
constexpr UnaryTable kAsinh = MakeUnaryTable<AsinhOp>(FloatLoops(), 600);
constexpr UnaryTable kAcosh = MakeUnaryTable<AcoshOp>(FloatLoops(), 600);
constexpr UnaryTable kAtanh = MakeUnaryTable<AtanhOp>(FloatLoops(), 600);

constexpr NamedUnary kExponentials[] = {
    {"Acosh", &kAcosh}, {"Asinh", &kAsinh}, {"Atanh", &kAtanh},
    {"Cosh", &kCosh},   {"Exp", &kExp},     {"Expm1", &kExpm1},
    {"Log", &kLog},     {"Log1p", &kLog1p}, {"Sigmoid", &kSigmoid},
    {"Sinh", &kSinh},   {"Tanh", &kTanh},
};

}  // namespace

absl::Span<const NamedUnary> ExponentialUnaries() { return kExponentials; }

MR_KERNELS(Exp,
           Cpu){{.make = MakeUnary<kExp>, .elementwise = UnaryFunction<kExp>}};
MR_KERNELS(Expm1, Cpu){
    {.make = MakeUnary<kExpm1>, .elementwise = UnaryFunction<kExpm1>}};
MR_KERNELS(Log,
           Cpu){{.make = MakeUnary<kLog>, .elementwise = UnaryFunction<kLog>}};
MR_KERNELS(Log1p, Cpu){
    {.make = MakeUnary<kLog1p>, .elementwise = UnaryFunction<kLog1p>}};
MR_KERNELS(Tanh, Cpu){
    {.make = MakeUnary<kTanh>, .elementwise = UnaryFunction<kTanh>}};
MR_KERNELS(Sigmoid, Cpu){
    {.make = MakeUnary<kSigmoid>, .elementwise = UnaryFunction<kSigmoid>}};
MR_KERNELS(Sinh, Cpu){
    {.make = MakeUnary<kSinh>, .elementwise = UnaryFunction<kSinh>}};
MR_KERNELS(Cosh, Cpu){
    {.make = MakeUnary<kCosh>, .elementwise = UnaryFunction<kCosh>}};
MR_KERNELS(Asinh, Cpu){
    {.make = MakeUnary<kAsinh>, .elementwise = UnaryFunction<kAsinh>}};
MR_KERNELS(Acosh, Cpu){
    {.make = MakeUnary<kAcosh>, .elementwise = UnaryFunction<kAcosh>}};
MR_KERNELS(Atanh, Cpu){
    {.make = MakeUnary<kAtanh>, .elementwise = UnaryFunction<kAtanh>}};

}  // namespace millrace::ops
