#include "millrace/client/variables/partitioners.h"

#include <algorithm>
#include <cmath>

namespace millrace {
namespace {

Status CheckAxis(const TensorShape& shape, int axis) {
  if (axis >= 0 && axis < shape.rank()) return OkStatus();
  return InvalidArgument("Cannot partition variable along axis ", axis,
                         " when shape is only ", shape.DebugString());
}

double ElementBytes(DataType dtype, int64_t bytes_per_string_element) {
  return static_cast<double>(dtype == DataType::kString
                                 ? bytes_per_string_element
                                 : static_cast<int64_t>(SizeOf(dtype)));
}

std::vector<int64_t> Along(int axis, const TensorShape& shape,
                           int64_t partitions) {
  std::vector<int64_t> all(static_cast<size_t>(shape.rank()), 1);
  all[static_cast<size_t>(axis)] =
      std::clamp<int64_t>(partitions, 1, std::max<int64_t>(1, shape.dim(axis)));
  return all;
}

}  // namespace

Partitioner FixedSizePartitioner(int64_t num_shards,
                                 const FixedSizePartitionerOptions& options) {
  return [num_shards, axis = options.axis](
             const TensorShape& shape,
             DataType) -> StatusOr<std::vector<int64_t>> {
    MR_RETURN_IF_ERROR(CheckAxis(shape, axis));
    if (num_shards < 1) {
      return InvalidArgument("num_shards must be positive, got ", num_shards);
    }
    return Along(axis, shape, num_shards);
  };
}

Partitioner MinMaxVariablePartitioner(
    const MinMaxVariablePartitionerOptions& options) {
  return [=](const TensorShape& shape,
             DataType dtype) -> StatusOr<std::vector<int64_t>> {
    MR_RETURN_IF_ERROR(CheckAxis(shape, options.axis));
    if (options.max_partitions < 1 || options.min_slice_size < 1 ||
        options.bytes_per_string_element < 1) {
      return InvalidArgument(
          "max_partitions, min_slice_size and bytes_per_string_element must be "
          "positive, got ",
          options.max_partitions, ", ", options.min_slice_size, " and ",
          options.bytes_per_string_element);
    }
    const double bytes = static_cast<double>(shape.num_elements()) *
                         ElementBytes(dtype, options.bytes_per_string_element);
    const double slices =
        std::ceil(bytes / static_cast<double>(options.min_slice_size));
    return Along(options.axis, shape,
                 static_cast<int64_t>(std::min(
                     slices, static_cast<double>(options.max_partitions))));
  };
}

Partitioner VariableAxisSizePartitioner(
    const VariableAxisSizePartitionerOptions& options) {
  return [=](const TensorShape& shape,
             DataType dtype) -> StatusOr<std::vector<int64_t>> {
    MR_RETURN_IF_ERROR(CheckAxis(shape, options.axis));
    if (options.max_shard_bytes < 1 || options.bytes_per_string_element < 1) {
      return InvalidArgument(
          "Both max_shard_bytes and bytes_per_string_element must be "
          "positive, got ",
          options.max_shard_bytes, " and ", options.bytes_per_string_element);
    }
    if (options.max_shards < 0) {
      return InvalidArgument("max_shards must be positive, got ",
                             options.max_shards);
    }
    const int64_t length = shape.dim(options.axis);
    if (shape.num_elements() == 0) return Along(options.axis, shape, 1);
    const double slice_bytes =
        static_cast<double>(shape.num_elements() / length) *
        ElementBytes(dtype, options.bytes_per_string_element);
    const double slices_per_shard = std::max(
        1.0,
        std::floor(static_cast<double>(options.max_shard_bytes) / slice_bytes));
    int64_t shards = static_cast<int64_t>(
        std::ceil(static_cast<double>(length) / slices_per_shard));
    if (options.max_shards > 0) shards = std::min(shards, options.max_shards);
    return Along(options.axis, shape, shards);
  };
}

}  // namespace millrace
