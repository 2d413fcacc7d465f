// The entries of a sparse tensor among a kernel's inputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Views the inputs, which must outlive it. Coordinates are not checked: they
// may be out of the bounds `dims`, which may not be a valid shape.
struct SparseEntries {
  const int64_t* coordinates = nullptr;  // [count, rank]
  int64_t count = 0;
  int rank = 0;
  const Tensor* values = nullptr;  // [count]
  absl::Span<const int64_t> dims;  // [rank]

  const int64_t* at(int64_t i) const { return coordinates + i * rank; }
  // Returns INVALID_ARGUMENT "indices[3] = [7,0] is out of bounds: need 0 <=
  // index < [5,2]" for the first entry that is out of bounds.
  Status CheckInside() const;
};

// Returns the entries if the three inputs fit each other, else INVALID_ARGUMENT
// "Input indices should be a matrix but received shape [2]" or the like.
StatusOr<SparseEntries> ReadEntries(const Tensor& indices, const Tensor& values,
                                    const Tensor& shape);
// Does the same for inputs first, first + 1 and first + 2.
StatusOr<SparseEntries> ReadEntries(KernelContext& ctx, int first = 0);

// Returns INVALID_ARGUMENT "Sparse indices must be rank 2 but is rank 1",
// "Number of elements in indices (1) and values (2) do not match" or the like
// unless inputs first to first + 2 fit each other, for ops that say it so.
Status CheckParts(KernelContext& ctx, int first = 0);

// Returns the error "indices[3] = [7,0] is out of bounds: need 0 <= index <
// [5,2]".
Status OutOfBounds(int64_t entry, absl::Span<const int64_t> coordinates,
                   absl::Span<const int64_t> dims);

// Returns -1, 0 or 1 by the first of `n` coordinates that differs.
int CompareCoordinates(const int64_t* a, const int64_t* b, int n);

// Checks that every entry is in bounds and follows the previous one in
// row-major order. Returns INVALID_ARGUMENT "indices[1] = [0,1] is repeated" or
// "... is out of order ..." otherwise.
Status CheckOrder(const SparseEntries& entries);

// Returns the order of the entries sorted by coordinates along `axes`, the
// first of which is the most significant; the sort is stable.
std::vector<int64_t> OrderBy(const SparseEntries& entries,
                             absl::Span<const int> axes);
// Returns the order by all axes: row-major.
std::vector<int64_t> RowMajorOrder(const SparseEntries& entries);

// Sets dst[i] = src[order[i]] for elements of any type.
Status GatherValues(const Tensor& src, absl::Span<const int64_t> order,
                    Tensor* dst);
// Does the same for rows of `rank` coordinates.
void GatherCoordinates(const SparseEntries& entries,
                       absl::Span<const int64_t> order, int64_t* dst);

// Allocates the two outputs for `count` entries of `rank` coordinates.
struct EntriesOutput {
  int64_t* coordinates = nullptr;
  Tensor* values = nullptr;
};
StatusOr<EntriesOutput> AllocateEntries(KernelContext& ctx, int indices_output,
                                        int values_output, int64_t count,
                                        int64_t rank);
// Sets an output to a vector of int64.
Status SetVector(KernelContext& ctx, int output,
                 absl::Span<const int64_t> values);

}  // namespace millrace::ops
