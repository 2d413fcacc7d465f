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

}  // namespace millrace::ops
