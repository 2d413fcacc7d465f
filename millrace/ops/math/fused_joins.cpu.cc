#include "millrace/ops/math/fused_joins.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "millrace/base/checked_size.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

// `share` of `total` of `elements`, rounded down, so that shares of neighbours
// meet. Tensors have fewer than 2^63 elements, and products of two sizes more.
size_t ShareOf(size_t elements, int64_t share, int64_t total) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<size_t>(static_cast<Wide>(elements) *
                             static_cast<Wide>(share) /
                             static_cast<Wide>(total));
}

}  // namespace

std::optional<JoinShape> JoinShapeOf(
    const Tensor& axis, absl::Span<const TensorShape* const> parts) {
  if (axis.num_elements() != 1) return std::nullopt;
  const TensorShape& first = *parts[0];
  const int64_t given = IntAt(axis, 0);
  const int64_t at = given < 0 ? given + first.rank() : given;
  if (at < 0 || at >= first.rank()) return std::nullopt;
  JoinShape joined;
  joined.axis = static_cast<int>(at);
  CheckedSize size = 0;
  for (const TensorShape* const part : parts) {
    if (part->rank() != first.rank() || part->num_elements() == 0) {
      return std::nullopt;
    }
    for (int d = 0; d < first.rank(); ++d) {
      if (d != at && part->dim(d) != first.dim(d)) return std::nullopt;
    }
    size += part->dim(joined.axis);
  }
  DimVector dims = first.dims();
  StatusOr<int64_t> whole = size.Get("the joined dimension");
  if (!whole.ok()) return std::nullopt;
  dims[joined.axis] = *whole;
  StatusOr<TensorShape> out = TensorShape::Make(dims);
  if (!out.ok()) return std::nullopt;
  joined.out = *std::move(out);
  return joined;
}

void RowJoin::Run(int64_t at, int64_t n, int64_t total,
                  absl::Span<char* const> results) const {
  for (const Part& part : parts) {
    const size_t elements = rows * (part.row_bytes / element_bytes);
    // In bytes of the part.
    size_t begin = ShareOf(elements, at, total) * element_bytes;
    const size_t end = ShareOf(elements, at + n, total) * element_bytes;
    const char* from =
        part.data != nullptr ? part.data + begin : results[part.stage];
    size_t row = begin / part.row_bytes, column = begin % part.row_bytes;
    while (begin < end) {
      const size_t bytes = std::min(part.row_bytes - column, end - begin);
      std::memcpy(out + row * row_bytes + part.offset + column, from, bytes);
      from += bytes;
      begin += bytes;
      ++row;
      column = 0;
    }
  }
}

}  // namespace millrace::ops
