#include "millrace/ops/lookup/lookup_table.h"

#include <algorithm>

namespace millrace::ops {

std::string LookupTable::DebugString() const {
  return absl::StrCat(
      "table ", name_, " of ", DataTypeName(signature_.key_dtype), " to ",
      DataTypeName(signature_.value_dtype), ", ", size(), " keys");
}

StatusOr<TensorShape> ReplaceKeyShape(const TensorShape& keys, int key_rank,
                                      const TensorShape& value) {
  DimVector dims = keys.dims();
  dims.resize(dims.size() -
              std::min(dims.size(), static_cast<size_t>(key_rank)));
  for (int i = 0; i < value.rank(); ++i) dims.push_back(value.dim(i));
  return TensorShape::Make(dims);
}

Status LookupTable::CheckKeys(const Tensor& keys) const {
  const DimVector have = keys.shape().dims();
  const DimVector want = signature_.key_shape.dims();
  if (have.size() >= want.size() &&
      std::equal(want.rbegin(), want.rend(), have.rbegin())) {
    return OkStatus();
  }
  return InvalidArgument("Input key shape ", keys.shape().DebugString(),
                         " must end with the table's key shape ",
                         signature_.key_shape.DebugString());
}

StatusOr<TensorShape> LookupTable::ValuesShape(const Tensor& keys) const {
  return ReplaceKeyShape(keys.shape(), signature_.key_shape.rank(),
                         signature_.value_shape);
}

Status LookupTable::CheckFind(const Tensor& keys,
                              const Tensor& defaults) const {
  MR_RETURN_IF_ERROR(CheckKeys(keys));
  MR_ASSIGN_OR_RETURN(const TensorShape full, ValuesShape(keys));
  if (defaults.shape() == signature_.value_shape || defaults.shape() == full) {
    return OkStatus();
  }
  return InvalidArgument("Expected shape ",
                         signature_.value_shape.DebugString(), " or ",
                         full.DebugString(), " for default value, got ",
                         defaults.shape().DebugString());
}

Status LookupTable::CheckInsert(const Tensor& keys,
                                const Tensor& values) const {
  MR_RETURN_IF_ERROR(CheckKeys(keys));
  MR_ASSIGN_OR_RETURN(const TensorShape expected, ValuesShape(keys));
  if (values.shape() == expected) return OkStatus();
  return InvalidArgument("Expected shape ", expected.DebugString(),
                         " for value, got ", values.shape().DebugString());
}

}  // namespace millrace::ops
