#include "millrace/client/gradient.h"

#include <algorithm>

#include "millrace/client/ops.h"

namespace millrace::ops {
namespace {

Output AsInt64(const Scope& scope, const Output& indices) {
  if (indices.dtype() == DataType::kInt64) return indices;
  return ops::Cast(scope, indices, DataType::kInt64);
}

}  // namespace

Output ToTensor(const Scope& scope, const Gradient& gradient) {
  if (!gradient.is_slices()) return gradient.tensor;
  const IndexedSlices& slices = gradient.slices;
  if (!slices.dense_shape) {
    scope.Fail(
        InvalidArgument("Tensor conversion requested for IndexedSlices without "
                        "dense_shape: values ",
                        slices.values.name()));
    return {};
  }
  const Output rows = ops::StridedSlice(scope, slices.dense_shape, {0}, {1},
                                        {1}, {.shrink_axis_mask = 1});
  const Output count =
      rows.dtype() == DataType::kInt64 || rows.dtype() == DataType::kInt32
          ? rows
          : ops::Cast(scope, rows, DataType::kInt64);
  return ops::UnsortedSegmentSum(scope, slices.values, slices.indices, count);
}

Gradient SumGradients(const Scope& scope,
                      const std::vector<Gradient>& gradients) {
  std::vector<Gradient> parts;
  std::copy_if(gradients.begin(), gradients.end(), std::back_inserter(parts),
               [](const Gradient& g) { return static_cast<bool>(g); });
  if (parts.empty()) return {};
  if (parts.size() == 1) return parts[0];
  const bool all_rows =
      std::all_of(parts.begin(), parts.end(),
                  [](const Gradient& g) { return g.is_slices(); });
  if (!all_rows) {
    std::vector<Output> tensors;
    for (const Gradient& part : parts) tensors.push_back(ToTensor(scope, part));
    return ops::AddN(scope, tensors);
  }
  const DataType index_type = parts[0].slices.indices.dtype();
  const bool same =
      std::all_of(parts.begin(), parts.end(), [&](const Gradient& g) {
        return g.slices.indices.dtype() == index_type;
      });
  std::vector<Output> values;
  std::vector<Output> indices;
  for (const Gradient& part : parts) {
    values.push_back(part.slices.values);
    indices.push_back(same ? part.slices.indices
                           : AsInt64(scope, part.slices.indices));
  }
  return IndexedSlices{ops::ConcatV2(scope, values, 0),
                       ops::ConcatV2(scope, indices, 0),
                       parts[0].slices.dense_shape};
}

}  // namespace millrace::ops
