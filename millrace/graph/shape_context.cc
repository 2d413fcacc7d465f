#include "millrace/graph/shape_context.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace millrace {
namespace {

std::string ShapeText(const PartialShape& s) { return s.DebugString(); }

// Returns the elements of an int32 or int64 tensor.
std::vector<int64_t> IntValues(const Tensor& t) {
  if (t.dtype() == DataType::kInt32) {
    const auto v = t.flat<int32_t>();
    return {v.begin(), v.end()};
  }
  const auto v = t.flat<int64_t>();
  return {v.begin(), v.end()};
}

bool IsIndexType(DataType t) {
  return t == DataType::kInt32 || t == DataType::kInt64;
}

Status CheckSizes(absl::Span<const int64_t> sizes) {
  for (int64_t d : sizes) {
    if (d < kUnknownDim)
      return InvalidArgument("Invalid value in tensor used for shape: ", d);
  }
  return OkStatus();
}

// Converts a position that may count from the end to one from the front.
int FromFront(int d, int rank) { return d < 0 ? d + rank : d; }

}  // namespace

StatusOr<PartialShape> ShapeContext::WithRank(int i, int rank) const {
  return WithRank(input(i), rank);
}
StatusOr<PartialShape> ShapeContext::WithRankAtLeast(int i, int rank) const {
  return WithRankAtLeast(input(i), rank);
}
StatusOr<PartialShape> ShapeContext::WithRankAtMost(int i, int rank) const {
  return WithRankAtMost(input(i), rank);
}

StatusOr<PartialShape> ShapeContext::WithRank(const PartialShape& s, int rank) {
  if (!s.known_rank()) return PartialShape::UnknownOfRank(rank);
  if (s.rank() != rank) {
    return InvalidArgument("Shape must be rank ", rank, " but is rank ",
                           s.rank());
  }
  return s;
}

StatusOr<PartialShape> ShapeContext::WithRankAtLeast(const PartialShape& s,
                                                     int rank) {
  if (s.known_rank() && s.rank() < rank) {
    return InvalidArgument("Shape must be at least rank ", rank,
                           " but is rank ", s.rank());
  }
  return s;
}

StatusOr<PartialShape> ShapeContext::WithRankAtMost(const PartialShape& s,
                                                    int rank) {
  if (s.known_rank() && s.rank() > rank) {
    return InvalidArgument("Shape must be at most rank ", rank, " but is rank ",
                           s.rank());
  }
  return s;
}

StatusOr<int64_t> ShapeContext::MergeDims(int64_t a, int64_t b) {
  if (a < 0) return b;
  if (b >= 0 && a != b) {
    return InvalidArgument("Dimensions must be equal, but are ", a, " and ", b);
  }
  return a;
}

StatusOr<PartialShape> ShapeContext::MergeShapes(const PartialShape& a,
                                                 const PartialShape& b) {
  if (!a.known_rank()) return b;
  if (!b.known_rank()) return a;
  if (a.rank() != b.rank()) {
    return InvalidArgument("Shapes must be equal rank, but are ", a.rank(),
                           " and ", b.rank());
  }
  PartialShape merged = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) >= 0 && b.dim(i) >= 0 && a.dim(i) != b.dim(i)) {
      return InvalidArgument("Dimension ", i,
                             " in both shapes must be equal, but are ",
                             a.dim(i), " and ", b.dim(i), ". Shapes are ",
                             ShapeText(a), " and ", ShapeText(b), ".");
    }
    if (a.dim(i) < 0) merged.set_dim(i, b.dim(i));
  }
  return merged;
}

StatusOr<int64_t> ShapeContext::WithValue(int64_t dim, int64_t value) {
  if (dim >= 0 && dim != value) {
    return InvalidArgument("Dimension must be ", value, " but is ", dim);
  }
  return value;
}

int64_t ShapeContext::Dim(const PartialShape& s, int d) {
  d = FromFront(d, s.rank());
  return s.known_rank() && d >= 0 && d < s.rank() ? s.dim(d) : kUnknownDim;
}

StatusOr<PartialShape> ShapeContext::Subshape(const PartialShape& s, int begin,
                                              int end) {
  if (!s.known_rank()) return PartialShape();
  const int from = FromFront(begin, s.rank());
  const int to = std::min(FromFront(end, s.rank()), s.rank());
  if (from < 0 || to < 0 || from > to) {
    return InvalidArgument(
        "Subshape must have computed 0 <= start <= end, but is ", from, " and ",
        to, " (computed from start ", begin, " and end ", end,
        " over shape with rank ", s.rank(), ")");
  }
  return PartialShape(s.dims().subspan(static_cast<size_t>(from),
                                       static_cast<size_t>(to - from)));
}

