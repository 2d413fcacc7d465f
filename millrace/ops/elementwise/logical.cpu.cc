// not, and, or.
#include "millrace/ops/elementwise/elementwise.h"

namespace millrace::ops {
namespace {

struct NotOp {
  template <class T>
  static T Do(T x) {
    return !x;
  }
};
struct AndOp {
  template <class T>
  static T Do(T x, T y) {
    return x & y;
  }
};
struct OrOp {
  template <class T>
  static T Do(T x, T y) {
    return x | y;
  }
};

constexpr UnaryTable kNot = MakeUnaryTable<NotOp>(Types<bool>(), 100);
constexpr BinaryTable kAnd = MakeBinaryTable<AndOp>(Types<bool>(), 100);
constexpr BinaryTable kOr = MakeBinaryTable<OrOp>(Types<bool>(), 100);

}  // namespace

MR_KERNELS(LogicalNot,
           Cpu){{.make = MakeUnary<kNot>, .elementwise = UnaryFunction<kNot>}};
MR_KERNELS(LogicalAnd, Cpu){
    {.make = MakeBinary<kAnd>, .elementwise = BinaryFunction<kAnd>}};
MR_KERNELS(LogicalOr,
           Cpu){{.make = MakeBinary<kOr>, .elementwise = BinaryFunction<kOr>}};

}  // namespace millrace::ops
