// Kernels of products. Floating types are multiplied in double; integers wrap
// around.
#include "millrace/ops/elementwise/both_signs.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/reduction/reduce.h"

namespace millrace::ops {
namespace {

template <class T>
struct ProdOp {
  using Acc = std::conditional_t<
      Complex<T>, Complex128,
      std::conditional_t<std::is_integral_v<T>, uint64_t, double>>;
  static Acc Identity() { return Acc(1); }
  static Acc Take(Acc a, T x) { return Times(a, static_cast<Acc>(x)); }
  static Acc Merge(Acc a, Acc b) { return Times(a, b); }
  static T Finish(Acc a, int64_t) { return static_cast<T>(a); }
};

constexpr ReduceTable kProd =
    ForBothSigns(MakeReduceTable<ProdOp>(UnsignedNumberTypes()));

}  // namespace

const ReduceTable& ProdReduction() { return kProd; }

MR_KERNELS(Prod, Cpu){{
    .types =
        "T: bfloat16, half, float, double, int8, int16, int32, int64, uint8, "
        "uint16, uint32, uint64, complex64, complex128",
    .make = MakeReduce<kProd>,
    .views = "input",
}};

}  // namespace millrace::ops