StatusOr<PartialShape> ShapeContext::ReplaceDim(const PartialShape& s, int d,
                                                int64_t size) {
  if (!s.known_rank()) return PartialShape();
  const int at = FromFront(d, s.rank());
  if (at < 0 || at >= s.rank()) {
    return InvalidArgument("Out of range dim_index ", d, " for shape with ",
                           s.rank(), " dimensions");
  }
  PartialShape out = s;
  out.set_dim(at, size);
  return out;
}

StatusOr<int64_t> ShapeContext::AddDims(int64_t a, int64_t b) {
  if (a < 0 || b < 0) return kUnknownDim;
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) {
    return InvalidArgument("Dimension size overflow from adding ", a, " and ",
                           b);
  }
  return sum;
}

StatusOr<int64_t> ShapeContext::SubtractDims(int64_t a, int64_t b) {
  if (a < 0 || b < 0) return kUnknownDim;
  if (a < b) {
    return InvalidArgument("Negative dimension size caused by subtracting ", b,
                           " from ", a);
  }
  return a - b;
}

StatusOr<int64_t> ShapeContext::MultiplyDims(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (a < 0 || b < 0) return kUnknownDim;
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) {
    return InvalidArgument(
        "Negative dimension size caused by overflow when multiplying ", a,
        " and ", b);
  }
  return product;
}

StatusOr<int64_t> ShapeContext::DivideDims(int64_t a, int64_t b) {
  if (b == 0) return InvalidArgument("Divisor must be positive but is 0");
  if (b == 1) return a;
  if (a < 0 || b < 0) return kUnknownDim;
  if (a % b != 0) {
    return InvalidArgument("Dimension size must be evenly divisible by ", b,
                           " but is ", a);
  }
  return a / b;
}

StatusOr<PartialShape> ShapeContext::ShapeFromInput(int i) const {
  MR_ASSIGN_OR_RETURN(PartialShape sizes, SizesFromInput(i));
  if (!sizes.known_rank()) return sizes;
  return PartialShape::Make(sizes.dims());
}

StatusOr<PartialShape> ShapeContext::SizesFromInput(int i) const {
  MR_RETURN_IF_ERROR(WithRankAtMost(i, 1).status());
  if (const Tensor* value = input_value(i)) {
    if (!IsIndexType(value->dtype())) {
      return InvalidArgument("Shape tensor must be int32 or int64, but was ",
                             DataTypeName(value->dtype()));
    }
    const std::vector<int64_t> sizes = IntValues(*value);
    if (value->rank() == 0) {
      if (sizes[0] == -1)
        return PartialShape();  // the way to write an unknown rank
      return InvalidArgument(
          "Shape must be rank 1 but is rank 0; a scalar must be -1, but is ",
          sizes[0]);
    }
    MR_RETURN_IF_ERROR(CheckSizes(sizes));
    return PartialShape(sizes);
  }
  PartialShape known;
  if (i < num_inputs() && partial_(i, &known)) {
    MR_RETURN_IF_ERROR(CheckSizes(known.dims()));
    return known;
  }
  const PartialShape& s = input(i);
  if (s.rank() != 1 || s.dim(0) < 0) return PartialShape();
  if (s.dim(0) > kMaxRank) {
    return InvalidArgument("Shape must be at most rank ", kMaxRank,
                           " but is rank ", s.dim(0));
  }
  return PartialShape::UnknownOfRank(static_cast<int>(s.dim(0)));
}

StatusOr<int64_t> ShapeContext::DimFromInput(int i) const {
  int64_t size = kUnknownDim;
  if (const Tensor* value = input_value(i)) {
    if (value->rank() != 0) {
      return InvalidArgument("Input must be scalar but has rank ",
                             value->rank());
    }
    if (!IsIndexType(value->dtype())) {
      return InvalidArgument(
          "Scalar input for dim size must be int32 or int64");
    }
    size = IntValues(*value)[0];
    if (size < 0) {
      return InvalidArgument("Dimension size, given by scalar input ", i,
                             ", must be non-negative but is ", size);
    }
  } else if (input(i).known_rank() && input(i).rank() != 0) {
    return InvalidArgument("Input must be scalar but has rank ",
                           input(i).rank());
  }
  return size;
}

}  // namespace millrace
