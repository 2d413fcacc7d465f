// Kernels of greyscale dilations.
#include <algorithm>
#include <type_traits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/pooling/dilation_problem.h"
#include "millrace/ops/pooling/pool.h"
#include "millrace/ops/pooling/window_loops.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Returns the sum in type T: half and bfloat16 are rounded.
template <class T>
T SumOf(T a, T b) {
  if constexpr (std::is_same_v<ComputeType<T>, T>) {
    return Plus(a, b);
  } else {
    return T(static_cast<float>(a) + static_cast<float>(b));
  }
}

template <class T>
bool IsLarger(T a, T b) {
  return static_cast<ComputeType<T>>(a) > static_cast<ComputeType<T>>(b);
}

// Finds the largest sum of a window, for channels [begin, end), and the tap of
// the filter that it comes from; the first one of several, and -1 if no sum is
// above the smallest number.
template <class T>
void FindLargestSums(const DilationSizes& s, const T* image, const T* filter,
                     int64_t row, int64_t column, int64_t begin, int64_t end,
                     T* largest, int64_t* taps) {
  std::fill(largest + begin, largest + end, LowestOf<T>());
  std::fill(taps + begin, taps + end, -1);
  for (int64_t h = 0; h < s.y.filter; ++h) {
    const int64_t y = row * s.y.stride - s.y.before + h * s.y.rate;
    if (y < 0 || y >= s.y.input) continue;
    for (int64_t w = 0; w < s.x.filter; ++w) {
      const int64_t x = column * s.x.stride - s.x.before + w * s.x.rate;
      if (x < 0 || x >= s.x.input) continue;
      const int64_t tap = h * s.x.filter + w;
      const T* pixel = image + (y * s.x.input + x) * s.depth;
      const T* added = filter + tap * s.depth;
      for (int64_t c = begin; c < end; ++c) {
        const T sum = SumOf(pixel[c], added[c]);
        if (!IsLarger(sum, largest[c])) continue;
        largest[c] = sum;
        taps[c] = tap;
      }
    }
  }
}

// The pixels under a window and the taps of the filter over them: the places of
// their first channels.
struct DilationPlaces {
  CountedVector<int64_t> pixels, taps;

  void Set(const DilationSizes& s, int64_t row, int64_t column) {
    pixels.clear();
    taps.clear();
    for (int64_t h = 0; h < s.y.filter; ++h) {
      const int64_t y = row * s.y.stride - s.y.before + h * s.y.rate;
      if (y < 0 || y >= s.y.input) continue;
      for (int64_t w = 0; w < s.x.filter; ++w) {
        const int64_t x = column * s.x.stride - s.x.before + w * s.x.rate;
        if (x < 0 || x >= s.x.input) continue;
        pixels.push_back((y * s.x.input + x) * s.depth);
        taps.push_back((h * s.x.filter + w) * s.depth);
      }
    }
  }
};

// Finds the largest sums of a window for all channels.
template <class T>
MR_TARGET_CLONES void LargestSums(const T* image, const T* filter,
                                  const DilationPlaces& places, int64_t n,
                                  T* z) {
  using S = ComputeType<T>;
  const S lowest = static_cast<S>(LowestOf<T>());
  const int64_t* const pixels = places.pixels.data();
  const int64_t* const taps = places.taps.data();
  const size_t count = places.taps.size();
  ForLanes(n, [&]<int kLanes>(int64_t c) MR_LANES {
    S best[kLanes];
#pragma GCC unroll 4
    for (int k = 0; k < kLanes; ++k) best[k] = lowest;
    for (size_t i = 0; i < count; ++i) {
      const T* const pixel = image + pixels[i] + c;
      const T* const added = filter + taps[i] + c;
#pragma GCC unroll 4
      for (int k = 0; k < kLanes; ++k) {
        const S sum = static_cast<S>(SumOf(pixel[k], added[k]));
        best[k] = best[k] < sum ? sum : best[k];
      }
    }
    for (int k = 0; k < kLanes; ++k) z[c + k] = static_cast<T>(best[k]);
  });
}

class DilationKernel {
 public:
  static StatusOr<DilationKernel> Make(const KernelInit& init) {
    DilationKernel k;
    MR_ASSIGN_OR_RETURN(k.attrs_, DilationAttrs::Read(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& in = ctx.input(0);
    const Tensor& filter = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const DilationSizes s,
                        attrs_.Resolve(in.shape(), filter.shape()));
    MR_ASSIGN_OR_RETURN(
        TensorShape shape,
        TensorShape::Make({s.batch, s.y.output, s.x.output, s.depth}));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    const int64_t pixels = s.batch * s.y.output * s.x.output;
    const int64_t cost = (s.Taps() + 1) * (s.depth / 8 + 4);
    return Dispatch(RealTypes{}, in.dtype(), [&]<class T>() -> Status {
      const T* const x = in.flat<T>().data();
      const T* const w = filter.flat<T>().data();
      T* const z = out->mutable_flat<T>().data();
      return ctx.ParallelFor(pixels, cost, [&](int64_t begin, int64_t end) {
        DilationPlaces places;
        for (int64_t i = begin; i < end; ++i) {
          const int64_t row = i / s.x.output;
          places.Set(s, row % s.y.output, i % s.x.output);
          LargestSums(x + row / s.y.output * s.ImageSize(), w, places, s.depth,
                      z + i * s.depth);
        }
      });
    });
  }

 private:
  DilationAttrs attrs_;
};

// The result of a gradient: that of the input or that of the filter.
enum class DilationResult { kInput, kFilter };

template <DilationResult kResult>
class DilationGradKernel {
 public:
  static StatusOr<DilationGradKernel> Make(const KernelInit& init) {
    DilationGradKernel k;
    MR_ASSIGN_OR_RETURN(k.attrs_, DilationAttrs::Read(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& in = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const DilationSizes s,
                        attrs_.Resolve(in.shape(), ctx.input(1).shape()));
    MR_RETURN_IF_ERROR(CheckDilationGradient(ctx.input(2), s));
    constexpr int kShape = kResult == DilationResult::kInput ? 0 : 1;
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, ctx.input(kShape).shape()));
    MR_RETURN_IF_ERROR(ZeroTensor(ctx, out));
    if (out->num_elements() == 0 || ctx.input(2).num_elements() == 0) {
      return OkStatus();
    }
    return Dispatch(RealTypes{}, in.dtype(), [&]<class T>() -> Status {
      T* const z = out->mutable_flat<T>().data();
      if constexpr (kResult == DilationResult::kInput) {
        return ToInput(ctx, s, z);
      } else {
        return ToFilter(ctx, s, z);
      }
    });
  }

