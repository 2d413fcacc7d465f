// Kernels of ArgMax and ArgMin.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/reduction/axis_plan.h"

namespace millrace::ops {
namespace {

enum class Best { kLargest, kSmallest };

constexpr int64_t kArgTile = 256;

template <class T, Best kBest>
ComputeType<T> Worst() {
  if constexpr (std::is_same_v<T, Half>) {
    return kBest == Best::kLargest ? -65504.0f : 65504.0f;
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    return kBest == Best::kLargest ? -0x1.fep127f : 0x1.fep127f;
  } else {
    using Limits = std::numeric_limits<T>;
    return kBest == Best::kLargest ? Limits::lowest() : Limits::max();
  }
}

// Finds the indices of the best elements in `n` columns of `rows` rows. An
// element stays the best until a better one comes, beginning with the worst
// finite number: NaN and infinities of the other end are never best, and a line
// that consists of them gives 0.
template <class T, Best kBest>
void Columns(const T* x, int64_t stride, int64_t rows, int64_t n,
             int64_t* index) {
  using C = ComputeType<T>;
  C best[kArgTile];
  std::fill_n(best, n, Worst<T, kBest>());
  std::fill_n(index, n, 0);
  for (int64_t r = 0; r < rows; ++r) {
    const T* row = x + r * stride;
    for (int64_t j = 0; j < n; ++j) {
      const C v = static_cast<C>(row[j]);
      if (kBest == Best::kLargest ? best[j] < v : v < best[j]) {
        best[j] = v;
        index[j] = r;
      }
    }
  }
}

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
    const int64_t tiles = (inner + kArgTile - 1) / kArgTile;
    const int64_t nanos =
        std::max<int64_t>(1, rows * std::min(inner, kArgTile));
    char* out = z.mutable_data();
    return ctx.ParallelFor(outer * tiles, nanos, [&](int64_t b, int64_t e) {
      int64_t index[kArgTile];
      for (int64_t item = b; item < e; ++item) {
        const int64_t o = item / tiles;
        const int64_t j = item % tiles * kArgTile;
        const int64_t n = std::min(kArgTile, inner - j);
        Columns<T, kBest>(x + o * rows * inner + j, inner, rows, n, index);
        Store(z.dtype(), index, n, out, o * inner + j);
      }
    });
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
