// Parts of complex numbers.
#include <cmath>

#include "millrace/ops/math/elementwise.h"
#include "millrace/ops/math/numbers.h"

namespace millrace::ops {
namespace {

struct ConjOp {
  template <class T>
  static T Do(T x) {
    return std::conj(x);
  }
};
struct RealOp {
  template <class T>
  static auto Do(T x) {
    return x.real();
  }
};
struct ImagOp {
  template <class T>
  static auto Do(T x) {
    return x.imag();
  }
};
struct AngleOp {
  template <class T>
  static auto Do(T x) {
    return std::arg(x);
  }
};
struct AbsOp {
  template <class T>
  static auto Do(T x) {
    return std::abs(x);
  }
};
struct ComplexOp {
  template <class T>
  static std::complex<T> Do(T re, T im) {
    return {re, im};
  }
};

constexpr UnaryTable kConj = MakeUnaryTable<ConjOp>(ComplexTypes());
constexpr UnaryTable kReal = MakeUnaryTable<RealOp>(ComplexTypes());
constexpr UnaryTable kImag = MakeUnaryTable<ImagOp>(ComplexTypes());
constexpr UnaryTable kAngle = MakeUnaryTable<AngleOp>(ComplexTypes(), 20000);
constexpr UnaryTable kAbs = MakeUnaryTable<AbsOp>(ComplexTypes(), 5000);
constexpr BinaryTable kComplex = MakeBinaryTable<ComplexOp>(RealLoops());

// What a variant holds has no conjugate; the element is passed on.
Status ConjVariant(KernelContext& ctx) {
  ctx.set_output(0, ctx.input(0));
  return OkStatus();
}

constexpr char kParts64[] = "T: complex64; Tout: float";
constexpr char kParts128[] = "T: complex128; Tout: double";

}  // namespace
}  // namespace millrace::ops

using namespace millrace;       // NOLINT: declarations stand outside
using namespace millrace::ops;  // NOLINT

MR_KERNELS(Conj, Cpu){
    {.types = "T: complex64, complex128", .make = MakeUnary<kConj>},
    {.types = "T: variant", .make = MakeFunctionKernel<ConjVariant>},
};
MR_KERNELS(Real, Cpu){
    {.types = kParts64, .make = MakeUnary<kReal>},
    {.types = kParts128, .make = MakeUnary<kReal>},
};
MR_KERNELS(Imag, Cpu){
    {.types = kParts64, .make = MakeUnary<kImag>},
    {.types = kParts128, .make = MakeUnary<kImag>},
};
MR_KERNELS(Angle, Cpu){
    {.types = kParts64, .make = MakeUnary<kAngle>},
    {.types = kParts128, .make = MakeUnary<kAngle>},
};
MR_KERNELS(ComplexAbs, Cpu){
    {.types = kParts64, .make = MakeUnary<kAbs>},
    {.types = kParts128, .make = MakeUnary<kAbs>},
};
MR_KERNELS(Complex, Cpu){
    {.types = "T: float; Tout: complex64", .make = MakeBinary<kComplex>},
    {.types = "T: double; Tout: complex128", .make = MakeBinary<kComplex>},
};
