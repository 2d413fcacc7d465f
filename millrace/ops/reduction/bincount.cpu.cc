// Kernels of Bincount and DenseBincount.
#include <algorithm>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/reduction/bincount.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

StatusOr<int64_t> BinCount(const Tensor& size) {
  if (size.rank() != 0) {
    return InvalidArgument("Shape must be rank 0 but is rank ", size.rank());
  }
  const int64_t n = IntValues(size)[0];
  if (n < 0) return InvalidArgument("size (", n, ") must be non-negative");
  return n;
}

Status CheckBincount(const TensorShape& x, const TensorShape& weights) {
  if (weights.num_elements() != 0 &&
      weights.num_elements() != x.num_elements()) {
    return InvalidArgument(
        "Input indices and weights must have the same size.");
  }
  return OkStatus();
}

Status CheckDenseBincount(const TensorShape& x, const TensorShape& weights) {
  if (x.rank() > 2) {
    return InvalidArgument("Shape must be at most rank 2 but is rank ",
                           x.rank());
  }
  if (weights.num_elements() != 0 && !(weights == x)) {
    return InvalidArgument(
        "`weights` must be the same shape as `arr` or a length-0 `Tensor`, "
        "in "
        "which case it acts as all weights equal to 1. Received ",
        weights.DebugString());
  }
  return OkStatus();
}

namespace {

// The contents of the bin of a number that occurs: its count, or 1.
enum class BinHolds { kCount, kOne };

// Counts n numbers; those from `bins` on are ignored. `weights` may be null.
// Returns false if a number is negative, and sets `*negative` to it.
template <class I, class T>
bool Count(const I* x, const T* weights, int64_t n, int64_t bins,
           BinHolds holds, T* out, I* negative) {
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] < 0) {
      *negative = x[i];
      return false;
    }
    if (x[i] >= bins) continue;
    T& bin = out[x[i]];
    bin =
        holds == BinHolds::kOne ? T(1) : Plus(bin, weights ? weights[i] : T(1));
  }
  return true;
}

Status RunBincount(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor& weights = ctx.input(2);
  MR_ASSIGN_OR_RETURN(int64_t bins, BinCount(ctx.input(1)));
  MR_RETURN_IF_ERROR(CheckBincount(x.shape(), weights.shape()));
  MR_ASSIGN_OR_RETURN(Tensor * z, ctx.AllocateOutput(0, TensorShape({bins})));
  return Dispatch<float, double, int32_t, int64_t>(
      z->dtype(), [&]<class T>() -> Status {
        T* out = z->mutable_flat<T>().data();
        std::fill_n(out, bins, T(0));
        const T* w =
            weights.num_elements() ? weights.flat<T>().data() : nullptr;
        int32_t negative;
        if (!Count<int32_t, T>(x.flat<int32_t>().data(), w, x.num_elements(),
                               bins, BinHolds::kCount, out, &negative)) {
          return InvalidArgument("Input arr must be non-negative!");
        }
        return OkStatus();
      });
}

class DenseBincountKernel {
 public:
  static StatusOr<DenseBincountKernel> Make(const KernelInit& init) {
    DenseBincountKernel k;
    MR_ASSIGN_OR_RETURN(const bool binary, init.Attr<bool>("binary_output"));
    if (binary) k.holds_ = BinHolds::kOne;
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    const Tensor& weights = ctx.input(2);
    MR_ASSIGN_OR_RETURN(int64_t bins, BinCount(ctx.input(1)));
    MR_RETURN_IF_ERROR(CheckDenseBincount(x.shape(), weights.shape()));
    const bool matrix = x.rank() == 2;
    MR_ASSIGN_OR_RETURN(TensorShape shape,
                        matrix ? TensorShape::Make({x.dim(0), bins})
                               : TensorShape::Make({bins}));
    MR_ASSIGN_OR_RETURN(Tensor * z, ctx.AllocateOutput(0, std::move(shape)));
    return Dispatch<int32_t, int64_t>(x.dtype(), [&]<class I>() {
      return Dispatch<float, double, int32_t, int64_t>(
          z->dtype(),
          [&]<class T>() { return CountRows<I, T>(x, weights, bins, *z); });
    });
  }

 private:
  template <class I, class T>
  Status CountRows(const Tensor& x, const Tensor& weights, int64_t bins,
                   Tensor& z) const {
    const bool matrix = x.rank() == 2;
    const int64_t rows = matrix ? x.dim(0) : 1;
    const int64_t n = matrix ? x.dim(1) : x.num_elements();
    const I* in = x.flat<I>().data();
    const T* w = weights.num_elements() ? weights.flat<T>().data() : nullptr;
    T* out = z.mutable_flat<T>().data();
    std::fill_n(out, z.num_elements(), T(0));
    if (n == 0) return OkStatus();
    for (int64_t r = 0; r < rows; ++r) {
      I negative;
      if (Count<I, T>(in + r * n, w ? w + r * n : nullptr, n, bins, holds_,
                      out + r * bins, &negative)) {
        continue;
      }
      if (!matrix) return InvalidArgument("Input arr must be non-negative!");
      return InvalidArgument(
          "Input 'in' must be non-negative! Negative input value found: ",
          negative);
    }
    return OkStatus();
  }

  BinHolds holds_ = BinHolds::kCount;
};

}  // namespace

MR_KERNELS(Bincount, Cpu){{.make = MakeFunctionKernel<RunBincount>}};
MR_KERNELS(DenseBincount, Cpu){{.make = MakeKernel<DenseBincountKernel>}};

}  // namespace millrace::ops
