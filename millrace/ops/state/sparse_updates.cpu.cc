#include "millrace/ops/state/sparse_updates.h"

#include <algorithm>
#include <array>

#include "millrace/base/memory/counted_vector.h"

namespace millrace::ops {
namespace {

// Fewer indices than this are processed in their order.
constexpr size_t kMinGrouped = 4 * VariableRows::kGroups;
// The number of rows that are being prefetched while another one is updated.
constexpr size_t kAhead = 6;
constexpr int64_t kFewAhead = 6;  // where they are processed in their order
// How much of one row is prefetched; the hardware prefetches the rest of a
// longer one.
constexpr int64_t kMaxFetchedBytes = 512;
constexpr int64_t kCacheLine = 64;
// The number of rows that are processed under one lock at a time: other threads
// that want the lock wait for some microseconds.
constexpr size_t kRowsPerLock = 64;

template <int kWrite>
void Fetch(const char* data, int64_t bytes) {
  const int64_t end = std::min(bytes, kMaxFetchedBytes);
  for (int64_t at = 0; at < end; at += kCacheLine) {
    __builtin_prefetch(data + at, kWrite);
  }
}

// The positions of indices, ordered by the group of their lock.
struct GroupedPlaces {
  CountedVector<int64_t> places;
  std::array<size_t, VariableRows::kGroups + 1> begin = {};  // of each group
};

GroupedPlaces GroupPlaces(absl::Span<const int64_t> indices) {
  GroupedPlaces grouped;
  auto& begin = grouped.begin;
  for (const int64_t row : indices) {
    ++begin[static_cast<size_t>(VariableRows::GroupOf(row)) + 1];
  }
  for (size_t g = 1; g < begin.size(); ++g) begin[g] += begin[g - 1];
  std::array<size_t, VariableRows::kGroups + 1> next = begin;
  grouped.places.resize(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    const auto group = static_cast<size_t>(VariableRows::GroupOf(indices[i]));
    grouped.places[next[group]++] = static_cast<int64_t>(i);
  }
  return grouped;
}

}  // namespace

Status ForEachRow(KernelContext& ctx, const VariableRows& rows,
                  const SparseUpdates& updates,
                  absl::FunctionRef<void(int64_t row, int64_t i)> f) {
  const absl::Span<const int64_t> indices = updates.indices;
  const int64_t bytes = updates.row_bytes;
  const auto fetch = [&](int64_t i) {
    for (int k = 0; k < rows.size(); ++k) {
      Fetch<1>(rows.mutable_data(k) + indices[static_cast<size_t>(i)] * bytes,
               bytes);
    }
    if (updates.updates != nullptr) {
      Fetch<0>(updates.updates + i * bytes, bytes);
    }
  };
  if (indices.size() < kMinGrouped) {
    const auto n = static_cast<int64_t>(indices.size());
    for (int64_t i = 0; i < n + kFewAhead; ++i) {
      if (i < n && n > 1) fetch(i);
      const int64_t at = i - kFewAhead;
      if (at < 0) continue;
      const int64_t row = indices[static_cast<size_t>(at)];
      const auto lock = rows.Lock(row);
      f(row, at);
    }
    return OkStatus();
  }
  const GroupedPlaces grouped = GroupPlaces(indices);
  const auto per_group =
      static_cast<int64_t>(indices.size() / VariableRows::kGroups + 1);
  // With many requests at once, memory delivers a cache line in about 10 ns.
  const int64_t row_nanos =
      updates.row_nanos + 10 * (bytes / kCacheLine + 1) * rows.size();
  ctx.to_end = true;
  return ctx.ParallelFor(
      VariableRows::kGroups, per_group * row_nanos,
      [&](int64_t first, int64_t last) {
        const size_t end = grouped.begin[static_cast<size_t>(last)];
        for (int64_t g = first; g < last; ++g) {
          const size_t group_end = grouped.begin[static_cast<size_t>(g) + 1];
          size_t at = grouped.begin[static_cast<size_t>(g)];
          while (at < group_end) {
            const size_t until = std::min(at + kRowsPerLock, group_end);
            const auto lock =
                rows.Lock(indices[static_cast<size_t>(grouped.places[at])]);
            for (; at < until; ++at) {
              if (at + kAhead < end) fetch(grouped.places[at + kAhead]);
              const int64_t i = grouped.places[at];
              f(indices[static_cast<size_t>(i)], i);
            }
          }
        }
      });
}

}  // namespace millrace::ops
