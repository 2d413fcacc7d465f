// TensorSlice: a box inside a tensor, as variables that are split over
// parameter servers are saved by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"
#include "millrace/tensor/shape.h"

namespace millrace {

// One extent a dimension: the whole of it, or [start, start + length). A
// value; it fits shapes of its rank only.
class TensorSlice {
 public:
  static constexpr int64_t kFullExtent = -1;

  struct Extent {
    int64_t start = 0;
    int64_t length = kFullExtent;  // kFullExtent: all, and start is 0

    bool full() const { return length == kFullExtent; }
    friend bool operator==(const Extent&, const Extent&) = default;
  };

  TensorSlice() = default;  // of a scalar
  // All of a tensor of `rank` dimensions.
  static TensorSlice Full(int rank);
  // INVALID_ARGUMENT on a negative start, on a length that is neither
  // non-negative nor kFullExtent, or on an end over int64.
  static StatusOr<TensorSlice> Make(std::vector<Extent> extents);
  // "0,3:-" - start and length of each dimension, or "-" for all of it.
  static StatusOr<TensorSlice> Parse(absl::string_view text);

  int rank() const { return static_cast<int>(extents_.size()); }
  const Extent& extent(int d) const { return extents_[static_cast<size_t>(d)]; }
  // Every dimension whole.
  bool IsFull() const;
  // The whole of `shape`, by its sizes or by full extents.
  bool Covers(const TensorShape& shape) const;
  // The shape of the slice of a tensor of `shape`, or INVALID_ARGUMENT if the
  // slice has another rank or leaves the tensor.
  StatusOr<TensorShape> SliceShape(const TensorShape& shape) const;
  // What Parse() reads.
  std::string DebugString() const;

  friend bool operator==(const TensorSlice&, const TensorSlice&) = default;

 private:
  std::vector<Extent> extents_;
};

// The form of SaveV2's and RestoreV2's `shape_and_slices`.
struct ShapeAndSlice {
  TensorShape full_shape;
  TensorSlice slice;
  TensorShape slice_shape;
};

// "5 2 0,3:0,2": the full shape, then the slice. Empty text (the whole tensor)
// gives nothing; anything else that does not fit is INVALID_ARGUMENT.
StatusOr<std::optional<ShapeAndSlice>> ParseShapeAndSlice(
    absl::string_view text);

// The key under which checkpoints store the slice of a tensor, and back; the
// latter is DATA_LOSS for anything else. No plain name is such a key, as they
// begin with a zero byte.
std::string SliceKey(absl::string_view tensor_name, const TensorSlice& slice);
Status ParseSliceKey(absl::string_view key, std::string* tensor_name,
                     TensorSlice* slice);
inline bool IsSliceKey(absl::string_view key) {
  return !key.empty() && key[0] == '\0';
}

}  // namespace millrace
