// Kernels of trigonometric functions and their inverses, of one operand.
#include <algorithm>
#include <cmath>

#include "millrace/ops/elementwise/double_math.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/float_math.h"
#include "millrace/ops/elementwise/inverse_math.h"
#include "millrace/ops/elementwise/libm_op.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/fused/unary_chain.h"

namespace millrace::ops {
namespace {

MR_LIBM_OP(SinOp, sin);
MR_LIBM_OP(CosOp, cos);
MR_LIBM_OP(TanOp, tan);

struct VectorSin {
  static float Do(float x) { return float_math::Sin(x); }
  static double Do(double x) { return double_math::Sin(x); }
};
struct VectorCos {
  static float Do(float x) { return float_math::Cos(x); }
  static double Do(double x) { return double_math::Cos(x); }
};
struct VectorTan {
  static float Do(float x) { return float_math::Tan(x); }
  static double Do(double x) { return double_math::Tan(x); }
};

struct AsinOp {
  template <class T>
  static T Do(T x) {
    if constexpr (Real<T>) {
      return vector_math::Asin(x);
    } else {
      return std::asin(x);
    }
  }
};
struct AcosOp {
  template <class T>
  static T Do(T x) {
    if constexpr (Real<T>) {
      return vector_math::Acos(x);
    } else {
      return std::acos(x);
    }
  }
};
struct AtanOp {
  template <class T>
  static T Do(T x) {
    if constexpr (Real<T>) {
      return vector_math::Atan(x);
    } else {
      return std::atan(x);
    }
  }
};

inline bool IsSmallAngle(float x) {
  return float_math::Abs(x) <= float_math::kMaxAngle;
}
inline bool IsSmallAngle(double x) {
  return double_math::Abs(x) <= double_math::kMaxAngle;
}

// Returns whether the vector code is accurate for all of x; false for NaN and
// infinities.
template <class T>
MR_TARGET_CLONES bool AllAnglesSmall(const T* x, int64_t n) {
  int outside = 0;
  for (int64_t i = 0; i < n; ++i) outside |= IsSmallAngle(x[i]) ? 0 : 1;
  return outside == 0;
}

// Uses vector code for blocks whose angles are small, and the C library's
// functions for the others.
template <class VectorOp, class LibmOp, class T>
void AngleLoop(const void* xv, void* zv, int64_t n) {
  constexpr int64_t kBlock = 256;
  const T* x = static_cast<const T*>(xv);
  T* z = static_cast<T*>(zv);
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t m = std::min(kBlock, n - i);
    if (AllAnglesSmall(x + i, m)) {
      internal::LoopOverX<VectorOp, T>(x + i, z + i, m);
    } else {
      for (int64_t j = i; j < i + m; ++j) z[j] = LibmOp::Do(x[j]);
    }
  }
}

template <class VectorOp, class LibmOp>
constexpr UnaryTable AngleTable() {
  UnaryTable table = MakeUnaryTable<LibmOp>(ComplexTypes(), 500);
  table.loops[IndexOf<float>()] = &AngleLoop<VectorOp, LibmOp, float>;
  table.loops[IndexOf<double>()] = &AngleLoop<VectorOp, LibmOp, double>;
  return table;
}

constexpr UnaryTable kSin = AngleTable<VectorSin, SinOp>();
constexpr UnaryTable kCos = AngleTable<VectorCos, CosOp>();
constexpr UnaryTable kTan = AngleTable<VectorTan, TanOp>();
constexpr UnaryTable kAsin = MakeUnaryTable<AsinOp>(FloatLoops(), 600);
constexpr UnaryTable kAcos = MakeUnaryTable<AcosOp>(FloatLoops(), 600);
constexpr UnaryTable kAtan = MakeUnaryTable<AtanOp>(FloatLoops(), 600);

constexpr NamedUnary kTrigonometrics[] = {
    {"Acos", &kAcos}, {"Asin", &kAsin}, {"Atan", &kAtan},
    {"Cos", &kCos},   {"Sin", &kSin},   {"Tan", &kTan},
};

}  // namespace

absl::Span<const NamedUnary> TrigonometricUnaries() { return kTrigonometrics; }

MR_KERNELS(Sin,
           Cpu){{.make = MakeUnary<kSin>, .elementwise = UnaryFunction<kSin>}};
MR_KERNELS(Cos,
           Cpu){{.make = MakeUnary<kCos>, .elementwise = UnaryFunction<kCos>}};
MR_KERNELS(Tan,
           Cpu){{.make = MakeUnary<kTan>, .elementwise = UnaryFunction<kTan>}};
MR_KERNELS(Asin, Cpu){
    {.make = MakeUnary<kAsin>, .elementwise = UnaryFunction<kAsin>}};
MR_KERNELS(Acos, Cpu){
    {.make = MakeUnary<kAcos>, .elementwise = UnaryFunction<kAcos>}};
MR_KERNELS(Atan, Cpu){
    {.make = MakeUnary<kAtan>, .elementwise = UnaryFunction<kAtan>}};

}  // namespace millrace::ops
