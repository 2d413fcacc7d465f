// Joining and cutting tensors along one dimension.
#pragma once

#include <vector>

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// A tensor as a matrix [outer, row]: dimensions before and from `axis` on.
struct RowView {
  const char* data = nullptr;
  int64_t row = 0;  // elements
};

// Row o of the destination is the rows o of all parts, one after the other.
Status JoinRows(KernelContext& ctx, DataType type,
                absl::Span<const RowView> parts, int64_t outer, char* dst);

// A part of the rows of a matrix, [begin, begin + size) of each, and where its
// elements go: a matrix [outer, size].
struct RowPart {
  int64_t begin = 0, size = 0;
  char* data = nullptr;
};
// The source is a matrix [outer, row].
Status CutRowsApart(KernelContext& ctx, DataType type, const char* src,
                    int64_t outer, int64_t row,
                    absl::Span<const RowPart> parts);

// The part of row o of the source, a matrix [outer, row], that begins at
// `begin`, for each o, as the matrix [outer, size] at `dst`.
Status CutRows(KernelContext& ctx, DataType type, const char* src,
               int64_t outer, int64_t row, int64_t begin, int64_t size,
               char* dst);

}  // namespace millrace::ops
