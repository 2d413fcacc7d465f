// Kernels of ArgMax and ArgMin.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/reduction/arg_loops.h"
#include "millrace/ops/reduction/axis_plan.h"

namespace millrace::ops {
namespace {

template <Best kBest>
class ArgKernel {
 public:
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const AxisPlan plan, PlanArgReduction(x, ctx.input(1)));
    MR_ASSIGN_OR_RETURN(Tensor * z, ctx.AllocateOutput(0, plan.shape));
    return Dispatch(Join<RealTypes, Types<bool>>(), x.dtype(), [&]<class T>() {
      return Find<T>(ctx, x.flat<T>().data(), plan.outer, plan.rows, plan.inner,
                     *z);
    });
  }

 private:
  template <class T>
  static Status Find(KernelContext& ctx, const T* x, int64_t outer,
                     int64_t rows, int64_t inner, Tensor& z) {
    if (inner == 1) return FindInRows<T>(ctx, x, outer, rows, z);
    const int64_t tiles = (inner + kArgTile - 1) / kArgTile;
    const int64_t nanos = Nanos(rows * std::min(inner, kArgTile));
    char* out = z.mutable_data();
    return ctx.ParallelFor(outer * tiles, nanos, [&](int64_t b, int64_t e) {
      int64_t index[kArgTile];
      for (int64_t item = b; item < e; ++item) {
        const int64_t o = item / tiles;
        const int64_t j = item % tiles * kArgTile;
        const int64_t n = std::min(kArgTile, inner - j);
        const T* from = x + o * rows * inner + j;
        if (rows <= std::numeric_limits<int32_t>::max()) {
          BestOfColumns<T, kBest, int32_t, true>(from, inner, 1, rows, n,
                                                 index);
        } else {
          BestOfColumns<T, kBest, int64_t, true>(from, inner, 1, rows, n,
                                                 index);
        }
        Store(z.dtype(), index, n, out, o * inner + j);
      }
    });
  }

  // Finds the places in `count` contiguous rows of n elements.
  template <class T>
  static Status FindInRows(KernelContext& ctx, const T* x, int64_t count,
                           int64_t n, Tensor& z) {
    const int64_t at_once = n < kShortArgRow ? kArgTile : 1;
    const int64_t items = (count + at_once - 1) / at_once;
    char* out = z.mutable_data();
    return ctx.ParallelFor(
        items, Nanos(at_once * n), [&](int64_t b, int64_t e) {
          int64_t index[kArgTile];
          for (int64_t item = b; item < e; ++item) {
            const int64_t row = item * at_once;
            const int64_t some = std::min(at_once, count - row);
            const T* from = x + row * n;
            if (n < kShortArgRow) {
              BestOfColumns<T, kBest, int32_t, false>(from, 1, n, n, some,
                                                      index);
            } else {
              index[0] = BestOfRow<T, kBest>(from, n);
            }
            Store(z.dtype(), index, some, out, row);
          }
        });
  }

  static int64_t Nanos(int64_t elements) {
    return std::max<int64_t>(1, elements / 4);
  }

  static void Store(DataType type, const int64_t* index, int64_t n, char* out,
                    int64_t at) {
    Dispatch<int32_t, int64_t, int16_t, uint16_t>(type, [&]<class I>() {
      I* to = reinterpret_cast<I*>(out) + at;
      for (int64_t i = 0; i < n; ++i) to[i] = static_cast<I>(index[i]);
      return OkStatus();
    }).IgnoreError();
  }
};

constexpr char kArgTypes[] =
    "T: bfloat16, half, float, double, int8, int16, int32, int64, uint8, "
    "uint16, uint32, uint64, bool";

}  // namespace

StatusOr<AxisPlan> PlanArgReduction(const Tensor& x,
                                    const Tensor& axis_tensor) {
  if (axis_tensor.rank() != 0) {
    return InvalidArgument(
        "dim must be a scalar, but received tensor of shape: ",
        axis_tensor.shape().DebugString());
  }
  int64_t axis = axis_tensor.dtype() == DataType::kInt16
                     ? axis_tensor.scalar<int16_t>()
                     : IntValues(axis_tensor)[0];
  if (axis < -x.rank() || axis >= x.rank()) {
    return InvalidArgument("Expected dimension in the range [", -x.rank(), ", ",
                           x.rank(), "), but got ", axis);
  }
  if (axis < 0) axis += x.rank();
  const int d = static_cast<int>(axis);
  if (x.dim(d) == 0) {
    return InvalidArgument("Reduction axis ", d, " is empty in shape ",
                           x.shape().DebugString());
  }
  DimVector dims;
  for (int i = 0; i < x.rank(); ++i) {
    if (i != d) dims.push_back(x.dim(i));
  }
  AxisPlan plan;
  plan.outer = x.shape().NumElements(0, d);
  plan.rows = x.dim(d);
  plan.inner = x.shape().NumElements(d + 1, x.rank());
  plan.shape = TensorShape(absl::MakeConstSpan(dims));
  return plan;
}

MR_KERNELS(ArgMax, Cpu){
    {.types = kArgTypes, .make = MakeKernel<ArgKernel<Best::kLargest>>}};
MR_KERNELS(ArgMin, Cpu){
    {.types = kArgTypes, .make = MakeKernel<ArgKernel<Best::kSmallest>>}};

}  // namespace millrace::ops
