#include "millrace/tensor/shape.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "absl/strings/str_join.h"
#include "millrace/base/check.h"

namespace millrace {
namespace {

// Returns the product of `dims`, or -1 if it overflows. As in stock TensorFlow,
// a zero size counts as zero only after the others were multiplied.
int64_t CheckedProduct(absl::Span<const int64_t> dims) {
  int64_t product = 1;
  bool zero = false;
  for (int64_t d : dims) {
    if (d == 0) {
      zero = true;
    } else if (__builtin_mul_overflow(product, d, &product)) {
      return -1;
    }
  }
  return zero ? 0 : product;
}

Status CheckRank(size_t rank) {
  if (rank > kMaxRank) {
    return InvalidArgument("Too many dimensions in tensor shape: ", rank,
                           "; at most ", kMaxRank, " are allowed");
  }
  return OkStatus();
}

std::string DimsText(absl::Span<const int64_t> dims) {
  return absl::StrCat("[",
                      absl::StrJoin(dims, ",",
                                    [](std::string* out, int64_t d) {
                                      if (d < 0) {
                                        absl::StrAppend(out, "?");
                                      } else {
                                        absl::StrAppend(out, d);
                                      }
                                    }),
                      "]");
}

}  // namespace

TensorShape::TensorShape(std::initializer_list<int64_t> dims)
    : TensorShape(absl::MakeConstSpan(dims.begin(), dims.size())) {}

TensorShape::TensorShape(absl::Span<const int64_t> dims) {
  StatusOr<TensorShape> made = Make(dims);
  // Not the end of the process: kernels run where exceptions are errors.
  if (!made.ok()) throw std::length_error(std::string(made.status().message()));
  *this = *std::move(made);
}

TensorShape::TensorShape(const TensorShape& o) { *this = o; }

TensorShape::TensorShape(TensorShape&& o) noexcept { *this = std::move(o); }

TensorShape& TensorShape::operator=(const TensorShape& o) {
  if (this == &o) return *this;
  if (wide_) delete[] dims_.wide;
  rank_ = o.rank_;
  num_elements_ = o.num_elements_;
  wide_ = o.wide_;
  if (wide_) {
    dims_.wide = new int64_t[rank_];
    std::copy_n(o.dims_.wide, rank_, dims_.wide);
  } else {
    dims_ = o.dims_;
  }
  return *this;
}

TensorShape& TensorShape::operator=(TensorShape&& o) noexcept {
  if (this == &o) return *this;
  if (wide_) delete[] dims_.wide;
  rank_ = o.rank_;
  num_elements_ = o.num_elements_;
  wide_ = o.wide_;
  dims_ = o.dims_;
  o.wide_ = false;
  o.rank_ = 0;
  o.num_elements_ = 1;
  return *this;
}

StatusOr<TensorShape> TensorShape::Make(absl::Span<const int64_t> dims) {
  MR_RETURN_IF_ERROR(CheckRank(dims.size()));
  for (int64_t d : dims) {
    if (d < 0) {
      return InvalidArgument("Dimension ", d, " must be >= 0 in shape ",
                             absl::StrCat("[", absl::StrJoin(dims, ","), "]"));
    }
  }
  const int64_t n = CheckedProduct(dims);
  if (n < 0) {
    return InvalidArgument("Shape [", absl::StrJoin(dims, ","),
                           "] would have more than 2**63 - 1 elements");
  }
  TensorShape s;
  s.Assign(dims, n);
  return s;
}

void TensorShape::Assign(absl::Span<const int64_t> dims, int64_t n) {
  rank_ = static_cast<uint8_t>(dims.size());
  num_elements_ = n;
  wide_ =
      dims.size() > 4 || std::any_of(dims.begin(), dims.end(), [](int64_t d) {
        return d > std::numeric_limits<int32_t>::max();
      });
  if (wide_) {
    dims_.wide = new int64_t[dims.size()];
    std::copy(dims.begin(), dims.end(), dims_.wide);
  } else {
    for (size_t i = 0; i < dims.size(); ++i) {
      dims_.narrow[i] = static_cast<int32_t>(dims[i]);
    }
  }
}

DimVector TensorShape::dims() const {
  DimVector v(rank_);
  for (int i = 0; i < rank_; ++i) v[i] = dim(i);
  return v;
}

int64_t TensorShape::NumElements(int begin, int end) const {
  int64_t n = 1;
  for (int i = begin; i < end; ++i) n *= dim(i);
  return n;
}

std::string TensorShape::DebugString() const { return DimsText(dims()); }

bool operator==(const TensorShape& a, const TensorShape& b) {
  if (a.rank() != b.rank() || a.num_elements() != b.num_elements())
    return false;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) != b.dim(i)) return false;
  }
  return true;
}

