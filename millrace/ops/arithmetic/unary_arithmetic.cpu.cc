// Kernels of signs, roots and rounding of one operand.
#include <cmath>
#include <limits>

#include "millrace/ops/arithmetic/complex_loops.h"
#include "millrace/ops/elementwise/both_signs.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/fused/unary_chain.h"

namespace millrace::ops {
namespace {

struct NegOp {
  template <class T>
  static T Do(T x) {
    if constexpr (std::integral<T>) {
      return Minus<T>(0, x);
    } else {
      return -x;
    }
  }
};
struct AbsOp {
  template <class T>
  static T Do(T x) {
    if constexpr (std::integral<T>) {
      return x < 0 ? Minus<T>(0, x) : x;
    } else {
      return std::fabs(x);
    }
  }
};
struct SignOp {
  template <class T>
  static T Do(T x) {
    if constexpr (Complex<T>) {
      return x == T(0) ? T(0) : x / std::abs(x);
    } else {
      // NaN fails all comparisons and is returned as it is.
      return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x;
    }
  }
  // Squares of floats are finite in double, so that vectors can compute them.
  static std::complex<float> Do(std::complex<float> x) {
    const auto re = static_cast<double>(x.real());
    const auto im = static_cast<double>(x.imag());
    const double square = re * re + im * im;
    const double length = std::sqrt(square == 0 ? 1.0 : square);
    return {static_cast<float>(square == 0 ? 0 : re / length),
            static_cast<float>(square == 0 ? 0 : im / length)};
  }
};
struct SquareOp {
  template <class T>
  static T Do(T x) {
    return Times(x, x);
  }
};
struct SqrtOp {
  template <class T>
  static T Do(T x) {
    return std::sqrt(x);
  }
};
struct RsqrtOp {
  template <class T>
  static T Do(T x) {
    return T(1) / std::sqrt(x);
  }
};
struct ReciprocalOp {
  template <class T>
  static T Do(T x) {
    return T(1) / x;
  }
};
struct FloorOp {
  template <class T>
  static T Do(T x) {
    return std::floor(x);
  }
};
struct CeilOp {
  template <class T>
  static T Do(T x) {
    return std::ceil(x);
  }
};
struct RoundOp {
  template <class T>
  static T Do(T x) {
    if constexpr (std::integral<T>) {
      return x;
    } else {
      return std::rint(x);
    }
  }
};
struct IsNanOp {
  template <class T>
  static bool Do(T x) {
    return x != x;
  }
};
struct IsInfOp {
  template <class T>
  static bool Do(T x) {
    return std::fabs(x) == std::numeric_limits<T>::infinity();
  }
};
struct IsFiniteOp {
  template <class T>
  static bool Do(T x) {
    return std::fabs(x) < std::numeric_limits<T>::infinity();
  }
};

constexpr UnaryTable kNeg =
    MakeUnaryTable<NegOp>(Join<SignedLoops, ComplexTypes>());
constexpr UnaryTable kAbs = MakeUnaryTable<AbsOp>(SignedLoops());
constexpr UnaryTable kSign =
    MakeUnaryTable<SignOp>(Join<SignedLoops, ComplexTypes>());
constexpr UnaryTable kSquare =
    ForBothSigns(MakeUnaryTable<SquareOp>(UnsignedLoops()));
constexpr UnaryTable kSqrt =
    WithComplexLoops<complex_math::SqrtOfParts, SqrtOp>(
        MakeUnaryTable<SqrtOp>(RealLoops(), 500));
constexpr UnaryTable kRsqrt =
    WithComplexLoops<complex_math::RsqrtOfParts, RsqrtOp>(
        MakeUnaryTable<RsqrtOp>(RealLoops(), 800));
constexpr UnaryTable kReciprocal =
    WithComplexLoops<complex_math::ReciprocalOfParts, ReciprocalOp>(
        MakeUnaryTable<ReciprocalOp>(RealLoops(), 500));
constexpr UnaryTable kFloor = MakeUnaryTable<FloorOp>(RealLoops());
constexpr UnaryTable kCeil = MakeUnaryTable<CeilOp>(RealLoops());
constexpr UnaryTable kRound =
    MakeUnaryTable<RoundOp>(Join<RealLoops, Types<int32_t, int64_t>>());
constexpr UnaryTable kIsNan = MakeUnaryTable<IsNanOp>(RealLoops());
constexpr UnaryTable kIsInf = MakeUnaryTable<IsInfOp>(RealLoops());
constexpr UnaryTable kIsFinite = MakeUnaryTable<IsFiniteOp>(RealLoops());

constexpr char kFloating[] =
    "T: bfloat16, half, float, double, complex64, complex128";

constexpr NamedUnary kNamed[] = {
    {"Abs", &kAbs},
    {"Ceil", &kCeil},
    {"Floor", &kFloor},
    {"Neg", &kNeg},
    {"Reciprocal", &kReciprocal},
    {"Round", &kRound},
    {"Rsqrt", &kRsqrt},
    {"Sqrt", &kSqrt},
    {"Square", &kSquare},
    {"Inv", &kReciprocal},
    {"Rint", &kRound},
};

}  // namespace

absl::Span<const NamedUnary> ArithmeticUnaries() { return kNamed; }

MR_KERNELS(Neg,
           Cpu){{.make = MakeUnary<kNeg>, .elementwise = UnaryFunction<kNeg>}};
MR_KERNELS(Abs,
           Cpu){{.make = MakeUnary<kAbs>, .elementwise = UnaryFunction<kAbs>}};
MR_KERNELS(Sign, Cpu){
    {.make = MakeUnary<kSign>, .elementwise = UnaryFunction<kSign>}};
MR_KERNELS(Square, Cpu){
    {.make = MakeUnary<kSquare>, .elementwise = UnaryFunction<kSquare>}};
MR_KERNELS(Sqrt, Cpu){
    {.make = MakeUnary<kSqrt>, .elementwise = UnaryFunction<kSqrt>}};
MR_KERNELS(Rsqrt, Cpu){
    {.make = MakeUnary<kRsqrt>, .elementwise = UnaryFunction<kRsqrt>}};
MR_KERNELS(Reciprocal, Cpu){{.types = kFloating,
                             .make = MakeUnary<kReciprocal>,
                             .elementwise = UnaryFunction<kReciprocal>}};
MR_KERNELS(Inv, Cpu){{.types = kFloating,
                      .make = MakeUnary<kReciprocal>,
                      .elementwise = UnaryFunction<kReciprocal>}};
MR_KERNELS(Floor, Cpu){
    {.make = MakeUnary<kFloor>, .elementwise = UnaryFunction<kFloor>}};
MR_KERNELS(Ceil, Cpu){
    {.make = MakeUnary<kCeil>, .elementwise = UnaryFunction<kCeil>}};
MR_KERNELS(Round, Cpu){{
    .types = "T: bfloat16, half, float, double, int32, int64",
    .make = MakeUnary<kRound>,
    .elementwise = UnaryFunction<kRound>,
}};
MR_KERNELS(Rint, Cpu){{.types = "T: float, double",
                       .make = MakeUnary<kRound>,
                       .elementwise = UnaryFunction<kRound>}};
MR_KERNELS(IsNan, Cpu){
    {.make = MakeUnary<kIsNan>, .elementwise = UnaryFunction<kIsNan>}};
MR_KERNELS(IsInf, Cpu){
    {.make = MakeUnary<kIsInf>, .elementwise = UnaryFunction<kIsInf>}};
MR_KERNELS(IsFinite, Cpu){
    {.make = MakeUnary<kIsFinite>, .elementwise = UnaryFunction<kIsFinite>}};

}  // namespace millrace::ops
