#include <algorithm>
#include <type_traits>
#include <vector>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/pooling/max_pool.h"
#include "millrace/ops/pooling/window_loops.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

template <class T>
void PoolPixels(const PoolProblem& p, const T* x, T* z, int64_t begin,
                int64_t end) {
  const int64_t n = p.channels;
  WindowPlaces window_places(p);
  ForWindows(p, begin, end, [&](int64_t o, int64_t image, const auto& covered) {
    MaxOfWindow(x + FirstPlace(p, image, covered), window_places.Of(covered), n,
                z + o * n);
  });
}

template <class T>
void FindPixels(const PoolProblem& p, const T* x, int64_t* index, int64_t begin,
                int64_t end) {
  const int64_t n = p.channels;
  WindowPlaces window_places(p);
  ForWindows(p, begin, end, [&](int64_t o, int64_t image, const auto& covered) {
    const int64_t first = FirstPlace(p, image, covered);
    const absl::Span<const int64_t> places = window_places.Of(covered);
    if (places.empty()) {
      std::fill_n(index + o * n, n, -1);
      return;
    }
    LargestOfWindow(x + first, places, n, first, index + o * n);
  });
}

class MaxPoolKernel : public MaxPoolBase {
 public:
  static StatusOr<MaxPoolKernel> Make(const KernelInit& init) {
    MaxPoolKernel k;
    MR_RETURN_IF_ERROR(k.Init(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const PoolAttrs attrs, Attrs(ctx, 1));
    MR_ASSIGN_OR_RETURN(
        const MaxPoolCall call,
        MaxPoolCall::Of(attrs, x.shape(), PoolOver::kSpaceOrChannels));
    const PoolProblem& p = call.problem;
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, call.output));
    if (out->num_elements() == 0) return OkStatus();
    return Dispatch(RealTypes{}, x.dtype(), [&]<class T>() -> Status {
      const T* in = x.flat<T>().data();
      T* z = out->mutable_flat<T>().data();
      return ctx.ParallelFor(p.images * p.OutputPixels(), WindowNanos(p),
                             [&](int64_t begin, int64_t end) {
                               PoolPixels(p, in, z, begin, end);
                             });
    });
  }
};

// Returns what FindLargest finds as a tensor of int64.
StatusOr<Tensor> LargestOf(KernelContext& ctx, const MaxPoolCall& call,
                           const Tensor& x) {
  MR_ASSIGN_OR_RETURN(Tensor index,
                      ctx.AllocateTemp(DataType::kInt64, call.output));
  MR_RETURN_IF_ERROR(
      FindLargest(ctx, call.problem, x, index.mutable_flat<int64_t>().data()));
  return index;
}

// Adds gradients: `grad` has the output's shape and goes to the input's
// elements.
Status ScatterGrad(KernelContext& ctx, const int64_t* index, int64_t images,
                   const Tensor& grad, Tensor* out) {
  const int64_t per_image = grad.num_elements() / images;
  const int64_t inputs = out->num_elements() / images;
  return Dispatch(RealTypes{}, grad.dtype(), [&]<class T>() -> Status {
    using S = ComputeType<T>;
    const T* dy = grad.flat<T>().data();
    T* dx = out->mutable_flat<T>().data();
    return ctx.ParallelFor(
        images, per_image * 2 + inputs / 8, [&](int64_t begin, int64_t end) {
          std::fill(dx + begin * inputs, dx + end * inputs, T(0));
          for (int64_t i = begin * per_image; i < end * per_image; ++i) {
            if (index[i] < 0) continue;
            dx[index[i]] = static_cast<T>(
                Plus<S>(static_cast<S>(dx[index[i]]), static_cast<S>(dy[i])));
          }
        });
  });
}

// Sets out[i] = from[index[i]], or 0 if there is no index.
Status GatherElements(KernelContext& ctx, const int64_t* index,
                      const Tensor& from, Tensor* out) {
  return DispatchBySize(from.dtype(), [&]<class T>() -> Status {
    if constexpr (std::is_integral_v<T>) {
      const T* x = reinterpret_cast<const T*>(from.data());
      T* z = reinterpret_cast<T*>(out->mutable_data());
      return ctx.ParallelFor(out->num_elements(), 2,
                             [&](int64_t begin, int64_t end) {
                               for (int64_t i = begin; i < end; ++i) {
                                 z[i] = index[i] < 0 ? T(0) : x[index[i]];
                               }
                             });
    } else {
      return Internal("pooling of no number");
    }
  });
}

class MaxPoolGradGradKernel : public MaxPoolBase {
 public:
  static StatusOr<MaxPoolGradGradKernel> Make(const KernelInit& init) {
    MaxPoolGradGradKernel k;
    MR_RETURN_IF_ERROR(k.Init(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const PoolAttrs attrs, Attrs(ctx, 3));
    MR_ASSIGN_OR_RETURN(const MaxPoolCall call,
                        MaxPoolCall::OfGradGrad(ctx, attrs));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, call.output));
    if (out->num_elements() == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(const Tensor index, LargestOf(ctx, call, x));
    return GatherElements(ctx, index.flat<int64_t>().data(), ctx.input(2), out);
  }
};

