// Kernels of parts of complex numbers.
#include <cmath>
#include <limits>

#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/numbers.h"

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
  // Squares of floats are finite in double, so that vectors can compute them.
  // What has an infinite part is infinite, even if the other one is NaN.
  static float Do(std::complex<float> x) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float re = std::abs(x.real()), im = std::abs(x.imag());
    const auto a = static_cast<double>(re), b = static_cast<double>(im);
    const auto length = static_cast<float>(std::sqrt(a * a + b * b));
    const float infinite = re == kInfinity ? re : im;
    return infinite == kInfinity ? infinite : length;
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

// Passes the element on: the value of a variant has no conjugate.
Status ConjVariant(KernelContext& ctx) {
  ctx.set_output(0, ctx.input(0));
  return OkStatus();
}

// Checks Tout, which is not part of stock's kernel constraint, so a wrong type
// gets this far.
StatusOr<std::unique_ptr<Kernel>> MakeComplexAbs(const KernelInit& init) {
  const DataType in = RemoveRef(init.input_type(0));
  const DataType out = RemoveRef(init.output_type(0));
  const DataType part =
      in == DataType::kComplex64 ? DataType::kFloat : DataType::kDouble;
  if (out != part) {
    return InvalidArgument("Signature mismatch, have: ", DataTypeName(in), "->",
                           DataTypeName(out), " expected: ", DataTypeName(in),
                           "->", DataTypeName(part));
  }
  return MakeUnaryKernel(init, kAbs);
}

constexpr char kParts64[] = "T: complex64; Tout: float";
constexpr char kParts128[] = "T: complex128; Tout: double";

}  // namespace

MR_KERNELS(Conj, Cpu){
    {.types = "T: complex64, complex128",
     .make = MakeUnary<kConj>,
     .elementwise = UnaryFunction<kConj>},
    {.types = "T: variant", .make = MakeFunctionKernel<ConjVariant>},
};
MR_KERNELS(Real, Cpu){
    {.types = kParts64,
     .make = MakeUnary<kReal>,
     .elementwise = UnaryFunction<kReal>},
    {.types = kParts128,
     .make = MakeUnary<kReal>,
     .elementwise = UnaryFunction<kReal>},
};
MR_KERNELS(Imag, Cpu){
    {.types = kParts64,
     .make = MakeUnary<kImag>,
     .elementwise = UnaryFunction<kImag>},
    {.types = kParts128,
     .make = MakeUnary<kImag>,
     .elementwise = UnaryFunction<kImag>},
};
MR_KERNELS(Angle, Cpu){
    {.types = kParts64,
     .make = MakeUnary<kAngle>,
     .elementwise = UnaryFunction<kAngle>},
    {.types = kParts128,
     .make = MakeUnary<kAngle>,
     .elementwise = UnaryFunction<kAngle>},
};
MR_KERNELS(ComplexAbs, Cpu){{.make = MakeComplexAbs}};
MR_KERNELS(Complex, Cpu){
    {.types = "T: float; Tout: complex64",
     .make = MakeBinary<kComplex>,
     .elementwise = BinaryFunction<kComplex>},
    {.types = "T: double; Tout: complex128",
     .make = MakeBinary<kComplex>,
     .elementwise = BinaryFunction<kComplex>},
};

}  // namespace millrace::ops
