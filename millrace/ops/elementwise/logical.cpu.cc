// Kernels of not, and, or.
#include "millrace/ops/elementwise/elementwise.h"

namespace millrace::ops {
namespace {

// Negates bytes: the compiler makes no vectors of a loop over bool.
MR_TARGET_CLONES void NotLoop(const void* xv, void* zv, int64_t n) {
  const uint8_t* x = static_cast<const uint8_t*>(xv);
  uint8_t* z = static_cast<uint8_t*>(zv);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) z[i] = x[i] ^ 1;
}

constexpr UnaryTable NotTable() {
  UnaryTable table;
  table.cost_picos = 100;
  table.loops[IndexOf<bool>()] = &NotLoop;
  return table;
}

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

constexpr UnaryTable kNot = NotTable();
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
