
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/loops.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// The number of elements in a partial sum. It does not depend on threads, so
// that the result has the same bits for any number of them.
constexpr int64_t kPiece = 8192;

template <class T, class S>
S SumOfSquares(const T* x, int64_t n) {
  S sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const S v = static_cast<S>(x[i]);
    sum += v * v;
  }
  return sum;
}
MR_TARGET_CLONES float FloatSumOfSquares(const float* x, int64_t n) {
  float lanes[16] = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    for (int64_t k = 0; k < 16; ++k) lanes[k] += x[i + k] * x[i + k];
  }
  float sum = 0;
  for (float lane : lanes) sum += lane;
  for (; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

Status RunL2Loss(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  const int64_t n = t.num_elements();
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, TensorShape()));
  return Dispatch(FloatTypes{}, t.dtype(), [&]<class T>() -> Status {
    using S = ComputeType<T>;
    const T* x = t.flat<T>().data();
    const int64_t pieces = (n + kPiece - 1) / kPiece;
    CountedVector<S> sums(static_cast<size_t>(pieces));
    MR_RETURN_IF_ERROR(
        ctx.ParallelFor(pieces, kPiece / 8, [&](int64_t begin, int64_t end) {
          for (int64_t p = begin; p < end; ++p) {
            const int64_t size = std::min(kPiece, n - p * kPiece);
            if constexpr (std::is_same_v<T, float>) {
              sums[p] = FloatSumOfSquares(x + p * kPiece, size);
            } else {
              sums[p] = SumOfSquares<T, S>(x + p * kPiece, size);
            }
          }
        }));
    S total = 0;
    for (const S sum : sums) total += sum;
    out->mutable_flat<T>()[0] = static_cast<T>(total / S(2));
    return OkStatus();
  });
}

}  // namespace

MR_KERNELS(L2Loss, Cpu){{.types = "T: bfloat16, double, float, half",
                         .make = MakeFunctionKernel<RunL2Loss>}};

}  // namespace millrace::ops
