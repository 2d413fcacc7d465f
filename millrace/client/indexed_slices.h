// IndexedSlices: some rows of a large tensor, the form of a sparse gradient.
#pragma once

#include "millrace/client/output.h"

namespace millrace {

// values[i] belongs to row indices[i]; rows may occur more than once, and are
// then added. `dense_shape` is the shape of the whole tensor as a vector; it
// may be null.
struct IndexedSlices {
  Output values;
  Output indices;
  Output dense_shape;

  explicit operator bool() const { return static_cast<bool>(values); }
  DataType dtype() const { return values.dtype(); }
  friend bool operator==(const IndexedSlices&, const IndexedSlices&) = default;
};

}  // namespace millrace
