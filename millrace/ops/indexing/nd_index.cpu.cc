#include "millrace/ops/indexing/nd_index.h"

#include "absl/strings/str_join.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

template <class I>
int64_t OffsetOf(const I* row, const DimVector& dims,
                 const DimVector& strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t at = row[d];
    if (static_cast<uint64_t>(at) >= static_cast<uint64_t>(dims[d])) return -1;
    offset += at * strides[d];
  }
  return offset;
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
  const int64_t at = r * depth();
  switch (indices_.dtype()) {
    case DataType::kInt16:
      return OffsetOf(indices_.flat<int16_t>().data() + at, dims_, strides_);
    case DataType::kInt32:
      return OffsetOf(indices_.flat<int32_t>().data() + at, dims_, strides_);
    default:
      return OffsetOf(indices_.flat<int64_t>().data() + at, dims_, strides_);
  }
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
