// TensorShape: the sizes of a tensor's dimensions, all known.
// PartialShape: the sizes that are known while a graph is built.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "millrace/base/status.h"

namespace millrace {

inline constexpr int kMaxRank = 254;

using DimVector = absl::InlinedVector<int64_t, 4>;

// A dense, row-major shape. The rank is at most kMaxRank and the number of
// elements fits an int64. Takes 32 bytes: up to four dimensions below 2^31 are
// stored inline.
class TensorShape {
 public:
  TensorShape() = default;  // a scalar
  // Requires: the sizes are valid (our own). Aborts otherwise.
  TensorShape(std::initializer_list<int64_t> dims);
  explicit TensorShape(absl::Span<const int64_t> dims);
  TensorShape(const TensorShape& o);
  TensorShape(TensorShape&& o) noexcept;
  TensorShape& operator=(const TensorShape& o);
  TensorShape& operator=(TensorShape&& o) noexcept;
  ~TensorShape() {
    if (wide_) delete[] dims_.wide;
  }

  // Returns a shape with untrusted sizes; INVALID_ARGUMENT for a negative size,
  // a rank over kMaxRank or a product over int64.
  static StatusOr<TensorShape> Make(absl::Span<const int64_t> dims);

  int rank() const { return rank_; }
  int64_t dim(int i) const { return wide_ ? dims_.wide[i] : dims_.narrow[i]; }
  int64_t num_elements() const { return num_elements_; }
  DimVector dims() const;

  // Returns the product of the dimensions [begin, end).
  int64_t NumElements(int begin, int end) const;

  std::string DebugString() const;  // "[2,3]"

  friend bool operator==(const TensorShape& a, const TensorShape& b);

 private:
  friend class Tensor;
  void Assign(absl::Span<const int64_t> dims, int64_t num_elements);

  union {
    int32_t narrow[4];
    int64_t* wide;
  } dims_ = {};
  int64_t num_elements_ = 1;
  uint8_t rank_ = 0;
  bool wide_ = false;
  // Spare bytes that Tensor uses: its dtype, and where its elements are.
  uint8_t tensor_dtype_ = 0;
  uint8_t tensor_place_ = 0;
};

inline constexpr int64_t kUnknownDim = -1;

// A rank that may be unknown, and sizes that may be unknown (kUnknownDim).
class PartialShape {
 public:
  PartialShape() = default;  // unknown rank
  PartialShape(std::initializer_list<int64_t> dims)
      : known_rank_(true), dims_(dims) {}
  explicit PartialShape(absl::Span<const int64_t> dims)
      : known_rank_(true), dims_(dims.begin(), dims.end()) {}
  PartialShape(const TensorShape& s)  // NOLINT: every known shape is one
      : known_rank_(true), dims_(s.dims()) {}
  static PartialShape UnknownOfRank(int rank);
  // Returns a shape with untrusted sizes, where -1 means unknown;
  // INVALID_ARGUMENT for other negative sizes, a rank over kMaxRank or an
  // overflowing product.
  static StatusOr<PartialShape> Make(absl::Span<const int64_t> dims);

  bool known_rank() const { return known_rank_; }
  int rank() const { return known_rank_ ? static_cast<int>(dims_.size()) : -1; }
  int64_t dim(int i) const { return known_rank_ ? dims_[i] : kUnknownDim; }
  void set_dim(int i, int64_t size) { dims_[i] = size; }
  absl::Span<const int64_t> dims() const& { return dims_; }
  // Returns the sizes themselves, since a span would not outlive a temporary.
  DimVector dims() && { return std::move(dims_); }

  bool IsFullyDefined() const;
  // Returns the number of elements, or kUnknownDim.
  int64_t num_elements() const;
  StatusOr<TensorShape> AsTensorShape() const;
  // Returns true if no two known sizes contradict each other.
  bool IsCompatibleWith(const PartialShape& o) const;
  // Returns the union of the known sizes of both; INVALID_ARGUMENT if they
  // contradict each other.
  StatusOr<PartialShape> Merge(const PartialShape& o) const;
  PartialShape Concatenate(const PartialShape& o) const;

  std::string DebugString() const;  // "[2,?]", "<unknown>"

  friend bool operator==(const PartialShape& a, const PartialShape& b) {
    return a.known_rank_ == b.known_rank_ && a.dims_ == b.dims_;
  }

 private:
  bool known_rank_ = false;
  DimVector dims_;
};

}  // namespace millrace
