#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/loops.h"
#include "millrace/ops/nn/in_top_k.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

Status CheckInTopK(const TensorShape& predictions, const TensorShape& targets) {
  if (predictions.rank() != 2) {
    return InvalidArgument("predictions must be 2-dimensional");
  }
  if (targets.rank() != 1) {
    return InvalidArgument("targets must be 1-dimensional");
  }
  if (targets.dim(0) != predictions.dim(0)) {
    return InvalidArgument("First dimension of predictions ",
                           predictions.dim(0), " must match length of targets ",
                           targets.dim(0));
  }
  return OkStatus();
}

namespace {

// The elements of a row that are larger than its target's, and whether all are
// finite.
struct Rank {
  int64_t larger = 0;
  bool finite = true;
};

MR_TARGET_CLONES void RankRow(const float* x, int64_t n, float target,
                              Rank* rank) {
  // Counts of a chunk fit into the lanes of floats.
  constexpr int64_t kChunk = 4096;
  for (int64_t at = 0; at < n && rank->finite; at += kChunk) {
    const int64_t end = std::min(n, at + kChunk);
    int32_t larger = 0;
    int32_t odd = 0;
    for (int64_t i = at; i < end; ++i) {
      larger += x[i] > target ? 1 : 0;
      odd += std::fabs(x[i]) <= std::numeric_limits<float>::max() ? 0 : 1;
    }
    rank->larger += larger;
    rank->finite = odd == 0;
  }
}

Status InTopK(KernelContext& ctx, int64_t k) {
  const Tensor& predictions = ctx.input(0);
  const Tensor& targets = ctx.input(1);
  MR_RETURN_IF_ERROR(CheckInTopK(predictions.shape(), targets.shape()));
  const int64_t batch = predictions.dim(0);
  const int64_t classes = predictions.dim(1);
  const CountedVector<int64_t> wanted = ManyIntValues(targets);
  const float* x = predictions.flat<float>().data();
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, TensorShape({batch})));
  bool* z = out->mutable_flat<bool>().data();
  return ctx.ParallelFor(
      batch, classes / 4 + 1, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          const float* r = x + row * classes;
          const int64_t target = wanted[row];
          // A target that cannot be ranked is not among the top k.
          Rank rank;
          rank.finite =
              target >= 0 && target < classes && std::isfinite(r[target]);
          if (rank.finite) RankRow(r, classes, r[target], &rank);
          z[row] = rank.finite && rank.larger < k;
        }
      });
}

class InTopKKernel {
 public:
  static StatusOr<InTopKKernel> Make(const KernelInit& init) {
    InTopKKernel kernel;
    MR_ASSIGN_OR_RETURN(kernel.k_, init.Attr<int32_t>("k"));
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

MR_KERNELS(InTopK, Cpu){{.make = MakeKernel<InTopKKernel>}};
MR_KERNELS(InTopKV2, Cpu){{.make = MakeFunctionKernel<RunInTopKV2>}};

}  // namespace millrace::ops