PartialShape PartialShape::UnknownOfRank(int rank) {
  PartialShape s;
  s.known_rank_ = true;
  s.dims_.assign(rank, kUnknownDim);
  return s;
}

StatusOr<PartialShape> PartialShape::Make(absl::Span<const int64_t> dims) {
  MR_RETURN_IF_ERROR(CheckRank(dims.size()));
  DimVector known;
  for (int64_t d : dims) {
    if (d < -1) {
      return InvalidArgument("Dimension ", d,
                             " must be >= -1 (-1 for unknown) in shape [",
                             absl::StrJoin(dims, ","), "]");
    }
    if (d >= 0) known.push_back(d);
  }
  if (CheckedProduct(known) < 0) {
    return InvalidArgument(
        "Encountered overflow when multiplying the sizes of shape [",
        absl::StrJoin(dims, ","), "]");
  }
  return PartialShape(dims);
}

bool PartialShape::IsFullyDefined() const {
  return known_rank_ && std::all_of(dims_.begin(), dims_.end(),
                                    [](int64_t d) { return d >= 0; });
}

int64_t PartialShape::num_elements() const {
  return IsFullyDefined() ? CheckedProduct(dims_) : kUnknownDim;
}

StatusOr<TensorShape> PartialShape::AsTensorShape() const {
  if (!IsFullyDefined()) {
    return InvalidArgument("Shape ", DebugString(), " is not fully defined");
  }
  return TensorShape::Make(dims_);
}

bool PartialShape::IsCompatibleWith(const PartialShape& o) const {
  if (!known_rank_ || !o.known_rank_) return true;
  if (dims_.size() != o.dims_.size()) return false;
  for (size_t i = 0; i < dims_.size(); ++i) {
    if (dims_[i] >= 0 && o.dims_[i] >= 0 && dims_[i] != o.dims_[i])
      return false;
  }
  return true;
}

StatusOr<PartialShape> PartialShape::Merge(const PartialShape& o) const {
  if (!known_rank_) return o;
  if (!o.known_rank_) return *this;
  if (rank() != o.rank()) {
    return InvalidArgument(
        "PartialTensorShape: Incompatible ranks during merge: ", rank(),
        " vs. ", o.rank(), ", of the shapes ", DebugString(), " and ",
        o.DebugString());
  }
  if (!IsCompatibleWith(o)) {
    return InvalidArgument(
        "PartialTensorShape: Incompatible shapes during merge: ", DebugString(),
        " vs. ", o.DebugString());
  }
  PartialShape merged = *this;
  for (size_t i = 0; i < dims_.size(); ++i) {
    if (merged.dims_[i] < 0) merged.dims_[i] = o.dims_[i];
  }
  return merged;
}

PartialShape PartialShape::Concatenate(const PartialShape& o) const {
  if (!known_rank_ || !o.known_rank_) return PartialShape();
  PartialShape s = *this;
  s.dims_.insert(s.dims_.end(), o.dims_.begin(), o.dims_.end());
  return s;
}

std::string PartialShape::DebugString() const {
  return known_rank_ ? DimsText(dims_) : "<unknown>";
}

}  // namespace millrace
