
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/pooling/avg_pool_call.h"
#include "millrace/ops/pooling/pool.h"
#include "millrace/ops/pooling/pool_overlap.h"
#include "millrace/ops/pooling/window_loops.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

template <class S>
S PerElement(const Covered (&covered)[kMaxSpatial]) {
  return S(1) / static_cast<S>(covered[0].size() * covered[1].size() *
                               covered[2].size());
}

class AvgPoolKernel {
 public:
  static StatusOr<AvgPoolKernel> Make(const KernelInit& init) {
    AvgPoolKernel k;
    MR_ASSIGN_OR_RETURN(k.attrs_, PoolAttrs::Make(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const PoolProblem p,
                        attrs_.Resolve(x.shape(), PoolOver::kSpace));
    MR_ASSIGN_OR_RETURN(
        Tensor* const out,
        ctx.AllocateOutput(0, attrs_.OutputShape(p, x.shape())));
    if (out->num_elements() == 0) return OkStatus();
    return Dispatch(FloatTypes{}, x.dtype(), [&]<class T>() -> Status {
      using S = ComputeType<T>;
      const T* in = x.flat<T>().data();
      T* z = out->mutable_flat<T>().data();
      const int64_t n = p.channels;
      return ctx.ParallelFor(
          p.images * p.OutputPixels(), p.WindowPixels() * (n / 4 + 5),
          [&](int64_t begin, int64_t end) {
            WindowPlaces window_places(p);
            ForWindows(p, begin, end,
                       [&](int64_t o, int64_t image, const auto& covered) {
                         ScaledSumOfWindow(in + FirstPlace(p, image, covered),
                                           window_places.Of(covered),
                                           PerElement<S>(covered), n,
                                           z + o * n);
                       });
          });
    });
  }

 private:
  PoolAttrs attrs_;
};

// Sets dx to the sum over the windows that cover a pixel, for rows [begin, end)
// of the batch's pixels.
template <class T>
void SumWindows(const PoolProblem& p, const Overlaps& overlaps, const T* dy,
                int64_t begin, int64_t end, T* dx) {
  using S = ComputeType<T>;
  const int64_t n = p.channels;
  const int64_t columns = p.window[2].input;
  PixelWindows windows(p, overlaps);
  CountedVector<int64_t> places, ends;
  CountedVector<S> weights;
  for (int64_t row = begin; row < end; ++row) {
    windows.GoTo(row);
    places.clear();
    weights.clear();
    ends.clear();
    for (int64_t i = 0; i < columns; ++i) {
      for (const WindowOver& window : windows.Of(i)) {
        places.push_back(window.place);
        weights.push_back(S(1) / static_cast<S>(window.pixels));
      }
      ends.push_back(static_cast<int64_t>(places.size()));
    }
    WeightedSumsOfPixels(dy, places.data(), weights.data(), ends.data(),
                         columns, n, dx + row * columns * n);
  }
}

class AvgPoolGradKernel {
 public:
  static StatusOr<AvgPoolGradKernel> Make(const KernelInit& init) {
    AvgPoolGradKernel k;
    k.rank_ = init.node().op->name == "AvgPool3DGrad" ? 5 : 4;
    MR_ASSIGN_OR_RETURN(k.attrs_, PoolAttrs::Make(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const AvgPoolGradCall call,
                        AvgPoolGradCall::Of(ctx, attrs_, rank_));
    const PoolProblem& p = call.problem;
    const Tensor& grad = ctx.input(1);
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, call.input));
    if (out->num_elements() == 0) return OkStatus();
    return Dispatch(FloatTypes{}, grad.dtype(), [&]<class T>() -> Status {
      const T* dy = grad.flat<T>().data();
      T* dx = out->mutable_flat<T>().data();
      const Overlaps overlaps(p);
      return ctx.ParallelFor(p.images * p.window[0].input * p.window[1].input,
                             RowNanos(p), [&](int64_t begin, int64_t end) {
                               SumWindows(p, overlaps, dy, begin, end, dx);
                             });
    });
  }

 private:
  int rank_ = 4;
  PoolAttrs attrs_;
};

#define MR_FLOAT_TYPES "T: bfloat16, double, float, half"

}  // namespace

MR_KERNELS(AvgPool,
           Cpu){{.types = MR_FLOAT_TYPES, .make = MakeKernel<AvgPoolKernel>}};
MR_KERNELS(AvgPoolGrad, Cpu){
    {.types = MR_FLOAT_TYPES, .make = MakeKernel<AvgPoolGradKernel>}};
MR_KERNELS(AvgPool3D, Cpu){
    {.types = "T: float, bfloat16", .make = MakeKernel<AvgPoolKernel>}};
MR_KERNELS(AvgPool3DGrad, Cpu){
    {.types = "T: float, bfloat16", .make = MakeKernel<AvgPoolGradKernel>}};

}  // namespace millrace::ops
