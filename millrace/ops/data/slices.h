// Elements cut from batches and put together to batches.
#pragma once

#include "absl/types/span.h"
#include "millrace/ops/data/dataset.h"

namespace millrace::ops {

// Row `row` of `t`, whose rank is at least 1, without dimension 0. Shares the
// buffer where that keeps rows aligned, else copies. RESOURCE_EXHAUSTED.
StatusOr<Tensor> SliceOf(const Tensor& t, int64_t row, Allocator* allocator);

// All elements, at least one, component by component with a new dimension 0.
// INVALID_ARGUMENT in stock's words if their shapes differ.
StatusOr<Element> Stack(absl::Span<const Element> elements,
                        Allocator* allocator);

// The same with each component filled up to `shapes`, whose unknown sizes are
// those of the largest element, with the scalars `values`. DATA_LOSS, as in
// stock, if an element is larger.
StatusOr<Element> StackPadded(absl::Span<const Element> elements,
                              absl::Span<const PartialShape> shapes,
                              absl::Span<const Tensor> values,
                              Allocator* allocator);

}  // namespace millrace::ops
