// Kernels of bitwise ops on integers.
#include <algorithm>
#include <bit>

#include "millrace/ops/elementwise/both_signs.h"
#include "millrace/ops/elementwise/elementwise.h"

namespace millrace::ops {
namespace {

// Returns a defined shift count: shifting by a negative number, or by all bits
// or more, is undefined.
template <class T>
int ShiftWidth(T y) {
  constexpr int kMax = static_cast<int>(sizeof(T)) * 8 - 1;
  if constexpr (std::is_signed_v<T>) {
    if (y < 0) return 0;
  }
  return y > static_cast<T>(kMax) ? kMax : static_cast<int>(y);
}

struct LeftShiftOp {
  template <class T>
  static T Do(T x, T y) {
    return static_cast<T>(static_cast<uint64_t>(x) << ShiftWidth(y));
  }
};
struct RightShiftOp {
  template <class T>
  static T Do(T x, T y) {
    return static_cast<T>(x >> ShiftWidth(y));
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
struct XorOp {
  template <class T>
  static T Do(T x, T y) {
    return x ^ y;
  }
};
struct InvertOp {
  template <class T>
  static T Do(T x) {
    return static_cast<T>(~x);
  }
};
struct PopulationCountOp {
  template <class T>
  static uint8_t Do(T x) {
    return static_cast<uint8_t>(std::popcount(x));
  }
};

constexpr BinaryTable kLeftShift = MakeBinaryTable<LeftShiftOp>(IntegerTypes());
constexpr BinaryTable kRightShift =
    MakeBinaryTable<RightShiftOp>(IntegerTypes());

constexpr BinaryTable kAnd =
    ForBothSigns(MakeBinaryTable<AndOp>(UnsignedTypes()));
constexpr BinaryTable kOr =
    ForBothSigns(MakeBinaryTable<OrOp>(UnsignedTypes()));
constexpr BinaryTable kXor =
    ForBothSigns(MakeBinaryTable<XorOp>(UnsignedTypes()));
constexpr UnaryTable kInvert =
    ForBothSigns(MakeUnaryTable<InvertOp>(UnsignedTypes()));
constexpr UnaryTable kPopulationCount =
    ForBothSigns(MakeUnaryTable<PopulationCountOp>(UnsignedTypes()));

}  // namespace

MR_KERNELS(LeftShift, Cpu){{.make = MakeBinary<kLeftShift>,
                            .elementwise = BinaryFunction<kLeftShift>}};
MR_KERNELS(RightShift, Cpu){{.make = MakeBinary<kRightShift>,
                             .elementwise = BinaryFunction<kRightShift>}};
MR_KERNELS(BitwiseAnd, Cpu){
    {.make = MakeBinary<kAnd>, .elementwise = BinaryFunction<kAnd>}};
MR_KERNELS(BitwiseOr,
           Cpu){{.make = MakeBinary<kOr>, .elementwise = BinaryFunction<kOr>}};
MR_KERNELS(BitwiseXor, Cpu){
    {.make = MakeBinary<kXor>, .elementwise = BinaryFunction<kXor>}};
MR_KERNELS(Invert, Cpu){
    {.make = MakeUnary<kInvert>, .elementwise = UnaryFunction<kInvert>}};
MR_KERNELS(PopulationCount,
           Cpu){{.make = MakeUnary<kPopulationCount>,
                 .elementwise = UnaryFunction<kPopulationCount>}};

}  // namespace millrace::ops
