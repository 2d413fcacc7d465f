// Kernels of incomplete gamma and beta functions, inverses of error functions
// and other special functions.
#include <cmath>

#include "millrace/ops/arithmetic/gamma_slope.h"
#include "millrace/ops/arithmetic/special_functions.h"
#include "millrace/ops/elementwise/elementwise.h"

namespace millrace::ops {
namespace {

struct IgammaOp {
  template <class T>
  static T Do(T a, T x) {
    return static_cast<T>(special::IncompleteGamma(a, x));
  }
};
struct IgammacOp {
  template <class T>
  static T Do(T a, T x) {
    return static_cast<T>(special::IncompleteGammaComplement(a, x));
  }
};
struct IgammaGradAOp {
  template <class T>
  static T Do(T a, T x) {
    return static_cast<T>(IncompleteGammaSlope(a, x));
  }
};
struct ZetaOp {
  template <class T>
  static T Do(T x, T q) {
    return static_cast<T>(special::Zeta(x, q));
  }
};
struct PolygammaOp {
  template <class T>
  static T Do(T n, T x) {
    return static_cast<T>(special::Polygamma(n, x));
  }
};
struct NextAfterOp {
  template <class T>
  static T Do(T from, T to) {
    return std::nextafter(from, to);
  }
};

struct ErfinvOp {
  template <class T>
  static T Do(T x) {
    return static_cast<T>(special::InverseErf(x));
  }
};

struct NdtriOp {
  template <class T>
  static T Do(T x) {
    return static_cast<T>(-M_SQRT2 *
                          special::InverseErfc(2 * static_cast<double>(x)));
  }
};

constexpr int kPicos = 200000;
constexpr BinaryTable kIgamma = MakeBinaryTable<IgammaOp>(RealLoops(), kPicos);
constexpr BinaryTable kIgammac =
    MakeBinaryTable<IgammacOp>(RealLoops(), kPicos);
// Picoseconds of the slowest element.
constexpr int kSlopePicos = 20'000'000;
constexpr BinaryTable kIgammaGradA =
    MakeBinaryTable<IgammaGradAOp>(RealLoops(), kSlopePicos);
constexpr BinaryTable kZeta = MakeBinaryTable<ZetaOp>(RealLoops(), kPicos);
constexpr BinaryTable kPolygamma =
    MakeBinaryTable<PolygammaOp>(RealLoops(), kPicos);
constexpr BinaryTable kNextAfter =
    MakeBinaryTable<NextAfterOp>(RealLoops(), 3000);

constexpr UnaryTable kErfinv = MakeUnaryTable<ErfinvOp>(RealLoops(), 100000);
constexpr UnaryTable kNdtri = MakeUnaryTable<NdtriOp>(RealLoops(), 100000);

// Requires: a, b and x are scalars or have the same shape.
Status RunBetainc(KernelContext& ctx) {
  constexpr const char* kNames[] = {"a", "b", "x"};
  TensorShape shape;
  int64_t step[3];
  for (int i = 0; i < 3; ++i) {
    const TensorShape& s = ctx.input(i).shape();
    step[i] = s.rank() == 0 ? 0 : 1;
    if (s.rank() == 0) continue;
    for (int j = 0; j < i; ++j) {
      const TensorShape& earlier = ctx.input(j).shape();
      if (earlier.rank() == 0 || earlier == s) continue;
      return InvalidArgument("Shapes of ", kNames[j], " and ", kNames[i],
                             " are inconsistent: ", earlier.DebugString(),
                             " vs. ", s.DebugString());
    }
    shape = s;
  }
  MR_ASSIGN_OR_RETURN(Tensor * z, ctx.AllocateOutput(0, shape));
  return Dispatch<float, double>(z->dtype(), [&]<class T>() {
    const T* a = ctx.input(0).flat<T>().data();
    const T* b = ctx.input(1).flat<T>().data();
    const T* x = ctx.input(2).flat<T>().data();
    T* out = z->mutable_flat<T>().data();
    return ShardElements(
        ctx, z->num_elements(), kPicos, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            out[i] = static_cast<T>(special::IncompleteBeta(
                a[i * step[0]], b[i * step[1]], x[i * step[2]]));
          }
        });
  });
}

constexpr char kSpecialTypes[] = "T: float, double";

}  // namespace

MR_KERNELS(Igamma, Cpu){{.types = kSpecialTypes,
                         .make = MakeBinary<kIgamma>,
                         .elementwise = BinaryFunction<kIgamma>}};
MR_KERNELS(Igammac, Cpu){{.types = kSpecialTypes,
                          .make = MakeBinary<kIgammac>,
                          .elementwise = BinaryFunction<kIgammac>}};
MR_KERNELS(IgammaGradA, Cpu){{.make = MakeBinary<kIgammaGradA>,
                              .elementwise = BinaryFunction<kIgammaGradA>}};
MR_KERNELS(Zeta, Cpu){
    {.make = MakeBinary<kZeta>, .elementwise = BinaryFunction<kZeta>}};
MR_KERNELS(Polygamma, Cpu){{.make = MakeBinary<kPolygamma>,
                            .elementwise = BinaryFunction<kPolygamma>}};
MR_KERNELS(NextAfter, Cpu){{.make = MakeBinary<kNextAfter>,
                            .elementwise = BinaryFunction<kNextAfter>}};
MR_KERNELS(Betainc, Cpu){{.make = MakeFunctionKernel<RunBetainc>}};
MR_KERNELS(Erfinv, Cpu){{.types = kSpecialTypes,
                         .make = MakeUnary<kErfinv>,
                         .elementwise = UnaryFunction<kErfinv>}};
MR_KERNELS(Ndtri, Cpu){{.types = kSpecialTypes,
                        .make = MakeUnary<kNdtri>,
                        .elementwise = UnaryFunction<kNdtri>}};

}  // namespace millrace::ops
