// Kernels of Cumsum, Cumprod and CumulativeLogsumexp. Half and bfloat16
// accumulate in float.
#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/reduction/axis_plan.h"

namespace millrace::ops {
namespace {

constexpr int64_t kScanTile = 256;

struct SumStep {
  template <class A>
  static A Identity() {
    return A(0);
  }
  template <class A>
  static A Take(A a, A x) {
    return Plus(a, x);
  }
};

struct ProdStep {
  template <class A>
  static A Identity() {
    return A(1);
  }
  template <class A>
  static A Take(A a, A x) {
    return Times(a, x);
  }
};

struct LogSumExpStep {
  template <class A>
  static A Identity() {
    return -std::numeric_limits<A>::infinity();
  }
  template <class A>
  static A Take(A a, A x) {
    const A high = std::max(a, x);
    // The difference of two infinities of one sign is NaN.
    if (!(std::abs(high) < std::numeric_limits<A>::infinity())) {
      return a != a || x != x ? a + x : high;
    }
    return high + std::log1p(std::exp(std::min(a, x) - high));
  }
};

// Scans n columns; `step` is the distance between rows, negative in reverse.
template <class Step, class T, bool kExclusive>
void ScanColumns(const T* x, T* z, int64_t step, int64_t rows, int64_t n) {
  using A = ComputeType<T>;
  A acc[kScanTile];
  std::fill_n(acc, n, Step::template Identity<A>());
  for (int64_t r = 0; r < rows; ++r, x += step, z += step) {
    for (int64_t j = 0; j < n; ++j) {
      const A next = Step::template Take<A>(acc[j], static_cast<A>(x[j]));
      z[j] = static_cast<T>(kExclusive ? acc[j] : next);
      acc[j] = next;
    }
  }
}

template <class Step, class Types>
class ScanKernel {
 public:
  static StatusOr<ScanKernel> Make(const KernelInit& init) {
    ScanKernel k;
    MR_ASSIGN_OR_RETURN(k.exclusive_, init.Attr<bool>("exclusive"));
    MR_ASSIGN_OR_RETURN(k.reverse_, init.Attr<bool>("reverse"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const AxisPlan plan, PlanScan(x, ctx.input(1)));
    MR_ASSIGN_OR_RETURN(Tensor * z, ctx.AllocateOutput(0, plan.shape));
    if (x.num_elements() == 0) return OkStatus();
    return Dispatch(Types(), x.dtype(), [&]<class T>() {
      return Scan<T>(ctx, x.flat<T>().data(), z->mutable_flat<T>().data(),
                     plan.outer, plan.rows, plan.inner);
    });
  }

 private:
  template <class T>
  Status Scan(KernelContext& ctx, const T* x, T* z, int64_t outer, int64_t rows,
              int64_t inner) const {
    const int64_t tiles = (inner + kScanTile - 1) / kScanTile;
    const int64_t nanos =
        std::max<int64_t>(1, rows * std::min(inner, kScanTile));
    return ctx.ParallelFor(outer * tiles, nanos, [&](int64_t b, int64_t e) {
      for (int64_t item = b; item < e; ++item) {
        const int64_t j = item % tiles * kScanTile;
        const int64_t n = std::min(kScanTile, inner - j);
        int64_t at = item / tiles * rows * inner + j;
        if (reverse_) at += (rows - 1) * inner;
        const int64_t step = reverse_ ? -inner : inner;
        if (exclusive_) {
          ScanColumns<Step, T, true>(x + at, z + at, step, rows, n);
        } else {
          ScanColumns<Step, T, false>(x + at, z + at, step, rows, n);
        }
      }
    });
  }

  bool exclusive_ = false;
  bool reverse_ = false;
};

constexpr char kScanTypes[] =
    "T: bfloat16, half, float, double, int8, int16, int32, int64, uint8, "
    "uint16, uint32, uint64, complex64, complex128";

}  // namespace

StatusOr<AxisPlan> PlanScan(const Tensor& x, const Tensor& axis_tensor) {
  if (axis_tensor.rank() != 0) {
    return InvalidArgument("ScanOp: axis must be a scalar, not ",
                           axis_tensor.shape().DebugString());
  }
  int64_t axis = IntValues(axis_tensor)[0];
  if (axis < -x.rank() || axis >= x.rank()) {
    return InvalidArgument("ScanOp: Expected scan axis in the range [",
                           -x.rank(), ", ", x.rank(), "), but got ", axis);
  }
  if (axis < 0) axis += x.rank();
  const int d = static_cast<int>(axis);
  AxisPlan plan;
  plan.outer = x.shape().NumElements(0, d);
  plan.rows = x.dim(d);
  plan.inner = x.shape().NumElements(d + 1, x.rank());
  plan.shape = x.shape();
  return plan;
}

MR_KERNELS(Cumsum,
           Cpu){{.types = kScanTypes,
                 .make = MakeKernel<ScanKernel<SumStep, NumericTypes>>}};
MR_KERNELS(Cumprod,
           Cpu){{.types = kScanTypes,
                 .make = MakeKernel<ScanKernel<ProdStep, NumericTypes>>}};
MR_KERNELS(CumulativeLogsumexp,
           Cpu){{.make = MakeKernel<ScanKernel<LogSumExpStep, FloatTypes>>}};

}  // namespace millrace::ops
