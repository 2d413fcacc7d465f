// The entries of a sparse tensor among a kernel's inputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "millrace/base/memory/counted_vector.h"
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

// How an op's errors tell of parts of another rank than they should have.
enum class PartWords {
  kInput,    // "Input indices should be a matrix but received shape [2]"
  kTensor,   // "vals must be a vec, but got: [1,2]"
  kOperand,  // "Input sp_indices should be a matrix but received shape: [2]"
  kSparse,   // "Sparse indices must be rank 2 but is rank 1"
};
// How they tell of numbers of rows or columns that differ.
enum class SizeWords {
  kTensor,      // "indices and values rows (indexing dimension) must match"
  kOperand,     // "The first dimension of values and indices should match"
  kBatch,       // "Number of values must match first dimension of indices"
  kSerialized,  // "Expected row counts of SparseTensor[0].indices and ..."
  kSparse,      // "Number of elements in indices (1) and values (2) do not ..."
};
struct SparseWords {
  PartWords parts = PartWords::kInput;
  SizeWords sizes = SizeWords::kTensor;
};
// The words of ops that make a SparseTensor of their inputs, and of those that
// validate one.
inline constexpr SparseWords kTensorWords = {PartWords::kTensor,
                                             SizeWords::kTensor};
inline constexpr SparseWords kSparseWords = {PartWords::kSparse,
                                             SizeWords::kSparse};

// Returns INVALID_ARGUMENT, in these words, unless the three fit each other.
Status CheckParts(const Tensor& indices, const Tensor& values,
                  const Tensor& shape, SparseWords words);
// Does the same, and refuses shapes of more than kMaxRank dimensions. Reads no
// elements.
Status CheckSparseParts(const Tensor& indices, const Tensor& values,
                        const Tensor& shape, SparseWords words);

// Returns the entries if inputs first, first + 1 and first + 2 fit each other,
// else an error in these words.
StatusOr<SparseEntries> ReadEntries(KernelContext& ctx, int first = 0,
                                    SparseWords words = {});
// Does the same for three tensors.
StatusOr<SparseEntries> ReadEntries(const Tensor& indices, const Tensor& values,
                                    const Tensor& shape,
                                    SparseWords words = {});

// Returns the shape of these dimensions, or INVALID_ARGUMENT "Expected shape
// dimensions to be non-negative, got -1" or "Encountered overflow when
// multiplying 3 with 9223372036854775807".
StatusOr<TensorShape> DenseShape(absl::Span<const int64_t> dims);
// Returns INVALID_ARGUMENT "Sparse index tuple indices[3, :] = [7, 0] is out of
// bounds" for the first entry that is out of bounds.
Status CheckTuples(const SparseEntries& entries);

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
CountedVector<int64_t> OrderBy(const SparseEntries& entries,
                               absl::Span<const int> axes);
// Returns the order by all axes: row-major.
CountedVector<int64_t> RowMajorOrder(const SparseEntries& entries);

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
