#include <algorithm>

#include "millrace/ops/array/element_types.h"
#include "millrace/ops/pooling/max_pool.h"
#include "millrace/ops/pooling/pool_overlap.h"
#include "millrace/ops/pooling/window_loops.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

template <class T, class I>
void FindOffsetsOfWindows(const PoolProblem& p, const T* x, T* z, I* offsets,
                          int64_t begin, int64_t end) {
  const int64_t n = p.channels;
  WindowPlaces window_places(p);
  ForWindows(p, begin, end, [&](int64_t o, int64_t image, const auto& covered) {
    const absl::Span<const int64_t> places = window_places.Of(covered);
    if (places.empty()) {
      std::fill_n(offsets + o * n, n, I(0));
      if (z != nullptr) std::fill_n(z + o * n, n, LowestOf<T>());
      return;
    }
    MaxAndOffsets(x + FirstPlace(p, image, covered), places, n,
                  z == nullptr ? nullptr : z + o * n, offsets + o * n);
  });
}

template <class T, class I>
void SumRows(const KernelContext& ctx, const PoolProblem& p,
             const Overlaps& overlaps, const T* dy, const I* offsets,
             int64_t begin, int64_t end, T* dx) {
  const int64_t n = p.channels;
  const int64_t columns = p.window[2].input;
  PixelWindows windows(p, overlaps);
  int64_t work = 0;
  for (int64_t row = begin; row < end; ++row) {
    windows.GoTo(row);
    for (int64_t i = 0; i < columns; ++i) {
      const absl::Span<const WindowOver> over = windows.Of(i);
      SumWhereOffset(dy, offsets, over, n, dx + (row * columns + i) * n);
      // Each pixel of a long row may be under as many windows.
      work += static_cast<int64_t>(over.size()) * n;
      if (work < kWorkPerCheck) continue;
      if (!ctx.CheckCancelled().ok()) return;
      work = 0;
    }
  }
}

// Calls f with the type of argmax offsets.
template <class F>
Status WithOffsetType(const PoolProblem& p, const F& f) {
  if (OffsetType(p) == DataType::kUint8)
    return f.template operator()<uint8_t>();
  return f.template operator()<int32_t>();
}

}  // namespace

Status FindOffsets(KernelContext& ctx, const PoolProblem& p, const Tensor& x,
                   Tensor* output, Tensor* offsets) {
  MR_RETURN_IF_ERROR(CheckOffsets(p));
  return Dispatch(RealTypes{}, x.dtype(), [&]<class T>() -> Status {
    return WithOffsetType(p, [&]<class I>() {
      const T* const in = x.flat<T>().data();
      T* const z =
          output == nullptr ? nullptr : output->mutable_flat<T>().data();
      I* const numbers = offsets->mutable_flat<I>().data();
      return ctx.ParallelFor(p.images * p.OutputPixels(), WindowNanos(p),
                             [&](int64_t begin, int64_t end) {
                               FindOffsetsOfWindows(p, in, z, numbers, begin,
                                                    end);
                             });
    });
  });
}

Status SumByOffsets(KernelContext& ctx, const PoolProblem& p,
                    const Tensor& offsets, const Tensor& grad, Tensor* out) {
  return Dispatch(RealTypes{}, grad.dtype(), [&]<class T>() -> Status {
    return WithOffsetType(p, [&]<class I>() {
      const T* const dy = grad.flat<T>().data();
      const I* const numbers = offsets.flat<I>().data();
      T* const dx = out->mutable_flat<T>().data();
      const Overlaps overlaps(p);
      return ctx.ParallelFor(p.images * p.window[0].input * p.window[1].input,
                             RowNanos(p), [&](int64_t begin, int64_t end) {
                               SumRows(ctx, p, overlaps, dy, numbers, begin,
                                       end, dx);
                             });
    });
  });
}

}  // namespace millrace::ops
