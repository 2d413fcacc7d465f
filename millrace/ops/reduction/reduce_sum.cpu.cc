// Kernels of sums, means and norms. Floating types are summed in double, so the
// length of a sum does not affect its last bits; integers wrap around.
#include <cmath>
#include <limits>

#include "millrace/ops/elementwise/both_signs.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/reduction/reduce.h"

namespace millrace::ops {
namespace {

template <class T>
struct AccOf {
  using type = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
};
template <Complex T>
struct AccOf<T> {
  using type = Complex128;
};

// Converts the accumulator to the element type: integers keep their low bits.
template <class T, class Acc>
T FromAcc(Acc a) {
  return static_cast<T>(a);
}

template <class T>
struct SumOp {
  using Acc = typename AccOf<T>::type;
  static Acc Identity() { return Acc(0); }
  static Acc Take(Acc a, T x) { return a + static_cast<Acc>(x); }
  static Acc Merge(Acc a, Acc b) { return a + b; }
  static T Finish(Acc a, int64_t) { return FromAcc<T>(a); }
};

template <class T>
struct MeanOp : SumOp<T> {
  using Acc = typename SumOp<T>::Acc;
  static T Finish(Acc a, int64_t count) {
    if constexpr (std::is_integral_v<T>) {
      if (count == 0) return 0;
      if constexpr (std::is_signed_v<T>) {
        return static_cast<T>(static_cast<int64_t>(a) / count);
      } else {
        return static_cast<T>(a / static_cast<uint64_t>(count));
      }
    } else if constexpr (Complex<T>) {
      return count == 0 ? T(0) : FromAcc<T>(a / static_cast<double>(count));
    } else {
      return FromAcc<T>(a / static_cast<double>(count));
    }
  }
};

template <class T>
struct NormOp {
  using Acc = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  static Acc Identity() { return 0; }
  static Acc Take(Acc a, T x) {
    if constexpr (Complex<T>) {
      const double re = x.real(), im = x.imag();
      return a + re * re + im * im;
    } else {
      const Acc v = static_cast<Acc>(x);
      return a + v * v;
    }
  }
  static Acc Merge(Acc a, Acc b) { return a + b; }
  static T Finish(Acc a, int64_t) {
    if constexpr (std::is_integral_v<T>) {
      // The sum wraps around in T. A negative sum has no root: the conversion
      // of NaN gives the smallest number, or its low bits.
      const T sum = static_cast<T>(a);
      if (sum < T(0))
        return sizeof(T) >= 4 ? std::numeric_limits<T>::min() : T(0);
      return static_cast<T>(std::sqrt(static_cast<double>(sum)));
    } else {
      return static_cast<T>(std::sqrt(a));
    }
  }
};

constexpr ReduceTable kSum = MakeReduceTable<SumOp>(NumericTypes());
// The loops of a mean are those of the sum.
template <class... Ts>
constexpr ReduceTable MeanTable(Types<Ts...>) {
  ReduceTable table = kSum;
  ((table.loops[static_cast<int>(DataTypeOf<Ts>)].finish =
        &internal::FinishAcc<MeanOp<Ts>, Ts>),
   ...);
  return table;
}
constexpr ReduceTable kMean = MeanTable(NumericTypes());
// The sums of squares are the same for both signs, their roots are not.
template <class... Ts>
constexpr ReduceTable NormTable(Types<Ts...>) {
  ReduceTable table =
      ForBothSigns(MakeReduceTable<NormOp>(UnsignedNumberTypes()));
  ((table.loops[static_cast<int>(DataTypeOf<Ts>)].finish =
        &internal::FinishAcc<NormOp<Ts>, Ts>),
   ...);
  table.keeps_one = false;
  return table;
}
constexpr ReduceTable kNorm = NormTable(SignedTypes());

constexpr char kSumTypes[] =
    "T: bfloat16, half, float, double, int8, int16, int32, int64, uint8, "
    "uint16, uint32, uint64, complex64, complex128";

}  // namespace

const ReduceTable& SumReduction() { return kSum; }
const ReduceTable& MeanReduction() { return kMean; }

MR_KERNELS(Sum, Cpu){
    {.types = kSumTypes, .make = MakeReduce<kSum>, .views = "input"}};
MR_KERNELS(Mean, Cpu){
    {.types = kSumTypes, .make = MakeReduce<kMean>, .views = "input"}};
MR_KERNELS(EuclideanNorm, Cpu){
    {.types = kSumTypes, .make = MakeReduce<kNorm>, .views = "input"}};

}  // namespace millrace::ops
