// Kernels of error and gamma functions of one operand.
#include <cmath>

#include "millrace/ops/arithmetic/special_functions.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/error_math.h"
#include "millrace/ops/elementwise/float_math.h"

namespace millrace::ops {
namespace {

// Inlined by order, since they are long: a call that is left is a loop without
// vectors.
struct ErfOp {
  static float Do(float x) { return float_math::Erf(x); }
  [[gnu::always_inline]] static double Do(double x) {
    return vector_math::Erf(x);
  }
};

struct ErfcOp {
  template <class T>
  [[gnu::always_inline]] static T Do(T x) {
    return vector_math::Erfc(x);
  }
};

struct LgammaOp {
  // Plain lgamma writes a global variable.
  static float Do(float x) {
    int sign;
    return ::lgammaf_r(x, &sign);
  }
  static double Do(double x) {
    int sign;
    return ::lgamma_r(x, &sign);
  }
};

struct DigammaOp {
  template <class T>
  static T Do(T x) {
    return static_cast<T>(special::Digamma(x));
  }
};

constexpr UnaryTable kErf = MakeUnaryTable<ErfOp>(RealLoops(), 600);
constexpr UnaryTable kErfc = MakeUnaryTable<ErfcOp>(RealLoops(), 1000);
constexpr UnaryTable kLgamma = MakeUnaryTable<LgammaOp>(RealLoops(), 25000);
constexpr UnaryTable kDigamma = MakeUnaryTable<DigammaOp>(RealLoops(), 40000);

}  // namespace

MR_KERNELS(Erf,
           Cpu){{.make = MakeUnary<kErf>, .elementwise = UnaryFunction<kErf>}};
MR_KERNELS(Erfc, Cpu){
    {.make = MakeUnary<kErfc>, .elementwise = UnaryFunction<kErfc>}};
MR_KERNELS(Lgamma, Cpu){{.types = "T: half, float, double",
                         .make = MakeUnary<kLgamma>,
                         .elementwise = UnaryFunction<kLgamma>}};
MR_KERNELS(Digamma, Cpu){{.types = "T: half, float, double",
                          .make = MakeUnary<kDigamma>,
                          .elementwise = UnaryFunction<kDigamma>}};

}  // namespace millrace::ops
