#include "millrace/ops/array/join.h"

#include "millrace/ops/array/move.h"

namespace millrace::ops {
namespace {

// Below this many bytes in all a plain loop beats working out a copy's form.
constexpr int64_t kSmallBytes = 4096;

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
