// Slices batches into elements and stacks elements to batches.
#pragma once

#include "absl/types/span.h"
#include "millrace/ops/data/dataset.h"

namespace millrace::ops {

// Returns row `row` of `t`, whose rank is at least 1, without dimension 0.
// Shares the buffer if the row is aligned, else copies. Returns
// RESOURCE_EXHAUSTED if memory runs out.
StatusOr<Tensor> SliceOf(const Tensor& t, int64_t row, Allocator* allocator);

// Stacks at least one element, component by component, along a new dimension 0.
// Returns INVALID_ARGUMENT in stock's words if their shapes differ.
StatusOr<Element> Stack(absl::Span<const Element> elements,
                        Allocator* allocator);

// Stacks elements whose components are padded with the scalars `values` to
// `shapes`, whose unknown sizes are those of the largest element. Returns
// DATA_LOSS, as in stock, if an element is larger.
StatusOr<Element> StackPadded(absl::Span<const Element> elements,
                              absl::Span<const PartialShape> shapes,
                              absl::Span<const Tensor> values,
                              Allocator* allocator);

}  // namespace millrace::ops
