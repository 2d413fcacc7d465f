// Kernels of quotients and remainders of two operands.
#include <cmath>

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

struct DivOp : NoZeroDivisor {
  template <class T>
  static T Do(T x, T y) {
    if constexpr (std::integral<T>) {
      return Quotient(x, y);
    } else {
      return x / y;
    }
  }
};

// Returns the quotient rounded to T. half and bfloat16 round before the
// truncation to an integer, which matters where the quotient lies just below
// one.
template <class T>
T RoundedQuotient(T x, T y) {
  return T(float(x) / float(y));
}

struct TruncateDivOp : NoZeroDivisor {
  template <class T>
  static T Do(T x, T y) {
    if constexpr (std::integral<T>) {
      return Quotient(x, y);
    } else if constexpr (Real<T>) {
      return std::trunc(x / y);
    } else {
      return T(std::trunc(float(RoundedQuotient(x, y))));
    }
  }
};

struct FloorDivOp : NoZeroDivisor {
  template <class T>
  static T Do(T x, T y) {
    if constexpr (std::integral<T>) {
      const T q = Quotient(x, y);
      if constexpr (std::is_signed_v<T>) {
        if (Remainder(x, y) != 0 && (x < 0) != (y < 0)) return q - 1;
      }
      return q;
    } else if constexpr (Real<T>) {
      return std::floor(x / y);
    } else {
      return T(std::floor(float(RoundedQuotient(x, y))));
    }
  }
};

struct TruncateModOp : NoZeroDivisor {
  template <class T>
  static T Do(T x, T y) {
    if constexpr (std::integral<T>) {
      return Remainder(x, y);
    } else {
      return std::fmod(x, y);
    }
  }
};

struct FloorModOp : NoZeroDivisor {
  template <class T>
  static T Do(T x, T y) {
    const T r = TruncateModOp::Do(x, y);
    if constexpr (std::is_unsigned_v<T>) {
      return r;
    } else {
      return r != 0 && (y < 0) != (r < 0) ? Plus(r, y) : r;
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

constexpr BinaryTable kDiv = MakeBinaryTable<DivOp>(NumberLoops(), 500, kZero);
constexpr BinaryTable kTruncateDiv =
    MakeBinaryTable<TruncateDivOp>(RealTypes(), 500, kZero);
constexpr BinaryTable kFloorDiv =
    MakeBinaryTable<FloorDivOp>(RealTypes(), 500, kZero);
constexpr BinaryTable kTruncateMod = MakeBinaryTable<TruncateModOp>(
    Join<RealLoops, Types<int32_t, int64_t>>(), kModPicos, kZero);
constexpr BinaryTable kFloorMod =
    MakeBinaryTable<FloorModOp>(OrderedLoops(), kModPicos, kZero);
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
