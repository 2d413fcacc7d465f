// Partitioners: determine the number of parts into which a variable is split.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "millrace/base/status.h"
#include "millrace/tensor/dtype.h"
#include "millrace/tensor/shape.h"

namespace millrace {

// Returns the number of parts along each dimension, at least 1; at most one of
// them is above 1. Returns INVALID_ARGUMENT for a shape that it cannot split.
// An empty one splits nothing. Names and numbers are TensorFlow's.
using Partitioner = std::function<StatusOr<std::vector<int64_t>>(
    const TensorShape& shape, DataType dtype)>;

struct FixedSizePartitionerOptions {
  int axis = 0;
};
// Makes `num_shards` parts, but none without elements.
Partitioner FixedSizePartitioner(
    int64_t num_shards, const FixedSizePartitionerOptions& options = {});

struct MinMaxVariablePartitionerOptions {
  int64_t max_partitions = 1;
  int axis = 0;
  int64_t min_slice_size = 256 << 10;  // bytes of a part
  int64_t bytes_per_string_element = 16;
};
// Makes as many parts of at least min_slice_size bytes as possible.
Partitioner MinMaxVariablePartitioner(
    const MinMaxVariablePartitionerOptions& options = {});

struct VariableAxisSizePartitionerOptions {
  int64_t max_shard_bytes = (64 << 20) - 1;
  int axis = 0;
  int64_t bytes_per_string_element = 16;
  int64_t max_shards = 0;  // 0: any number
};
// Makes parts of at most max_shard_bytes bytes, unless one row has more.
Partitioner VariableAxisSizePartitioner(
    const VariableAxisSizePartitionerOptions& options = {});

}  // namespace millrace
