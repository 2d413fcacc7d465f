// Updates of rows or slices on GPUs, in the order that CPUs make them: the
// positions of indices are sorted by what they name, so that one thread makes
// all updates of an element, one after another. Sums are then the same in each
// run, unlike those of atomic additions.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "millrace/device/cuda/launch.h"

namespace millrace::ops {

// For each position of indices a key: what is named there, shifted left by
// `position_bits`, and below it the position. They are sorted; those of places
// that do not exist, of which all bits are set, come last.
struct SortedRows {
  Tensor keys;  // uint64, on the device
  int32_t position_bits = 0;

  int64_t count() const { return keys.num_elements(); }
};

class GpuRowOrder {
 public:
  // Requires: `index_type` is int32 or int64.
  static StatusOr<GpuRowOrder> Make(const KernelInit& init,
                                    DataType index_type);

  // Enqueues the sort of `count` places in a tensor whose leading dimensions
  // are `dims`; `indices` has a coordinate in each of them for each place.
  // Returns UNIMPLEMENTED for more than 8 dimensions, and for numbers of places
  // and of positions that need more than 64 bits together; RESOURCE_EXHAUSTED.
  StatusOr<SortedRows> Sort(KernelContext& ctx, const Tensor& indices,
                            int64_t count,
                            absl::Span<const int64_t> dims) const;
  // Returns for each of `rows` rows the number of keys that come before its
  // own, and last that of all rows: int64, on the device.
  StatusOr<Tensor> Begins(KernelContext& ctx, const SortedRows& sorted,
                          int64_t rows) const;

 private:
  GpuFunction sort_runs_, merge_runs_, begins_;
};

// How blocks of threads share `rows` rows of `elements`: 2^lane_bits threads
// are beside each other in a row, the others of a block in other rows, and
// `blocks_per_row` neighbouring blocks share rows.
struct RowGrid {
  GpuGrid grid;
  int32_t lane_bits = 0;
  int32_t blocks_per_row = 1;
};
RowGrid GridOverRows(int64_t rows, int64_t elements);

// Returns the name in texts of a type of an element's size, for elements that
// are only moved, and for integers that wrap around: "uint8_t" to "uint64_t",
// "complex128" for 16 bytes.
const char* GpuNameOfSize(DataType type);

}  // namespace millrace::ops
