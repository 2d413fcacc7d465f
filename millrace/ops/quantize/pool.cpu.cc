// Kernels of QuantizedMaxPool and QuantizedAvgPool.
#include <algorithm>
#include <cstring>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/pooling/pool.h"
#include "millrace/ops/quantize/range.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

template <class I>
MR_TARGET_CLONES void LargerOf(const I* x, I* z, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) z[i] = z[i] < x[i] ? x[i] : z[i];
}

// Adds x to sums, which wrap around as stock's do.
template <class I>
MR_TARGET_CLONES void AddTo(const I* x, uint32_t* sums, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    sums[i] += static_cast<uint32_t>(int32_t{x[i]});
  }
}

template <class I>
void MaxPixels(const PoolProblem& p, const I* x, I* z, int64_t begin,
               int64_t end) {
  const int64_t n = p.channels;
  ForWindows(p, begin, end, [&](int64_t o, int64_t image, const auto& covered) {
    I* out = z + o * n;
    bool first = true;
    ForCovered(p, image, covered, [&](int64_t pixel) {
      if (first) {
        std::memcpy(out, x + pixel * n, static_cast<size_t>(n) * sizeof(I));
      } else {
        LargerOf(x + pixel * n, out, n);
      }
      first = false;
    });
  });
}

template <class I>
void MeanPixels(const PoolProblem& p, const I* x, I* z, int64_t begin,
                int64_t end) {
  const int64_t n = p.channels;
  CountedVector<uint32_t> sums(static_cast<size_t>(n));
  ForWindows(p, begin, end, [&](int64_t o, int64_t image, const auto& covered) {
    std::fill(sums.begin(), sums.end(), 0u);
    ForCovered(p, image, covered,
               [&](int64_t pixel) { AddTo(x + pixel * n, sums.data(), n); });
    const auto count = static_cast<int32_t>(
        covered[0].size() * covered[1].size() * covered[2].size());
    for (int64_t c = 0; c < n; ++c) {
      z[o * n + c] =
          static_cast<I>(static_cast<int32_t>(sums[c]) / std::max(count, 1));
    }
  });
}

template <bool kMax>
class QuantizedPool {
 public:
  static StatusOr<QuantizedPool> Make(const KernelInit& init) {
    QuantizedPool k;
    MR_ASSIGN_OR_RETURN(k.attrs_, PoolAttrs::Make(init));
    MR_ASSIGN_OR_RETURN(const auto ksize,
                        IntListOr(init.node().attrs, "ksize", {}));
    k.over_channels_ = ksize.size() == 4 && ksize[3] != 1;
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    for (const int i : {1, 2}) {
      const TensorShape& shape = ctx.input(i).shape();
      if (shape.rank() == 0) continue;
      return InvalidArgument(
          i == 1 ? "min" : "max", "_input shape must be rank 0 but is rank ",
          shape.rank(), ", received shape: ", shape.DebugString());
    }
    MR_ASSIGN_OR_RETURN(const Range range, RangeInput(ctx, 1, 2));
    if (!kMax && over_channels_) {
      return Unimplemented(
          "Non-spatial pooling is not yet supported. Volunteers? :)");
    }
    if (x.rank() != 4) {
      return InvalidArgument("tensor_in_shape must have 2 spatial dimensions. ",
                             x.rank(), " 0");
    }
    MR_ASSIGN_OR_RETURN(
        const PoolProblem p,
        attrs_.Resolve(x.shape(),
                       kMax ? PoolOver::kSpaceOrChannels : PoolOver::kSpace));
    MR_ASSIGN_OR_RETURN(
        Tensor* const out,
        ctx.AllocateOutput(0, attrs_.OutputShape(p, x.shape())));
    MR_RETURN_IF_ERROR(SetRange(ctx, 1, range));
    if (out->num_elements() == 0) return OkStatus();
    return Dispatch<Quint8, Qint8>(x.dtype(), [&]<class T>() -> Status {
      using I = IntegerOf<T>;
      const I* in = reinterpret_cast<const I*>(x.data());
      I* z = reinterpret_cast<I*>(out->mutable_data());
      return ctx.ParallelFor(p.images * p.OutputPixels(),
                             p.WindowPixels() * (p.channels / 8 + 5),
                             [&](int64_t begin, int64_t end) {
                               kMax ? MaxPixels(p, in, z, begin, end)
                                    : MeanPixels(p, in, z, begin, end);
                             });
    });
  }

 private:
  PoolAttrs attrs_;
  bool over_channels_ = false;
};

}  // namespace

MR_KERNELS(QuantizedMaxPool, Cpu){
    {.types = "T: quint8, qint8", .make = MakeKernel<QuantizedPool<true>>}};
MR_KERNELS(QuantizedAvgPool, Cpu){
    {.types = "T: quint8, qint8", .make = MakeKernel<QuantizedPool<false>>}};

}  // namespace millrace::ops
