#include "millrace/checkpoint/tensor_slice.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "millrace/checkpoint/v1/ordered_code.h"

namespace millrace {

TensorSlice TensorSlice::Full(int rank) {
  TensorSlice slice;
  slice.extents_.resize(static_cast<size_t>(rank));
  return slice;
}

StatusOr<TensorSlice> TensorSlice::Make(std::vector<Extent> extents) {
  for (const Extent& e : extents) {
    int64_t end = 0;
    if (e.full() ? e.start != 0
                 : e.start < 0 || e.length < 0 ||
                       __builtin_add_overflow(e.start, e.length, &end)) {
      return InvalidArgument(
          "Expected non-negative start and length of a tensor slice, with an "
          "end below 2^63, but "
          "got start = ",
          e.start, ", length = ", e.length);
    }
  }
  TensorSlice slice;
  slice.extents_ = std::move(extents);
  return slice;
}

StatusOr<TensorSlice> TensorSlice::Parse(absl::string_view text) {
  std::vector<Extent> extents;
  if (text.empty()) return TensorSlice();
  for (absl::string_view item : absl::StrSplit(text, ':')) {
    Extent e;
    if (item != "-") {
      const std::vector<absl::string_view> pair = absl::StrSplit(item, ',');
      if (pair.size() != 2 || !absl::SimpleAtoi(pair[0], &e.start) ||
          !absl::SimpleAtoi(pair[1], &e.length)) {
        return InvalidArgument("Expected a pair of numbers or '-' but got '",
                               item, "': string = ", text);
      }
      if (e.start < 0 || e.length <= 0) {
        return InvalidArgument(
            "Expected non-negative start and positive length but got start = ",
            e.start, ", length = ", e.length, ": string = ", text);
      }
    }
    extents.push_back(e);
  }
  return Make(std::move(extents));
}

bool TensorSlice::IsFull() const {
  return std::all_of(extents_.begin(), extents_.end(),
                     [](const Extent& e) { return e.full(); });
}

bool TensorSlice::Covers(const TensorShape& shape) const {
  if (rank() != shape.rank()) return false;
  for (int d = 0; d < rank(); ++d) {
    if (!extent(d).full() && extent(d) != Extent{0, shape.dim(d)}) return false;
  }
  return true;
}

StatusOr<TensorShape> TensorSlice::SliceShape(const TensorShape& shape) const {
  if (rank() != shape.rank()) {
    return InvalidArgument("Mismatching ranks: shape = ", shape.DebugString(),
                           ", slice = ", DebugString());
  }
  DimVector dims;
  for (int d = 0; d < rank(); ++d) {
    const Extent& e = extent(d);
    if (e.full()) {
      dims.push_back(shape.dim(d));
    } else if (e.start > shape.dim(d) || e.length > shape.dim(d) - e.start) {
      return InvalidArgument("Extent in dimension ", d,
                             " out of bounds: shape = ", shape.DebugString(),
                             ", slice = ", DebugString());
    } else {
      dims.push_back(e.length);
    }
  }
  return TensorShape::Make(dims);
}

std::string TensorSlice::DebugString() const {
  std::string text;
  for (const Extent& e : extents_) {
    if (!text.empty()) text.push_back(':');
    if (e.full()) {
      text.push_back('-');
    } else {
      absl::StrAppend(&text, e.start, ",", e.length);
    }
  }
  return text;
}

StatusOr<std::optional<ShapeAndSlice>> ParseShapeAndSlice(
    absl::string_view text) {
  if (text.empty()) return std::optional<ShapeAndSlice>();
  std::vector<absl::string_view> parts = absl::StrSplit(text, ' ');
  if (parts.size() < 2) {
    return InvalidArgument(
        "Need least two elements in shape_and_slice specification: ", text,
        "; for example \"5 2 0,3:0,2\" is rows 0 to 2 of a tensor of 5 rows "
        "and 2 columns");
  }
  DimVector dims;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    int64_t dim = 0;
    if (!absl::SimpleAtoi(parts[i], &dim)) {
      return InvalidArgument("Non numerical dimension in shape_and_slice: ",
                             text);
    }
    dims.push_back(dim);
  }
  ShapeAndSlice result;
  MR_ASSIGN_OR_RETURN(result.full_shape, TensorShape::Make(dims));
  MR_ASSIGN_OR_RETURN(result.slice, TensorSlice::Parse(parts.back()));
  MR_ASSIGN_OR_RETURN(result.slice_shape,
                      result.slice.SliceShape(result.full_shape));
  return std::optional<ShapeAndSlice>(std::move(result));
}

std::string SliceKey(absl::string_view tensor_name, const TensorSlice& slice) {
  std::string key;
  ordered_code::AppendNumber(&key, 0);
  ordered_code::AppendString(&key, tensor_name);
  ordered_code::AppendNumber(&key, static_cast<uint64_t>(slice.rank()));
  for (int d = 0; d < slice.rank(); ++d) {
    ordered_code::AppendSigned(&key, slice.extent(d).start);
    ordered_code::AppendSigned(&key, slice.extent(d).length);
  }
  return key;
}

Status ParseSliceKey(absl::string_view key, std::string* tensor_name,
                     TensorSlice* slice) {
  uint64_t zero = 0;
  uint64_t rank = 0;
  if (!ordered_code::TakeNumber(&key, &zero) || zero != 0 ||
      !ordered_code::TakeString(&key, tensor_name) ||
      !ordered_code::TakeNumber(&key, &rank) || rank > kMaxRank) {
    return DataLoss("Bad key of a tensor slice");
  }
  std::vector<TensorSlice::Extent> extents(rank);
  for (TensorSlice::Extent& e : extents) {
    if (!ordered_code::TakeSigned(&key, &e.start) ||
        !ordered_code::TakeSigned(&key, &e.length)) {
      return DataLoss("Bad key of a slice of tensor ", *tensor_name);
    }
  }
  auto made = TensorSlice::Make(std::move(extents));
  if (!made.ok() || !key.empty())
    return DataLoss("Bad key of a slice of tensor ", *tensor_name);
  *slice = *std::move(made);
  return OkStatus();
}

}  // namespace millrace
