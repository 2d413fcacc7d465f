// Concatenates and splits tensors along one dimension.
#pragma once

#include <vector>

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// A tensor as a matrix [outer, row]: the dimensions before `axis`, and those
// from `axis` on.
struct RowView {
  const char* data = nullptr;
  int64_t row = 0;  // elements in a row
};

// Makes row o of the destination the concatenation of rows o of all parts.
Status JoinRows(KernelContext& ctx, DataType type,
                absl::Span<const RowView> parts, int64_t outer, char* dst);

// A part of the rows of a matrix, [begin, begin + size) of each, and the matrix
// [outer, size] to which its elements are copied.
struct RowPart {
  int64_t begin = 0, size = 0;
  char* data = nullptr;
};
// Copies parts of a source that is a matrix [outer, row].
Status SplitRows(KernelContext& ctx, DataType type, const char* src,
                 int64_t outer, int64_t row, absl::Span<const RowPart> parts);

// Copies elements [begin, begin + size) of each row of the source, a matrix
// [outer, row], to the matrix [outer, size] at `dst`.
Status CutRows(KernelContext& ctx, DataType type, const char* src,
               int64_t outer, int64_t row, int64_t begin, int64_t size,
               char* dst);

}  // namespace millrace::ops
