#include "millrace/ops/indexing/nd_index.h"

#include "absl/strings/str_join.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Sets out[r] to the offset of row r, or -1. kDepth: coordinates of a row; 0 if
// they are more than a loop of its own is worth.
template <class I, int kDepth>
void OffsetsOf(const I* row, int64_t n, const DimVector& dims,
               const DimVector& strides, int64_t* out) {
  const int64_t* const limit = dims.data();
  const int64_t* const stride = strides.data();
  const int64_t depth = kDepth > 0 ? kDepth : static_cast<int64_t>(dims.size());
  for (int64_t r = 0; r < n; ++r, row += depth) {
    // Of a row that is outside the sum may wrap around.
    uint64_t offset = 0;
    bool inside = true;
    for (int64_t d = 0; d < depth; ++d) {
      const auto at = static_cast<uint64_t>(static_cast<int64_t>(row[d]));
      inside &= at < static_cast<uint64_t>(limit[d]);
      offset += at * static_cast<uint64_t>(stride[d]);
    }
    out[r] = inside ? static_cast<int64_t>(offset) : -1;
  }
}

template <class I>
void OffsetsOf(const I* row, int64_t n, const DimVector& dims,
               const DimVector& strides, int64_t* out) {
  switch (dims.size()) {
    case 1:
      return OffsetsOf<I, 1>(row, n, dims, strides, out);
    case 2:
      return OffsetsOf<I, 2>(row, n, dims, strides, out);
    case 3:
      return OffsetsOf<I, 3>(row, n, dims, strides, out);
    default:
      return OffsetsOf<I, 0>(row, n, dims, strides, out);
  }
}

std::string FirstSize(const Tensor& t) {
  return t.rank() == 0 ? "" : absl::StrCat(" = ", t.dim(0));
}

}  // namespace

StatusOr<BadIndices> BadIndicesPolicy(const AttrMap& attrs) {
  MR_ASSIGN_OR_RETURN(std::string text,
                      GetAttr<std::string>(attrs, "bad_indices_policy"));
  if (text.empty() || text == "DEFAULT" || text == "ERROR")
    return BadIndices::kError;
  if (text == "IGNORE") return BadIndices::kIgnore;
  return InvalidArgument("Unknown bad indices handling attribute: ", text);
}

NdIndex::NdIndex(const Tensor& indices, const TensorShape& shape)
    : indices_(indices) {
  const int last = indices.rank() - 1;
  const int depth = static_cast<int>(indices.dim(last));
  rows_ = indices.shape().NumElements(0, last);
  slice_ = shape.NumElements(depth, shape.rank());
  const DimVector strides = RowMajorStrides(shape.dims());
  for (int d = 0; d < depth; ++d) {
    dims_.push_back(shape.dim(d));
    strides_.push_back(strides[d]);
  }
}

int64_t NdIndex::Offset(int64_t r) const {
  int64_t offset;
  Offsets(r, 1, &offset);
  return offset;
}

void NdIndex::Offsets(int64_t first, int64_t n, int64_t* offsets) const {
  const int64_t at = first * depth();
  Dispatch<int16_t, int32_t, int64_t>(indices_.dtype(), [&]<class I>() {
    OffsetsOf(indices_.flat<I>().data() + at, n, dims_, strides_, offsets);
    return OkStatus();
  }).IgnoreError();
}

int64_t NdIndex::LastOutside() const {
  int64_t last = -1;
  ForEach(0, rows_, [&](int64_t r, int64_t offset) {
    if (offset < 0) last = r;
  });
  return last;
}

std::string NdIndex::RowText(int64_t r) const {
  DimVector row;
  for (int d = 0; d < depth(); ++d)
    row.push_back(IntAt(indices_, r * depth() + d));
  return absl::StrCat("[", absl::StrJoin(row, ", "), "]");
}

std::string NdIndex::PlaceOfRow(int64_t r) const {
  DimVector dims = indices_.shape().dims();
  dims.pop_back();
  return PlaceText(r, TensorShape(absl::Span<const int64_t>(dims)));
}

Status CheckSlices(const Tensor& indices, const Tensor& updates,
                   const TensorShape& shape) {
  const int outer = indices.rank() - 1;
  const int64_t depth = indices.dim(outer);
  bool prefix = updates.rank() >= outer;
  for (int i = 0; prefix && i < outer; ++i)
    prefix = updates.dim(i) == indices.dim(i);
  if (!prefix) {
    return InvalidArgument("Dimensions [0,", outer,
                           ") of indices[shape=", indices.shape().DebugString(),
                           "] must match dimensions [0,", outer,
                           ") of updates[shape=", updates.shape().DebugString(),
                           "]");
  }
  bool suffix =
      depth <= shape.rank() && updates.rank() - outer == shape.rank() - depth;
  for (int i = outer; suffix && i < updates.rank(); ++i) {
    suffix = updates.dim(i) == shape.dim(static_cast<int>(depth) + i - outer);
  }
  if (!suffix) {
    return InvalidArgument(
        "Dimensions [", depth, ",", shape.rank(),
        ") of input[shape=", shape.DebugString(), "] must match dimensions [",
        outer, ",", updates.rank(),
        ") of updates[shape=", updates.shape().DebugString(), "]");
  }
  return OkStatus();
}

bool HasPlacesForUpdates(const Tensor& indices, const Tensor& updates,
                         const TensorShape& shape) {
  if (indices.num_elements() == 0 && updates.num_elements() == 0) return true;
  return indices.num_elements() > 0 && updates.num_elements() > 0 &&
         shape.num_elements() > 0;
}

Status CheckScatter(const Tensor& indices, const Tensor& updates,
                    const TensorShape& shape, Tensor* rows) {
  if (shape.rank() == 0) {
    return InvalidArgument("Output must be at least 1-D, got shape: ",
                           shape.DebugString());
  }
  if (!HasPlacesForUpdates(indices, updates, shape)) {
    return InvalidArgument(
        "Indices and updates specified for empty output.  indices shape: ",
        indices.shape().DebugString());
  }
  if (indices.rank() == 0 || updates.rank() == 0 ||
      indices.dim(0) != updates.dim(0)) {
    return InvalidArgument(
        "Dimensions [0,1) of indices[shape=", indices.shape().DebugString(),
        "]", FirstSize(indices),
        " must match dimensions [0,1) of updates[shape=",
        updates.shape().DebugString(), "]", FirstSize(updates));
  }
  *rows = indices.rank() > 1
              ? indices
              : indices.Reshaped(TensorShape({indices.num_elements(), 1}));
  return CheckSlices(*rows, updates, shape);
}

Status OutsideOf(const TensorShape& shape, const NdIndex& index, int64_t row) {
  return InvalidArgument("indices", index.PlaceOfRow(row), " = ",
                         index.RowText(row), " does not index into shape ",
                         shape.DebugString());
}

}  // namespace millrace::ops
