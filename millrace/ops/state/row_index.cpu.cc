#include "millrace/ops/state/row_index.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace millrace::ops {
namespace {

Status WrongShapeOfUpdates(const Tensor& indices, const Tensor& updates,
                           const TensorShape& variable) {
  return InvalidArgument(
      "Must have updates.shape = indices.shape + params.shape[1:] or "
      "updates.shape = [], got updates.shape ",
      updates.shape().DebugString(), ", indices.shape ",
      indices.shape().DebugString(), ", params.shape ", variable.DebugString());
}

}  // namespace

Status BadRowIndex(const Tensor& indices, int64_t place, int64_t value,
                   int64_t limit) {
  std::vector<int64_t> at(static_cast<size_t>(indices.rank()));
  for (int d = indices.rank() - 1; d >= 0; --d) {
    at[static_cast<size_t>(d)] = place % indices.dim(d);
    place /= indices.dim(d);
  }
  return InvalidArgument(
      "indices",
      at.empty() ? "" : absl::StrCat("[", absl::StrJoin(at, ","), "]"), " = ",
      value, " is not in [0, ", limit, ")");
}

Status CheckRowUpdates(bool resource, const Tensor& indices,
                       const Tensor& updates, const TensorShape& variable) {
  const bool scalar = updates.rank() == 0;
  if (resource && !scalar &&
      updates.rank() != indices.rank() + variable.rank() - 1) {
    return WrongShapeOfUpdates(indices, updates, variable);
  }
  if (variable.rank() == 0) {
    return InvalidArgument("params must be at least 1-D, got shape ",
                           variable.DebugString());
  }
  // As in stock, the shape of updates that nothing is done with may be wrong.
  if (scalar || (resource && indices.num_elements() == 0)) return OkStatus();
  DimVector dims = indices.shape().dims();
  if (resource &&
      !std::equal(dims.begin(), dims.end(), updates.shape().dims().begin())) {
    return InvalidArgument("The shape of indices (",
                           indices.shape().DebugString(),
                           ") must be a prefix of the shape of updates (",
                           updates.shape().DebugString(), ")");
  }
  for (int d = 1; d < variable.rank(); ++d) dims.push_back(variable.dim(d));
  MR_ASSIGN_OR_RETURN(const TensorShape expected, TensorShape::Make(dims));
  if (updates.shape() == expected) return OkStatus();
  return WrongShapeOfUpdates(indices, updates, variable);
}

}  // namespace millrace::ops
