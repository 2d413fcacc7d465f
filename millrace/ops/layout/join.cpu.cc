#include "millrace/ops/layout/join.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "millrace/ops/array/move.h"
#include "millrace/ops/array/short_runs.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Below this many bytes in total, a plain loop is faster than planning a copy.
constexpr int64_t kSmallBytes = 4096;
// Longer rows are units of work by themselves.
constexpr int64_t kMaxRowBytes = int64_t{64} << 10;
// The smallest average length of a part of a row for which a call of memcpy is
// worthwhile.
constexpr int64_t kLeastPartBytes = 64;

// How parts of rows are copied: one part after the other, all parts row by row,
// or, where parts are narrow, all parts for some rows at a time.
enum class Passes { kOneAPart, kRows, kBlocks };

Passes PassesOf(DataType type, int64_t outer, int64_t row, size_t parts) {
  const int64_t bytes = row * static_cast<int64_t>(SizeOf(type));
  if (!IsPlain(type) || outer == 1 || bytes > kMaxRowBytes) {
    return Passes::kOneAPart;
  }
  if (bytes >= kLeastPartBytes * static_cast<int64_t>(parts)) {
    return Passes::kRows;
  }
  return parts == 1 ? Passes::kOneAPart : Passes::kBlocks;
}

// Rows whose parts are copied together: so few that they stay in the first
// cache, and so many that the elements of a narrow part fill cache lines.
int64_t BlockRows(int64_t row_bytes) {
  return std::clamp<int64_t>((16 << 10) / row_bytes, 16, 1024);
}

// Copies n elements of each of some rows.
template <class T>
void CopyRows(const T* from, int64_t from_row, T* to, int64_t to_row,
              int64_t rows, int64_t n) {
  if (n > 0 && n <= kShortRun) {
    CopyShortRuns(from, to, {from_row, 1, to_row, 1}, rows, n);
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    std::copy_n(from + r * from_row, n, to + r * to_row);
  }
}

// Calls copy(type's value, first row, rows) for blocks of rows, on several
// threads.
template <class F>
Status ForBlocks(KernelContext& ctx, DataType type, int64_t outer, int64_t row,
                 size_t parts, F&& copy) {
  const int64_t rows = BlockRows(row * static_cast<int64_t>(SizeOf(type)));
  const int64_t row_nanos =
      MoveCost(type, row) + static_cast<int64_t>(parts) + 1;
  return DispatchBySize(type, [&]<class T>() -> Status {
    if constexpr (std::is_trivially_copyable_v<T>) {
      return ctx.ParallelFor(
          (outer + rows - 1) / rows, rows * row_nanos,
          [&](int64_t begin, int64_t end) {
            for (int64_t block = begin; block < end; ++block) {
              const int64_t first = block * rows;
              copy(T(), first, std::min(rows, outer - first));
            }
          });
    } else {
      return Internal("rows of ", DataTypeName(type),
                      " are copied part by part");
    }
  });
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
  const Passes passes = PassesOf(type, outer, total, parts.size());
  if (passes == Passes::kBlocks) {
    return ForBlocks(ctx, type, outer, total, parts.size(),
                     [&]<class T>(T, int64_t first, int64_t rows) {
                       T* to = reinterpret_cast<T*>(dst) + first * total;
                       for (const RowView& p : parts) {
                         CopyRows(
                             reinterpret_cast<const T*>(p.data) + first * p.row,
                             p.row, to, total, rows, p.row);
                         to += p.row;
                       }
                     });
  }
  if (passes == Passes::kRows) {
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
  const Passes passes = PassesOf(type, outer, row, parts.size());
  if (passes == Passes::kOneAPart) {
    for (const RowPart& p : parts) {
      MR_RETURN_IF_ERROR(
          CutRows(ctx, type, src, outer, row, p.begin, p.size, p.data));
    }
    return OkStatus();
  }
  if (passes == Passes::kBlocks) {
    return ForBlocks(ctx, type, outer, row, parts.size(),
                     [&]<class T>(T, int64_t first, int64_t rows) {
                       const T* from =
                           reinterpret_cast<const T*>(src) + first * row;
                       for (const RowPart& p : parts) {
                         CopyRows(from + p.begin, row,
                                  reinterpret_cast<T*>(p.data) + first * p.size,
                                  p.size, rows, p.size);
                       }
                     });
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
