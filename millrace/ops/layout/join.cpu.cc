#include "millrace/ops/layout/join.h"

#include <cstring>

#include "millrace/ops/array/move.h"

namespace millrace::ops {
namespace {

// Below this many bytes in total, a plain loop is faster than planning a copy.
constexpr int64_t kSmallBytes = 4096;
// Longer rows are units of work by themselves.
constexpr int64_t kMaxRowBytes = int64_t{64} << 10;
// The smallest average length of a part of a row for which a call of memcpy is
// worthwhile.
constexpr int64_t kLeastPartBytes = 64;

// Returns whether all parts are copied row by row.
bool FitsOnePass(DataType type, int64_t outer, int64_t row, size_t parts) {
  const int64_t bytes = row * static_cast<int64_t>(SizeOf(type));
  return IsPlain(type) && outer > 1 && bytes <= kMaxRowBytes &&
         bytes >= kLeastPartBytes * static_cast<int64_t>(parts);
}

}  // namespace

Status JoinRows(KernelContext& ctx, DataType type,
                absl::Span<const RowView> parts, int64_t outer, char* dst) {
  int64_t total = 0;
  for (const RowView& p : parts) total += p.row;
  const int64_t size = static_cast<int64_t>(SizeOf(type));
  if (outer * total * size <= kSmallBytes) {
    int64_t to = 0;
    for (int64_t o = 0; o < outer; ++o) {
      for (const RowView& p : parts) {
        CopyElements(type, p.data, o * p.row, dst, to, p.row);
        to += p.row;
      }
    }
    return OkStatus();
  }
  // One pass over the rows: cache lines at the borders between cores are shared
  // once, not once for each part.
  if (FitsOnePass(type, outer, total, parts.size())) {
    const int64_t row_nanos =
        MoveCost(type, total) + 5 * static_cast<int64_t>(parts.size());
    return ctx.ParallelFor(outer, row_nanos, [&](int64_t begin, int64_t end) {
      char* to = dst + begin * total * size;
      for (int64_t o = begin; o < end; ++o) {
        for (const RowView& p : parts) {
          const auto bytes = static_cast<size_t>(p.row * size);
          std::memcpy(to, p.data + static_cast<size_t>(o) * bytes, bytes);
          to += bytes;
        }
      }
    });
  }
  int64_t begin = 0;
  for (const RowView& p : parts) {
    StridedCopySpec spec;
    spec.Add(outer, p.row, total);
    spec.Add(p.row, 1, 1);
    spec.dst_offset = begin;
    MR_RETURN_IF_ERROR(StridedCopy(ctx, type, p.data, dst, spec));
    begin += p.row;
  }
  return OkStatus();
}

Status SplitRows(KernelContext& ctx, DataType type, const char* src,
                 int64_t outer, int64_t row, absl::Span<const RowPart> parts) {
  const int64_t size = static_cast<int64_t>(SizeOf(type));
  if (!FitsOnePass(type, outer, row, parts.size())) {
    for (const RowPart& p : parts) {
      MR_RETURN_IF_ERROR(
          CutRows(ctx, type, src, outer, row, p.begin, p.size, p.data));
    }
    return OkStatus();
  }
  const int64_t row_nanos =
      MoveCost(type, row) + 5 * static_cast<int64_t>(parts.size());
  return ctx.ParallelFor(outer, row_nanos, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      for (const RowPart& p : parts) {
        const auto bytes = static_cast<size_t>(p.size * size);
        std::memcpy(p.data + static_cast<size_t>(o) * bytes,
                    src + (o * row + p.begin) * size, bytes);
      }
    }
  });
}

Status CutRows(KernelContext& ctx, DataType type, const char* src,
               int64_t outer, int64_t row, int64_t begin, int64_t size,
               char* dst) {
  if (outer == 1 && size * static_cast<int64_t>(SizeOf(type)) <= kSmallBytes) {
    CopyElements(type, src, begin, dst, 0, size);
    return OkStatus();
  }
  StridedCopySpec spec;
  spec.Add(outer, row, size);
  spec.Add(size, 1, 1);
  spec.src_offset = begin;
  return StridedCopy(ctx, type, src, dst, spec);
}

}  // namespace millrace::ops
