// The memory of tensors beside the bytes of their elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "millrace/tensor/tensor.h"

namespace millrace {

// The bytes that a small buffer takes beside its elements: its object, the
// alignment, the heap's own. Allocators of host memory count them, as there may
// be many.
inline constexpr size_t kBufferOverhead = 128;

// Returns the bytes that a tensor takes beside its buffer, which its allocator
// counts: for owners of many tensors.
inline int64_t OwnBytes(const Tensor& t) {
  // As a shape with more dimensions keeps them elsewhere.
  constexpr int kNarrow = 4;
  const int elsewhere = t.rank() > kNarrow ? t.rank() : 0;
  return static_cast<int64_t>(sizeof(Tensor) +
                              sizeof(int64_t) * static_cast<size_t>(elsewhere));
}
inline int64_t OwnBytes(absl::Span<const Tensor> tensors) {
  int64_t bytes = 0;
  for (const Tensor& t : tensors) bytes += OwnBytes(t);
  return bytes;
}

}  // namespace millrace
