// Attributes and shapes of TopK and TopKV2, for the memory of any device.
#pragma once

#include <cstdint>

#include "millrace/kernel/kernel.h"

namespace millrace::ops {

struct TopKAttrs {
  static StatusOr<TopKAttrs> Make(const KernelInit& init);
  // Returns the number of elements: the attribute's, or that of input 1 in host
  // memory.
  StatusOr<int64_t> K(KernelContext& ctx) const;

  bool sorted = true;
  bool has_k = false;
  int64_t k = 0;
};

// Returns the shape of the k largest elements of rows; INVALID_ARGUMENT if
// there are not so many.
StatusOr<TensorShape> TopKShape(const TensorShape& x, int64_t k);

}  // namespace millrace::ops
