#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/fused/unary_chain.h"

namespace millrace::ops {
namespace {

struct ReluOp {
  template <class T>
  static T Do(T x) {
    // NaN fails the comparison and stays NaN.
    return x <= T(0) ? T(0) : x;
  }
};
struct Relu6Op {
  template <class T>
  static T Do(T x) {
    const T low = x <= T(0) ? T(0) : x;
    return low >= T(6) ? T(6) : low;
  }
};
// These are products, as in stock: where x is not above 0, a dy that is NaN or
// infinite gives NaN. Products also keep compilers from loads of dy that are
// masked by x and wait for it.
struct ReluGradOp {
  template <class T>
  static T Do(T dy, T x) {
    return static_cast<T>(dy * (x > T(0) ? T(1) : T(0)));
  }
};
struct Relu6GradOp {
  template <class T>
  static T Do(T dy, T x) {
    return static_cast<T>(dy * (x > T(0) && x < T(6) ? T(1) : T(0)));
  }
};

constexpr UnaryTable kRelu = MakeUnaryTable<ReluOp>(OrderedLoops());
constexpr UnaryTable kRelu6 = MakeUnaryTable<Relu6Op>(OrderedLoops());
constexpr BinaryTable kReluGrad = MakeBinaryTable<ReluGradOp>(OrderedLoops());
constexpr BinaryTable kRelu6Grad = MakeBinaryTable<Relu6GradOp>(OrderedLoops());

constexpr NamedUnary kReluUnaries[] = {
    {"Relu", &kRelu},
    {"Relu6", &kRelu6},
};

}  // namespace

absl::Span<const NamedUnary> ActivationUnaries() { return kReluUnaries; }

MR_KERNELS(Relu, Cpu){{.types = "T: " MR_REAL_TYPES,
                       .make = MakeUnary<kRelu>,
                       .elementwise = UnaryFunction<kRelu>}};
MR_KERNELS(Relu6, Cpu){{.types = "T: " MR_REAL_TYPES,
                        .make = MakeUnary<kRelu6>,
                        .elementwise = UnaryFunction<kRelu6>}};
MR_KERNELS(ReluGrad, Cpu){{.types = "T: " MR_REAL_TYPES,
                           .make = MakeSameShape<kReluGrad>,
                           .elementwise = SameSizeFunction<kReluGrad>}};
MR_KERNELS(Relu6Grad, Cpu){{.types = "T: " MR_REAL_TYPES,
                            .make = MakeSameShape<kRelu6Grad>,
                            .elementwise = SameSizeFunction<kRelu6Grad>}};

}  // namespace millrace::ops