class MaxPoolWithArgmaxKernel : public MaxPoolBase {
 public:
  static StatusOr<MaxPoolWithArgmaxKernel> Make(const KernelInit& init) {
    MaxPoolWithArgmaxKernel k;
    MR_RETURN_IF_ERROR(k.Init(init));
    MR_ASSIGN_OR_RETURN(k.with_batch_,
                        init.Attr<bool>("include_batch_in_index"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const PoolAttrs attrs, Attrs(ctx, 1));
    MR_ASSIGN_OR_RETURN(const MaxPoolCall call,
                        MaxPoolCall::OfArgmax(ctx, attrs));
    const PoolProblem& p = call.problem;
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, call.output));
    MR_ASSIGN_OR_RETURN(Tensor* const argmax,
                        ctx.AllocateOutput(1, call.output));
    const int64_t n = call.output.num_elements();
    if (n == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(const Tensor index, LargestOf(ctx, call, x));
    const int64_t* at = index.flat<int64_t>().data();
    MR_RETURN_IF_ERROR(GatherElements(ctx, at, x, out));
    const int64_t image = with_batch_ ? 0 : p.InputPixels() * p.channels;
    return Dispatch(IndexTypes{}, ctx.output_type(1), [&]<class I>() -> Status {
      I* z = argmax->mutable_flat<I>().data();
      for (int64_t i = 0; i < n; ++i) {
        z[i] = static_cast<I>(image > 0 && at[i] >= 0 ? at[i] % image : at[i]);
      }
      return OkStatus();
    });
  }

 private:
  bool with_batch_ = false;
};

class MaxPoolGradWithArgmaxKernel : public MaxPoolBase {
 public:
  static StatusOr<MaxPoolGradWithArgmaxKernel> Make(const KernelInit& init) {
    MaxPoolGradWithArgmaxKernel k;
    MR_RETURN_IF_ERROR(k.Init(init));
    MR_ASSIGN_OR_RETURN(k.with_batch_,
                        init.Attr<bool>("include_batch_in_index"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    const Tensor& grad = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const PoolAttrs attrs, Attrs(ctx, 3));
    MR_ASSIGN_OR_RETURN(
        const MaxPoolCall call,
        MaxPoolCall::OfGradByArgmax(ctx, attrs, ByArgmax::kScatter));
    const PoolProblem& p = call.problem;
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    if (out->num_elements() == 0) return OkStatus();
    CountedVector<int64_t> at = ManyIntValues(ctx.input(2));
    const int64_t image = p.InputPixels() * p.channels;
    const int64_t per_image = p.OutputPixels() * p.channels;
    for (int64_t i = 0; i < call.output.num_elements(); ++i) {
      const int64_t first = i / per_image * image;
      if (!with_batch_) at[i] += first;
      if (at[i] < first || at[i] >= first + image) {
        return InvalidArgument(
            "invalid output index for argmax: ", at[i] - first,
            " is out of the image's ", image, " elements");
      }
    }
    return ScatterGrad(ctx, at.data(), p.images, grad, out);
  }

 private:
  bool with_batch_ = false;
};

}  // namespace

Status FindLargest(KernelContext& ctx, const PoolProblem& p, const Tensor& x,
                   int64_t* index) {
  MR_RETURN_IF_ERROR(CheckOffsets(p));
  return Dispatch(RealTypes{}, x.dtype(), [&]<class T>() -> Status {
    const T* in = x.flat<T>().data();
    return ctx.ParallelFor(p.images * p.OutputPixels(), WindowNanos(p),
                           [&](int64_t begin, int64_t end) {
                             FindPixels(p, in, index, begin, end);
                           });
  });
}

MR_KERNELS(MaxPool, Cpu){
    {.types = "T: " MR_REAL_TYPES, .make = MakeKernel<MaxPoolKernel>}};
MR_KERNELS(MaxPoolV2, Cpu){
    {.types = "T: " MR_REAL_TYPES, .make = MakeKernel<MaxPoolKernel>}};
MR_KERNELS(MaxPoolGradGrad, Cpu){
    {.types = "T: " MR_REAL_TYPES, .make = MakeKernel<MaxPoolGradGradKernel>}};
MR_KERNELS(MaxPoolGradGradV2, Cpu){
    {.types = "T: " MR_REAL_TYPES, .make = MakeKernel<MaxPoolGradGradKernel>}};
MR_KERNELS(MaxPoolWithArgmax,
           Cpu){{.types = "T: " MR_REAL_TYPES,
                 .make = MakeKernel<MaxPoolWithArgmaxKernel>}};
MR_KERNELS(MaxPoolGradWithArgmax,
           Cpu){{.types = "T: " MR_REAL_TYPES "; Targmax: int64",
                 .make = MakeKernel<MaxPoolGradWithArgmaxKernel>}};
MR_KERNELS(MaxPool3D, Cpu){
    {.types = "T: float, bfloat16", .make = MakeKernel<MaxPoolKernel>}};
MR_KERNELS(MaxPool3DGradGrad, Cpu){
    {.types = "T: float, bfloat16", .make = MakeKernel<MaxPoolGradGradKernel>}};

}  // namespace millrace::ops
