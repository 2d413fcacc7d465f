// TensorSlice: a box inside a tensor, the unit in which variables that are
// partitioned over parameter servers are saved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"
#include "millrace/tensor/shape.h"

namespace millrace {

// One extent per dimension: the whole of it, or [start, start + length). A
// value type; it fits only shapes of its rank.
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
  // Returns the whole of a tensor of `rank` dimensions.
  static TensorSlice Full(int rank);
  // Returns INVALID_ARGUMENT if a start is negative, a length is neither
  // non-negative nor kFullExtent, or an end is beyond int64.
  static StatusOr<TensorSlice> Make(std::vector<Extent> extents);
  // Parses "0,3:-": start and length of each dimension, or "-" for all of it.
  static StatusOr<TensorSlice> Parse(absl::string_view text);

  int rank() const { return static_cast<int>(extents_.size()); }
  const Extent& extent(int d) const { return extents_[static_cast<size_t>(d)]; }
  // Returns whether every extent is kFullExtent.
  bool IsFull() const;
  // Returns whether the slice is the whole of `shape`, by its sizes or by full
  // extents.
  bool Covers(const TensorShape& shape) const;
  // Returns the shape of the slice of a tensor of `shape`, or INVALID_ARGUMENT
  // if the slice has another rank or exceeds the tensor.
  StatusOr<TensorShape> SliceShape(const TensorShape& shape) const;
  // Returns the text that Parse() reads.
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

// Parses "5 2 0,3:0,2": the full shape, then the slice. Empty text stands for
// the whole tensor and returns nullopt; any other malformed text is
// INVALID_ARGUMENT.
StatusOr<std::optional<ShapeAndSlice>> ParseShapeAndSlice(
    absl::string_view text);

// Convert between a slice of a tensor and the key under which checkpoints store
// it; the latter returns DATA_LOSS if the key is malformed. A plain name is
// never such a key, since keys begin with a zero byte.
std::string SliceKey(absl::string_view tensor_name, const TensorSlice& slice);
Status ParseSliceKey(absl::string_view key, std::string* tensor_name,
                     TensorSlice* slice);
inline bool IsSliceKey(absl::string_view key) {
  return !key.empty() && key[0] == '\0';
}

}  // namespace millrace
