// Gathers slices by index; also used for variables and TensorArrays.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "millrace/kernel/kernel_context.h"
#include "millrace/kernel/variable_view.h"

namespace millrace::ops {

// For b < batches, o < outer, i < count, slice [b, o, i] of the destination is
// slice [b, o, indices[b * count + i]] of the source, which has `limit` slices
// for each (b, o). All are dense.
struct GatherSpec {
  int64_t batches = 1;
  int64_t outer = 1;
  int64_t limit = 0;
  int64_t count = 0;  // indices in a batch
  int64_t slice = 0;  // elements in a slice
};

// The slices that Gather and GatherV2 take, and the shape of their output.
struct GatherPlan {
  GatherSpec spec;
  TensorShape shape;
};
// Returns INVALID_ARGUMENT if an axis or shapes do not fit.
StatusOr<GatherPlan> PlanGather(const Tensor& params, const Tensor& indices,
                                int64_t axis, int64_t batch_dims);

// Gathers slices. Indices (int16, int32 or int64) are checked while they are
// used: returns the first position in `indices` whose value is outside [0,
// limit), or -1. The destinations of bad indices are not written. Returns
// CANCELLED as ParallelFor does. If given, `locked` copies what lies at `src`.
StatusOr<int64_t> GatherSlices(KernelContext& ctx, DataType type,
                               const GatherSpec& spec, const char* src,
                               const Tensor& indices, char* dst,
                               const SharedElements* locked = nullptr);

// Slices far apart in a big table miss every cache. They are prefetched this
// many slices ahead, without the end of long ones, which the hardware
// prefetches.
inline constexpr int64_t kGatherAhead = 16;
inline void AskForSlice(const void* slice, int64_t bytes) {
  constexpr int64_t kLine = 64;
  const char* const lines = static_cast<const char*>(slice);
  for (int64_t at = 0; at < std::min(bytes, 8 * kLine); at += kLine) {
    __builtin_prefetch(lines + at);
  }
}

// The smallest position that several threads report.
class FirstPlace {
 public:
  void Report(int64_t place) {
    int64_t seen = place_.load(std::memory_order_relaxed);
    while (place < seen && !place_.compare_exchange_weak(
                               seen, place, std::memory_order_relaxed)) {
    }
  }
  // Returns -1 if none was reported.
  int64_t Get() const {
    const int64_t p = place_.load(std::memory_order_relaxed);
    return p == std::numeric_limits<int64_t>::max() ? -1 : p;
  }

 private:
  std::atomic<int64_t> place_{std::numeric_limits<int64_t>::max()};
};

}  // namespace millrace::ops
