// The end of a pass over elements (fused_blocks.h): results of stages, and
// tensors beside them, are joined along one dimension while a block of them is
// in the first-level cache, instead of being written, read and written again.
#pragma once

#include <cstddef>
#include <cstdint>

#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// What a ConcatV2 of parts of these shapes gives. None where that is an error,
// and where a part is empty.
struct JoinShape {
  TensorShape out;
  int axis = 0;
};
std::optional<JoinShape> JoinShapeOf(
    const Tensor& axis, absl::Span<const TensorShape* const> parts);

// A ConcatV2: row r of `out` is the rows r of all parts, one after the other.
struct RowJoin {
  struct Part {
    const char* data = nullptr;  // null: the result of stage `stage`
    size_t stage = 0;
    size_t row_bytes = 0;  // at least 1
    size_t offset = 0;     // bytes from the begin of a row of `out`
  };

  char* out = nullptr;
  size_t row_bytes = 0;  // of `out`
  size_t rows = 0;
  size_t element_bytes = 1;  // of all parts
  absl::InlinedVector<Part, 4> parts;

  // What belongs to elements [at, at + n) of `total`, which is how many the
  // results of stages have: those elements, and the same share of the tensors.
  // results[s]: where the block of stage s begins.
  void Run(int64_t at, int64_t n, int64_t total,
           absl::Span<char* const> results) const;
};

}  // namespace millrace::ops
