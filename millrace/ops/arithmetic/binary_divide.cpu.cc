// Kernels of quotients and remainders of two operands.
#include <cmath>

#include "millrace/ops/arithmetic/complex_loops.h"
#include "millrace/ops/arithmetic/quotient_loops.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/numbers.h"

namespace millrace::ops {
namespace {

// Finds divisors of 0, for which integer division has no result.
struct NoZeroDivisor {
  template <std::integral T>
  static bool Fails(T, T y) {
    return y == 0;
  }
};

// Ops of integers are made of the truncated quotient: Of(x, y, quotient).
struct DivOp : NoZeroDivisor {
  template <class T>
  static T Of(T, T, T quotient) {
    return quotient;
  }
  template <class T>
  static T Do(T x, T y) {
    if constexpr (std::integral<T>) {
      return VectorQuotient(x, y);
    } else {
      return x / y;
    }
  }
};

struct TruncateDivOp : DivOp {
  template <class T>
  static T Do(T x, T y) {
    if constexpr (std::integral<T>) {
      return DivOp::Do(x, y);
    } else {
      return Whole(x / y);
    }
  }
  template <Real T>
  static T Whole(T quotient) {
    return std::trunc(quotient);
  }
};

struct FloorDivOp : NoZeroDivisor {
  template <class T>
  static T Of(T x, T y, T quotient) {
    if constexpr (std::is_signed_v<T>) {
      const T rest = Minus(x, Times(quotient, y));
      const bool above = rest != 0 && (rest ^ y) < 0;
      return above ? Minus(quotient, T(1)) : quotient;
    } else {
      return quotient;
    }
  }
  template <class T>
  static T Do(T x, T y) {
    if constexpr (std::integral<T>) {
      return Of(x, y, VectorQuotient(x, y));
    } else {
      return Whole(x / y);
    }
  }
  template <Real T>
  static T Whole(T quotient) {
    return std::floor(quotient);
  }
};

struct TruncateModOp : NoZeroDivisor {
  template <class T>
  static T Of(T x, T y, T quotient) {
    return Minus(x, Times(quotient, y));
  }
  template <class T>
  static T Do(T x, T y) {
    if constexpr (std::integral<T>) {
      return Of(x, y, VectorQuotient(x, y));
    } else {
      return std::fmod(x, y);
    }
  }
};

struct FloorModOp : NoZeroDivisor {
  template <class T>
  static T Of(T x, T y, T quotient) {
    const T rest = TruncateModOp::Of(x, y, quotient);
    if constexpr (std::is_signed_v<T>) {
      return rest != 0 && (rest ^ y) < 0 ? Plus(rest, y) : rest;
    } else {
      return rest;
    }
  }
  template <class T>
  static T Do(T x, T y) {
    if constexpr (std::integral<T>) {
      return Of(x, y, VectorQuotient(x, y));
    } else {
      const T r = TruncateModOp::Do(x, y);
      return r != 0 && (y < 0) != (r < 0) ? r + y : r;
    }
  }
};

struct DivNoNanOp {
  template <class T>
  static T Do(T x, T y) {
    return y == T(0) ? T(0) : x / y;
  }
};

struct XdivyOp {
  template <class T>
  static T Do(T x, T y) {
    return x == T(0) ? T(0) : x / y;
  }
};

constexpr char kZero[] = "Integer division by zero";
constexpr int kModPicos = 8000;

template <class Op, class... Ts>
constexpr BinaryTable QuotientTable(Types<Ts...> types, int cost_picos) {
  BinaryTable table = MakeBinaryTable<Op>(types, cost_picos, kZero);
  table.loops[IndexOf<int64_t>()] = WideLoops<Op, int64_t>();
  if (table.loops[IndexOf<uint64_t>()] != BinaryLoops()) {
    table.loops[IndexOf<uint64_t>()] = WideLoops<Op, uint64_t>();
  }
  return table;
}

// half and bfloat16 round the quotient before it becomes whole, which matters
// where it lies just below a whole number.
template <class Op>
constexpr BinaryTable WholeTable() {
  BinaryTable table = QuotientTable<Op>(OrderedLoops(), 1000);
  table.loops[IndexOf<Half>()] = RoundedLoops<Op, DataType::kHalf>();
  table.loops[IndexOf<Bfloat16>()] = RoundedLoops<Op, DataType::kBfloat16>();
  return table;
}

constexpr BinaryTable kDiv =
    WithComplexDivision(QuotientTable<DivOp>(OrderedLoops(), 500));
constexpr BinaryTable kTruncateDiv = WholeTable<TruncateDivOp>();
constexpr BinaryTable kFloorDiv = WholeTable<FloorDivOp>();
constexpr BinaryTable kTruncateMod = QuotientTable<TruncateModOp>(
    Join<RealLoops, Types<int32_t, int64_t>>(), kModPicos);
constexpr BinaryTable kFloorMod =
    QuotientTable<FloorModOp>(OrderedLoops(), kModPicos);
constexpr BinaryTable kDivNoNan =
    MakeBinaryTable<DivNoNanOp>(FloatLoops(), 500);
constexpr BinaryTable kXdivy = MakeBinaryTable<XdivyOp>(FloatLoops(), 500);

constexpr char kRemainderTypes[] = "T: int32, int64, float, double";

}  // namespace

MR_KERNELS(Div, Cpu){
    {.make = MakeBinary<kDiv>, .elementwise = BinaryFunction<kDiv>}};
MR_KERNELS(RealDiv, Cpu){{
    .types = "T: bfloat16, half, float, double, complex64, complex128",
    .make = MakeBinary<kDiv>,
    .elementwise = BinaryFunction<kDiv>,
}};
MR_KERNELS(TruncateDiv, Cpu){{
    .types = "T: bfloat16, half, float, double, uint8, int8, uint16, int16, "
             "int32, uint32, uint64, int64",
    .make = MakeBinary<kTruncateDiv>,
    .elementwise = BinaryFunction<kTruncateDiv>,
}};
MR_KERNELS(FloorDiv, Cpu){{
    .types = "T: bfloat16, half, float, double, uint8, int8, uint16, int16, "
             "int32, uint32, uint64, int64",
    .make = MakeBinary<kFloorDiv>,
    .elementwise = BinaryFunction<kFloorDiv>,
}};
MR_KERNELS(Mod, Cpu){{.types = kRemainderTypes,
                      .make = MakeBinary<kTruncateMod>,
                      .elementwise = BinaryFunction<kTruncateMod>}};
MR_KERNELS(TruncateMod, Cpu){{.types = kRemainderTypes,
                              .make = MakeBinary<kTruncateMod>,
                              .elementwise = BinaryFunction<kTruncateMod>}};
MR_KERNELS(FloorMod, Cpu){
    {.make = MakeBinary<kFloorMod>, .elementwise = BinaryFunction<kFloorMod>}};
MR_KERNELS(DivNoNan, Cpu){
    {.make = MakeBinary<kDivNoNan>, .elementwise = BinaryFunction<kDivNoNan>}};
MR_KERNELS(Xdivy, Cpu){
    {.make = MakeBinary<kXdivy>, .elementwise = BinaryFunction<kXdivy>}};

}  // namespace millrace::ops
