#include <vector>

#include "millrace/kernel/kernel_decl.h"
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
  std::vector<int64_t> places, ends;
  std::vector<S> weights;
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

// Returns INVALID_ARGUMENT unless input 0 is the shape of what was pooled, and
// input 1 has its rank.
Status CheckGradInputs(const KernelContext& ctx, int rank) {
  const Tensor& sizes = ctx.input(0);
  if (sizes.rank() != 1 || sizes.num_elements() != rank) {
    return InvalidArgument(
        rank == 5 ? "tensor_in must be 1-dimensional and 5 elements"
                  : "out_backprop must be 1-dimensional and 4 elements",
        ", but orig_input_shape has shape ", sizes.shape().DebugString());
  }
  for (const int64_t n : IntValues(sizes)) {
    if (n < 0) {
      return InvalidArgument("Expected a non-negative size, got ", n);
    }
  }
  return ExpectRank("out_backprop", ctx.input(1), rank);
}

// Returns INVALID_ARGUMENT unless the gradient of pooled volumes has their
// batch and channels.
Status CheckVolumeEnds(const TensorShape& input, const TensorShape& grad,
                       int channel_dim) {
  for (const int d : {0, channel_dim}) {
    if (input.dim(d) != grad.dim(d)) {
      return InvalidArgument("Expected ", d == 0 ? "first" : "last",
                             " dimension of tensor_in_shape and out_backprop "
                             "to match, got ",
                             input.dim(d), " and ", grad.dim(d));
    }
  }
  return OkStatus();
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
    MR_RETURN_IF_ERROR(CheckGradInputs(ctx, rank_));
    MR_ASSIGN_OR_RETURN(const TensorShape input, ShapeFromTensor(ctx.input(0)));
    const Tensor& grad = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const PoolProblem p,
                        attrs_.Resolve(input, PoolOver::kSpace));
    if (rank_ == 5) {
      MR_RETURN_IF_ERROR(
          CheckVolumeEnds(input, grad.shape(), attrs_.channel_dim()));
    }
    const TensorShape output = attrs_.OutputShape(p, input);
    MR_RETURN_IF_ERROR(ExpectShape("grad", grad, output));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, input));
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
