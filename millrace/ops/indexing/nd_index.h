// Rows of coordinates that name slices of a tensor: GatherNd, ScatterNd and
// the ops that scatter into variables.
#pragma once

#include <cstdint>
#include <string>

#include "millrace/graph/attr/attr_value.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// What to do about coordinates outside.
enum class BadIndices { kError, kIgnore };
// The attribute bad_indices_policy: "", DEFAULT and ERROR, or IGNORE.
StatusOr<BadIndices> BadIndicesPolicy(const AttrMap& attrs);

// Reads `indices`, whose last dimension holds the first coordinates of a place
// in `shape`.
class NdIndex {
 public:
  // `shape` has at least as many dimensions as a row has coordinates.
  NdIndex(const Tensor& indices, const TensorShape& shape);

  int64_t rows() const { return rows_; }
  int depth() const { return static_cast<int>(strides_.size()); }
  // Elements of the slice that a row names.
  int64_t slice() const { return slice_; }
  // First element of the slice of row r, or -1 if it lies outside.
  int64_t Offset(int64_t r) const;
  // "[2, 0]"
  std::string RowText(int64_t r) const;
  // "[1]": which row of `indices`, for messages.
  std::string PlaceOfRow(int64_t r) const;

 private:
  const Tensor& indices_;
  int64_t rows_ = 0;
  int64_t slice_ = 0;
  DimVector dims_, strides_;
};

}  // namespace millrace::ops