 private:
  // Calls f(row, column) for all windows of an image, of which one may take
  // hours, until the step is cancelled.
  template <class F>
  static void ForWindows(const KernelContext& ctx, const DilationSizes& s,
                         F&& f) {
    const int64_t at_once = kWorkPerCheck / ((s.Taps() + 1) * s.depth) + 1;
    int64_t left = at_once;
    for (int64_t row = 0; row < s.y.output; ++row) {
      for (int64_t column = 0; column < s.x.output; ++column) {
        if (--left < 0) {
          if (!ctx.CheckCancelled().ok()) return;
          left = at_once;
        }
        f(row, column);
      }
    }
  }

  // Threads take images, so that the order of the sums is fixed.
  template <class T>
  static Status ToInput(KernelContext& ctx, const DilationSizes& s, T* z) {
    const T* const x = ctx.input(0).flat<T>().data();
    const T* const w = ctx.input(1).flat<T>().data();
    const T* const dy = ctx.input(2).flat<T>().data();
    const int64_t cost = s.OutputSize() * (s.Taps() + 1) * 2;
    return ctx.ParallelFor(s.batch, cost, [&](int64_t begin, int64_t end) {
      CountedVector<T> largest(static_cast<size_t>(s.depth));
      CountedVector<int64_t> taps(static_cast<size_t>(s.depth));
      for (int64_t b = begin; b < end; ++b) {
        T* const image = z + b * s.ImageSize();
        const T* gradient = dy + b * s.OutputSize();
        ForWindows(ctx, s, [&](int64_t row, int64_t column) {
          FindLargestSums(s, x + b * s.ImageSize(), w, row, column, 0, s.depth,
                          largest.data(), taps.data());
          const int64_t top = row * s.y.stride - s.y.before;
          const int64_t left = column * s.x.stride - s.x.before;
          for (int64_t c = 0; c < s.depth; ++c, ++gradient) {
            // Without a largest sum, as in stock, the first pixel gets it.
            const int64_t tap = taps[static_cast<size_t>(c)];
            const int64_t i = tap < 0 ? std::max<int64_t>(0, top)
                                      : top + tap / s.x.filter * s.y.rate;
            const int64_t j = tap < 0 ? std::max<int64_t>(0, left)
                                      : left + tap % s.x.filter * s.x.rate;
            if (i >= s.y.input || j >= s.x.input) continue;
            T& sum = image[(i * s.x.input + j) * s.depth + c];
            sum = SumOf(sum, *gradient);
          }
        });
      }
    });
  }

  // Threads take channels, for the same reason.
  template <class T>
  static Status ToFilter(KernelContext& ctx, const DilationSizes& s, T* z) {
    const T* const x = ctx.input(0).flat<T>().data();
    const T* const w = ctx.input(1).flat<T>().data();
    const T* const dy = ctx.input(2).flat<T>().data();
    const int64_t cost = s.batch * s.y.output * s.x.output * (s.Taps() + 1) * 2;
    return ctx.ParallelFor(s.depth, cost, [&](int64_t begin, int64_t end) {
      CountedVector<T> largest(static_cast<size_t>(s.depth));
      CountedVector<int64_t> taps(static_cast<size_t>(s.depth));
      for (int64_t b = 0; b < s.batch; ++b) {
        ForWindows(ctx, s, [&](int64_t row, int64_t column) {
          FindLargestSums(s, x + b * s.ImageSize(), w, row, column, begin, end,
                          largest.data(), taps.data());
          const T* gradient =
              dy + b * s.OutputSize() + (row * s.x.output + column) * s.depth;
          for (int64_t c = begin; c < end; ++c) {
            // Without a largest sum, as in stock, the first tap gets it.
            const int64_t tap =
                std::max<int64_t>(0, taps[static_cast<size_t>(c)]);
            T& sum = z[tap * s.depth + c];
            sum = SumOf(sum, gradient[c]);
          }
        });
      }
    });
  }

  DilationAttrs attrs_;
};

}  // namespace

#define MR_DILATION_TYPES                                                \
  "T: float, double, half, bfloat16, int8, int16, int32, int64, uint8, " \
  "uint16, uint32, uint64"

MR_KERNELS(Dilation2D, Cpu){
    {.types = MR_DILATION_TYPES, .make = MakeKernel<DilationKernel>}};
MR_KERNELS(Dilation2DBackpropInput, Cpu){
    {.types = MR_DILATION_TYPES,
     .make = MakeKernel<DilationGradKernel<DilationResult::kInput>>}};
MR_KERNELS(Dilation2DBackpropFilter, Cpu){
    {.types = MR_DILATION_TYPES,
     .make = MakeKernel<DilationGradKernel<DilationResult::kFilter>>}};

}  // namespace millrace::ops
