// Kernels of sums, products and extremes of two operands.
#include <string>

#include "millrace/ops/elementwise/both_signs.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/numbers.h"

namespace millrace::ops {
namespace {

struct AddOp {
  template <class T>
  static T Do(T x, T y) {
    return Plus(x, y);
  }
};
struct SubOp {
  template <class T>
  static T Do(T x, T y) {
    return Minus(x, y);
  }
};
struct MulOp {
  template <class T>
  static T Do(T x, T y) {
    return Times(x, y);
  }
};
struct MulNoNanOp {
  template <class T>
  static T Do(T x, T y) {
    return y == T(0) ? T(0) : Times(x, y);
  }
};
struct MaximumOp {
  template <class T>
  static T Do(T x, T y) {
    return Larger(x, y);
  }
};
struct MinimumOp {
  template <class T>
  static T Do(T x, T y) {
    return Smaller(x, y);
  }
};
struct SquaredDifferenceOp {
  template <class T>
  static T Do(T x, T y) {
    const T d = Minus(x, y);
    return Times(d, Conjugate(d));
  }
};

template <bool kXIsScalar, bool kYIsScalar>
bool JoinStrings(const void* xv, const void* yv, void* zv, int64_t n) {
  const StringElement* x = static_cast<const StringElement*>(xv);
  const StringElement* y = static_cast<const StringElement*>(yv);
  StringElement* z = static_cast<StringElement*>(zv);
  for (int64_t i = 0; i < n; ++i) {
    z[i].Assign(absl::StrCat(x[kXIsScalar ? 0 : i].view(),
                             y[kYIsScalar ? 0 : i].view()));
  }
  return true;
}

constexpr BinaryTable AddTable() {
  BinaryTable table = ForBothSigns(MakeBinaryTable<AddOp>(UnsignedLoops()));
  table.loops[IndexOf<StringElement>()] = {&JoinStrings<false, false>,
                                           &JoinStrings<false, true>,
                                           &JoinStrings<true, false>};
  return table;
}

constexpr BinaryTable kAdd = AddTable();
constexpr BinaryTable kSub =
    ForBothSigns(MakeBinaryTable<SubOp>(UnsignedLoops()));
constexpr BinaryTable kMul =
    ForBothSigns(MakeBinaryTable<MulOp>(UnsignedLoops()));
constexpr BinaryTable kMulNoNan = MakeBinaryTable<MulNoNanOp>(FloatLoops());
constexpr BinaryTable kMaximum = MakeBinaryTable<MaximumOp>(OrderedLoops());
constexpr BinaryTable kMinimum = MakeBinaryTable<MinimumOp>(OrderedLoops());
constexpr BinaryTable kSquaredDifference = MakeBinaryTable<SquaredDifferenceOp>(
    Join<FloatLoops, Types<int32_t, int64_t>>());

}  // namespace

const BinaryTable& AddLoops() { return kAdd; }

MR_KERNELS(Add, Cpu){
    {.make = MakeBinary<kAdd>, .elementwise = BinaryFunction<kAdd>}};
MR_KERNELS(AddV2, Cpu){
    {.make = MakeBinary<kAdd>, .elementwise = BinaryFunction<kAdd>}};
MR_KERNELS(Sub, Cpu){
    {.make = MakeBinary<kSub>, .elementwise = BinaryFunction<kSub>}};
MR_KERNELS(Mul, Cpu){
    {.make = MakeBinary<kMul>, .elementwise = BinaryFunction<kMul>}};
MR_KERNELS(MulNoNan, Cpu){
    {.make = MakeBinary<kMulNoNan>, .elementwise = BinaryFunction<kMulNoNan>}};
MR_KERNELS(Maximum, Cpu){
    {.make = MakeBinary<kMaximum>, .elementwise = BinaryFunction<kMaximum>}};
MR_KERNELS(Minimum, Cpu){
    {.make = MakeBinary<kMinimum>, .elementwise = BinaryFunction<kMinimum>}};
MR_KERNELS(SquaredDifference,
           Cpu){{.make = MakeBinary<kSquaredDifference>,
                 .elementwise = BinaryFunction<kSquaredDifference>}};

}  // namespace millrace::ops
