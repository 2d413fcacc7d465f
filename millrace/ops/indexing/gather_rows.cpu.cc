#include "millrace/ops/indexing/gather_rows.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "millrace/ops/array/move.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// A source of this size is in a cache, or soon will be.
constexpr int64_t kNearBytes = 1 << 20;

template <class T>
void CopySlice(const T* src, T* dst, int64_t slice) {
  if (slice == 1) {
    *dst = *src;
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    std::memcpy(dst, src, static_cast<size_t>(slice) * sizeof(T));
  } else {
    std::copy_n(src, slice, dst);
  }
}

template <class T, class I>
Status Gather(KernelContext& ctx, DataType type, const GatherSpec& g,
              const T* src, const I* indices, T* dst,
              const SharedElements* locked, FirstPlace& bad) {
  const int64_t total = g.batches * g.outer * g.count;
  const int64_t cost = MoveCost(type, g.slice) + 5;
  return ctx.ParallelFor(total, cost, [&](int64_t begin, int64_t end) {
    const int64_t bytes = g.slice * static_cast<int64_t>(sizeof(T));
    const auto ask = [&](const T* from, I index) {
      const auto at = static_cast<uint64_t>(static_cast<int64_t>(index));
      if (at < static_cast<uint64_t>(g.limit)) {
        AskForSlice(from + at * static_cast<uint64_t>(g.slice), bytes);
      }
    };
    const bool is_far = g.limit * bytes > kNearBytes;
    int64_t group = begin / g.count;  // b * outer + o
    int64_t i = begin % g.count;
    T* to = dst + begin * g.slice;
    while (begin < end) {
      const int64_t first = group / g.outer * g.count;
      const T* from = src + group * g.limit * g.slice;
      const int64_t stop = std::min(g.count, i + (end - begin));
      begin += stop - i;
      if (is_far) {
        for (int64_t k = i; k < std::min(stop, i + kGatherAhead); ++k) {
          ask(from, indices[first + k]);
        }
      }
      for (; i < stop; ++i, to += g.slice) {
        if (i + kGatherAhead < stop) {
          ask(from, indices[first + i + kGatherAhead]);
        }
        const int64_t index = static_cast<int64_t>(indices[first + i]);
        if (static_cast<uint64_t>(index) >= static_cast<uint64_t>(g.limit))
            [[unlikely]] {
          bad.Report(first + i);
          continue;
        }
        if (locked != nullptr) [[unlikely]] {
          locked->Copy(from + index * g.slice - src, g.slice, to);
        } else {
          CopySlice(from + index * g.slice, to, g.slice);
        }
      }
      i = 0;
      ++group;
    }
  });
}

}  // namespace

StatusOr<int64_t> GatherSlices(KernelContext& ctx, DataType type,
                               const GatherSpec& spec, const char* src,
                               const Tensor& indices, char* dst,
                               const SharedElements* locked) {
  if (spec.batches * spec.outer * spec.count * spec.slice == 0) return -1;
  FirstPlace bad;
  // Plain slices of more than one element are copied as bytes, for any type.
  GatherSpec g = spec;
  DataType moved = type;
  if (IsPlain(type) && g.slice > 1) {
    g.slice *= static_cast<int64_t>(SizeOf(type));
    moved = DataType::kUint8;
  }
  const Status status = DispatchBySize(moved, [&]<class T>() -> Status {
    return Dispatch<int16_t, int32_t, int64_t>(
        indices.dtype(), [&]<class I>() -> Status {
          return Gather(ctx, moved, g, reinterpret_cast<const T*>(src),
                        indices.flat<I>().data(), reinterpret_cast<T*>(dst),
                        locked, bad);
        });
  });
  if (!status.ok()) return status;
  return bad.Get();
}

}  // namespace millrace::ops
