// Kernels of largest and smallest elements, and of all and any.
#include <limits>

#include "millrace/ops/reduction/reduce.h"

namespace millrace::ops {
namespace {

// Return what Larger and Smaller of elementwise/numbers.h do. Their first
// choice is an instruction without a branch; where the compiler makes no
// vectors, it branches on the second alone, which hardly ever changes.
template <class T>
T MaxOf(T a, T b) {
  const T larger = a < b ? b : a;
  return b != b ? b : larger;
}
template <class T>
T MinOf(T a, T b) {
  const T smaller = b < a ? b : a;
  return b != b ? b : smaller;
}

template <class T>
struct MaxOp {
  using Acc = ComputeType<T>;
  static Acc Identity() {
    if constexpr (std::numeric_limits<Acc>::has_infinity) {
      return -std::numeric_limits<Acc>::infinity();
    } else {
      return std::numeric_limits<Acc>::lowest();
    }
  }
  static constexpr bool kChooses = true;
  static Acc Take(Acc a, T x) { return MaxOf(a, static_cast<Acc>(x)); }
  static Acc Merge(Acc a, Acc b) { return MaxOf(a, b); }
  static T Finish(Acc a, int64_t) { return static_cast<T>(a); }
};

template <class T>
struct MinOp {
  using Acc = ComputeType<T>;
  static Acc Identity() {
    if constexpr (std::numeric_limits<Acc>::has_infinity) {
      return std::numeric_limits<Acc>::infinity();
    } else {
      return std::numeric_limits<Acc>::max();
    }
  }
  static constexpr bool kChooses = true;
  static Acc Take(Acc a, T x) { return MinOf(a, static_cast<Acc>(x)); }
  static Acc Merge(Acc a, Acc b) { return MinOf(a, b); }
  static T Finish(Acc a, int64_t) { return static_cast<T>(a); }
};

template <class T>
struct AllOp {
  using Acc = uint8_t;
  static Acc Identity() { return 1; }
  static Acc Take(Acc a, T x) { return a & static_cast<Acc>(x); }
  static Acc Merge(Acc a, Acc b) { return a & b; }
  static T Finish(Acc a, int64_t) { return a != 0; }
};

template <class T>
struct AnyOp {
  using Acc = uint8_t;
  static Acc Identity() { return 0; }
  static Acc Take(Acc a, T x) { return a | static_cast<Acc>(x); }
  static Acc Merge(Acc a, Acc b) { return a | b; }
  static T Finish(Acc a, int64_t) { return a != 0; }
};

constexpr ReduceTable kMax = MakeReduceTable<MaxOp>(RealTypes());
constexpr ReduceTable kMin = MakeReduceTable<MinOp>(RealTypes());
constexpr ReduceTable kAll = MakeReduceTable<AllOp>(Types<bool>());
constexpr ReduceTable kAny = MakeReduceTable<AnyOp>(Types<bool>());

constexpr char kReal[] =
    "T: bfloat16, half, float, double, int8, int16, int32, int64, uint8, "
    "uint16, uint32, uint64";

}  // namespace

const ReduceTable& MaxReduction() { return kMax; }
const ReduceTable& MinReduction() { return kMin; }

MR_KERNELS(Max,
           Cpu){{.types = kReal, .make = MakeReduce<kMax>, .views = "input"}};
MR_KERNELS(Min,
           Cpu){{.types = kReal, .make = MakeReduce<kMin>, .views = "input"}};
MR_KERNELS(All, Cpu){{.make = MakeReduce<kAll>, .views = "input"}};
MR_KERNELS(Any, Cpu){{.make = MakeReduce<kAny>, .views = "input"}};

}  // namespace millrace::ops
