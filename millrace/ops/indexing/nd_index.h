// Rows of coordinates that select slices of a tensor: for GatherNd, ScatterNd
// and the ops that scatter into variables.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "millrace/graph/attr/attr_value.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// The treatment of coordinates out of range.
enum class BadIndices { kError, kIgnore };
// Reads the attribute bad_indices_policy: "", DEFAULT and ERROR, or IGNORE.
StatusOr<BadIndices> BadIndicesPolicy(const AttrMap& attrs);

// Reads `indices`, whose last dimension holds the leading coordinates of a
// slice in `shape`.
class NdIndex {
 public:
  // Requires: `shape` has at least as many dimensions as a row has coordinates.
  // `indices` must outlive this.
  NdIndex(const Tensor& indices, const TensorShape& shape);

  int64_t rows() const { return rows_; }
  int depth() const { return static_cast<int>(strides_.size()); }
  // Returns the number of elements in the slice that a row selects.
  int64_t slice() const { return slice_; }
  // Returns the first element of the slice of row r, or -1 if it is out of
  // range.
  int64_t Offset(int64_t r) const;
  // Sets offsets[i] to Offset(first + i), for i < n.
  void Offsets(int64_t first, int64_t n, int64_t* offsets) const;
  // Calls f(r, Offset(r)) for the rows [begin, end).
  template <class F>
  void ForEach(int64_t begin, int64_t end, F f) const {
    constexpr int64_t kBlock = 128;
    int64_t offsets[kBlock];
    for (int64_t r = begin; r < end; r += kBlock) {
      const int64_t n = std::min(kBlock, end - r);
      Offsets(r, n, offsets);
      for (int64_t i = 0; i < n; ++i) f(r + i, offsets[i]);
    }
  }
  // Returns the last row that is out of range, or -1.
  int64_t LastOutside() const;
  // Returns the coordinates in row r for messages, such as "[2, 0]".
  std::string RowText(int64_t r) const;
  // Returns the position of row r in `indices` for messages, such as "[1]".
  std::string PlaceOfRow(int64_t r) const;

 private:
  const Tensor& indices_;
  int64_t rows_ = 0;
  int64_t slice_ = 0;
  DimVector dims_, strides_;
};

// Returns the shape of the slices of `params` that `indices` select;
// INVALID_ARGUMENT if there are none.
StatusOr<TensorShape> GatherNdShape(const TensorShape& params,
                                    const TensorShape& indices);

// Checks that `updates` has a slice of a tensor of `shape` for each row of
// `indices`. Returns INVALID_ARGUMENT "Dimensions [0,1) of indices[shape=[3,1]]
// must match dimensions [0,1) of updates[shape=[2]]" or the like. Requires:
// `indices` is no scalar.
Status CheckSlices(const Tensor& indices, const Tensor& updates,
                   const TensorShape& shape);
// Does the same for what is scattered into a tensor or a variable, which is no
// scalar and has elements where there are updates. Sets `rows` to the indices;
// a vector has a row of one coordinate in each element.
Status CheckScatter(const Tensor& indices, const Tensor& updates,
                    const TensorShape& shape, Tensor* rows);
// Returns the shape of the result of ScatterNd, which is what `sizes` holds, in
// host memory, if indices and updates fit it.
StatusOr<TensorShape> ScatterNdShape(const Tensor& indices,
                                     const Tensor& updates,
                                     const Tensor& sizes);
// Checks the shapes of TensorScatterAdd and its like, with their messages.
Status CheckTensorScatter(const Tensor& indices, const Tensor& updates,
                          const TensorShape& shape);
// Returns whether `shape`, indices and updates all have elements, or no updates
// are made at all.
bool HasPlacesForUpdates(const Tensor& indices, const Tensor& updates,
                         const TensorShape& shape);
// Returns INVALID_ARGUMENT "indices[1] = [4] does not index into shape [4,3]".
Status OutsideOf(const TensorShape& shape, const NdIndex& index, int64_t row);

}  // namespace millrace::ops
