#include <cmath>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/loops.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Elements that one partial sum takes: the same bits for any number of threads.
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
  MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, TensorShape()));
  return Dispatch(FloatTypes{}, t.dtype(), [&]<class T>() -> Status {
    using S = ComputeType<T>;
    const T* x = t.flat<T>().data();
    const int64_t pieces = (n + kPiece - 1) / kPiece;
    std::vector<S> sums(static_cast<size_t>(pieces));
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

Status InTopK(KernelContext& ctx, int64_t k) {
  const Tensor& predictions = ctx.input(0);
  const Tensor& targets = ctx.input(1);
  if (predictions.rank() != 2) {
    return InvalidArgument("predictions must be 2-dimensional");
  }
  if (targets.rank() != 1) {
    return InvalidArgument("targets must be 1-dimensional");
  }
  const int64_t batch = predictions.dim(0);
  const int64_t classes = predictions.dim(1);
  if (targets.dim(0) != batch) {
    return InvalidArgument("First dimension of predictions ", batch,
                           " must match length of targets ", targets.dim(0));
  }
  const std::vector<int64_t> wanted = IntValues(targets);
  const float* x = predictions.flat<float>().data();
  MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, TensorShape({batch})));
  bool* z = out->mutable_flat<bool>().data();
  return ctx.ParallelFor(batch, classes, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* r = x + row * classes;
      const int64_t target = wanted[row];
      // What cannot be ranked is in no top.
      bool ranked = target >= 0 && target < classes;
      ranked = ranked && std::isfinite(r[target]);
      int64_t larger = 0;
      for (int64_t i = 0; ranked && i < classes; ++i) {
        if (!std::isfinite(r[i])) {
          ranked = false;
        } else if (r[i] > r[target]) {
          ++larger;
        }
      }
      z[row] = ranked && larger < k;
    }
  });
}

class InTopKKernel {
 public:
  static StatusOr<InTopKKernel> Make(const KernelInit& init) {
    InTopKKernel kernel;
    MR_ASSIGN(kernel.k_, init.Attr<int64_t>("k"));
    return kernel;
  }
  Status Run(KernelContext& ctx) const { return InTopK(ctx, k_); }

 private:
  int64_t k_ = 0;
};

Status RunInTopKV2(KernelContext& ctx) {
  const Tensor& k = ctx.input(2);
  if (k.rank() != 0) {
    return InvalidArgument("k must be 0-D, got shape ",
                           k.shape().DebugString());
  }
  return InTopK(ctx, IntValues(k)[0]);
}

}  // namespace

MR_KERNELS(L2Loss, Cpu){{.types = "T: bfloat16, double, float, half",
                         .make = MakeFunctionKernel<RunL2Loss>}};
MR_KERNELS(InTopK, Cpu){{.make = MakeKernel<InTopKKernel>}};
MR_KERNELS(InTopKV2, Cpu){{.make = MakeFunctionKernel<RunInTopKV2>}};

}  // namespace millrace::ops
