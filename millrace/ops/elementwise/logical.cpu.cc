// Kernels of not, and, or.
#include "millrace/ops/elementwise/elementwise.h"

namespace millrace::ops {
namespace {

struct NotOp {
  template <class T>
  static T Do(T x) {
    return !x;
  }
};
struct LogicalAndOp {
  template <class T>
  static T Do(T x, T y) {
    return x & y;
  }
};
struct LogicalOrOp {
  template <class T>
  static T Do(T x, T y) {
    return x | y;
  }
};

constexpr UnaryTable kNot = MakeUnaryTable<NotOp>(Types<bool>(), 100);
constexpr BinaryTable kLogicalAnd =
    MakeBinaryTable<LogicalAndOp>(Types<bool>(), 100);
constexpr BinaryTable kLogicalOr =
    MakeBinaryTable<LogicalOrOp>(Types<bool>(), 100);

}  // namespace

MR_KERNELS(LogicalNot,
           Cpu){{.make = MakeUnary<kNot>, .elementwise = UnaryFunction<kNot>}};
MR_KERNELS(LogicalAnd, Cpu){{.make = MakeBinary<kLogicalAnd>,
                             .elementwise = BinaryFunction<kLogicalAnd>}};
MR_KERNELS(LogicalOr, Cpu){{.make = MakeBinary<kLogicalOr>,
                            .elementwise = BinaryFunction<kLogicalOr>}};

}  // namespace millrace::ops
