// SaveSlice: the part of a larger tensor that a variable holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace millrace {

// The parts of a partitioned variable are saved as slices of one tensor, so
// that another number of parts can be restored from it. All vectors have one
// entry per dimension.
struct SaveSlice {
  std::string full_name;  // of the tensor in the checkpoint
  std::vector<int64_t> full_shape;
  std::vector<int64_t> offset;  // of the part
  std::vector<int64_t> shape;   // of the part

  // Returns the form of SaveV2's and RestoreV2's `shape_and_slices`: "5 2
  // 0,3:0,2".
  std::string Spec() const;

  friend bool operator==(const SaveSlice&, const SaveSlice&) = default;
};

}  // namespace millrace
