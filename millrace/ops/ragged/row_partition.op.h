// The ways to say which row of a ragged dimension each row of the next belongs
// to, for RaggedTensorToTensor.
#pragma once

#include <string>
#include <vector>

#include "millrace/graph/attr/attr_value.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

enum class RowPartition {
  kFirstDimSize,  // the number of rows of the first dimension, a scalar
  kValueRowids,   // the row of each value
  kRowSplits,     // where each row begins, and the end of the last
};

// Returns INVALID_ARGUMENT for unknown names, and for those in places where
// they say nothing. `num_tensors` is the number of tensors that they describe.
StatusOr<std::vector<RowPartition>> ReadRowPartitions(
    const AttrValue::StringList& names, int num_tensors);

// Returns the number of ragged dimensions.
int RaggedDims(const std::vector<RowPartition>& partitions);

// Returns INVALID_ARGUMENT unless the default value can be broadcast to one row
// of values.
Status CheckDefaultShape(const PartialShape& default_value,
                         const PartialShape& values);

// Returns what is known of the shape of a tensor with `ragged_dims` ragged
// dimensions, of which `asked` is asked for. Returns INVALID_ARGUMENT if they
// contradict each other.
StatusOr<PartialShape> CombineRaggedShape(int ragged_dims,
                                          const PartialShape& asked,
                                          const PartialShape& values);

}  // namespace millrace::ops
