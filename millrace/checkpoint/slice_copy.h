// Boxes of tensors: selects the stored slices that make up a wanted one, and
// copies the intersection of two slices.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "millrace/base/status.h"
#include "millrace/checkpoint/tensor_slice.h"
#include "millrace/tensor/shape.h"

namespace millrace {

// A slice with all extents given as numbers.
struct Box {
  DimVector start;
  DimVector length;

  int64_t num_elements() const;
  bool empty() const { return num_elements() == 0; }
};

// Returns the box of a slice. Requires: the slice fits `shape`
// (TensorSlice::SliceShape), as must the boxes below, so that no product of
// sizes overflows.
Box BoxOf(const TensorSlice& slice, const TensorShape& shape);
Box Intersect(const Box& a, const Box& b);

// Returns the indices of boxes of `stored` that together cover `wanted` exactly
// once; the one that equals it alone, if there is one. Else returns DATA_LOSS
// if they have too many elements, NOT_FOUND if too few, and DATA_LOSS if some
// element is in two. Takes time in proportion to the number of boxes.
StatusOr<std::vector<size_t>> SelectCover(absl::Span<const Box> stored,
                                          const Box& wanted);

// Iterates over the intersection of `from` and `to`, as runs of elements that
// are contiguous in both, in ascending order of both.
class BoxRuns {
 public:
  struct Run {
    int64_t from = 0;  // index of the first element in `from`, row-major
    int64_t to = 0;    // and in `to`
    int64_t count = 0;
  };

  BoxRuns(const Box& from, const Box& to);
  // Returns false after the last run.
  bool Next(Run* run);

 private:
  DimVector from_stride_;  // of the outer dimensions, in elements
  DimVector to_stride_;
  DimVector size_;  // of the outer dimensions of the shared box
  DimVector index_;
  int64_t from_base_ = 0;
  int64_t to_base_ = 0;
  int64_t count_ = 0;  // elements per run
  bool more_ = true;
};

}  // namespace millrace
