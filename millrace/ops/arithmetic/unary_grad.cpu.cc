// Kernels of the gradient ops of unary ops, which take the forward result y and
// the gradient dy.
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/numbers.h"

namespace millrace::ops {
namespace {

// Do not conjugate complex y, as in stock TensorFlow.
struct SigmoidGradOp {
  template <class T>
  static T Do(T y, T dy) {
    return Times(dy, Times(y, T(1) - y));
  }
};
struct TanhGradOp {
  template <class T>
  static T Do(T y, T dy) {
    return Times(dy, T(1) - Times(y, y));
  }
};

// The three gradients below are 0 where dy is 0, even if y is infinite or 0.
struct SqrtGradOp {
  template <class T>
  static T Do(T y, T dy) {
    return dy == T(0) ? T(0) : dy * T(0.5) / Conjugate(y);
  }
};
struct RsqrtGradOp {
  template <class T>
  static T Do(T y, T dy) {
    const T c = Conjugate(y);
    return dy == T(0) ? T(0) : Times(Times(dy, c), Times(c, c)) * T(-0.5);
  }
};
struct ReciprocalGradOp {
  template <class T>
  static T Do(T y, T dy) {
    const T c = Conjugate(y);
    return dy == T(0) ? T(0) : -Times(dy, Times(c, c));
  }
};

constexpr BinaryTable kSigmoidGrad =
    MakeBinaryTable<SigmoidGradOp>(FloatLoops());
constexpr BinaryTable kTanhGrad = MakeBinaryTable<TanhGradOp>(FloatLoops());
constexpr BinaryTable kSqrtGrad =
    MakeBinaryTable<SqrtGradOp>(FloatLoops(), 500);
constexpr BinaryTable kRsqrtGrad = MakeBinaryTable<RsqrtGradOp>(FloatLoops());
constexpr BinaryTable kReciprocalGrad =
    MakeBinaryTable<ReciprocalGradOp>(FloatLoops());

}  // namespace

MR_KERNELS(SigmoidGrad, Cpu){{.make = MakeSameSize<kSigmoidGrad>,
                              .elementwise = SameSizeFunction<kSigmoidGrad>}};
MR_KERNELS(TanhGrad, Cpu){{.make = MakeSameSize<kTanhGrad>,
                           .elementwise = SameSizeFunction<kTanhGrad>}};
MR_KERNELS(SqrtGrad, Cpu){{.make = MakeSameSize<kSqrtGrad>,
                           .elementwise = SameSizeFunction<kSqrtGrad>}};
MR_KERNELS(RsqrtGrad, Cpu){{.make = MakeSameSize<kRsqrtGrad>,
                            .elementwise = SameSizeFunction<kRsqrtGrad>}};
MR_KERNELS(ReciprocalGrad,
           Cpu){{.make = MakeSameSize<kReciprocalGrad>,
                 .elementwise = SameSizeFunction<kReciprocalGrad>}};
MR_KERNELS(InvGrad, Cpu){{.make = MakeSameSize<kReciprocalGrad>,
                          .elementwise = SameSizeFunction<kReciprocalGrad>}};

}  // namespace millrace::ops
