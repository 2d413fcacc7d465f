#include "millrace/ops/ragged/row_partition.op.h"

#include "millrace/graph/op_decl.h"

namespace millrace::ops {

StatusOr<std::vector<RowPartition>> ReadRowPartitions(
    const AttrValue::StringList& names, int num_tensors) {
  std::vector<RowPartition> partitions;
  for (const std::string& name : names) {
    if (name == "FIRST_DIM_SIZE") {
      partitions.push_back(RowPartition::kFirstDimSize);
    } else if (name == "VALUE_ROWIDS") {
      partitions.push_back(RowPartition::kValueRowids);
    } else if (name == "ROW_SPLITS") {
      partitions.push_back(RowPartition::kRowSplits);
    } else if (name == "ROW_LENGTHS" || name == "ROW_LIMITS" ||
               name == "ROW_STARTS") {
      return InvalidArgument("Unsupported partition type: ", name);
    } else {
      return InvalidArgument("Unknown string for partition info type: ", name);
    }
  }
  if (partitions.empty()) {
    return InvalidArgument("Partition info types should not be empty");
  }
  for (size_t i = 1; i < partitions.size(); ++i) {
    if (partitions[i] == RowPartition::kFirstDimSize) {
      return InvalidArgument("FIRST_DIM_SIZE must be first");
    }
  }
  if (partitions[0] == RowPartition::kFirstDimSize &&
      (partitions.size() < 2 || partitions[1] != RowPartition::kValueRowids)) {
    return InvalidArgument("FIRST_DIM_SIZE must be followed by VALUE_ROWIDS");
  }
  if (partitions[0] == RowPartition::kValueRowids) {
    return InvalidArgument("VALUE_ROWIDS cannot be first");
  }
  if (static_cast<int>(partitions.size()) != num_tensors) {
    return InvalidArgument(
        "Number of row partition tensors (", num_tensors,
        ") does not equal the number of row partition types(",
        partitions.size(), ").");
  }
  return partitions;
}

int RaggedDims(const std::vector<RowPartition>& partitions) {
  const int n = static_cast<int>(partitions.size());
  return partitions[0] == RowPartition::kFirstDimSize ? n - 1 : n;
}

Status CheckDefaultShape(const PartialShape& default_value,
                         const PartialShape& values) {
  if (!default_value.known_rank() || !values.known_rank()) return OkStatus();
  const auto error = [&](const auto&... why) {
    return InvalidArgument("default_value.shape=", default_value.DebugString(),
                           " and rt_input.flat_values.shape=",
                           values.DebugString(), " are incompatible: ", why...);
  };
  if (default_value.rank() >= values.rank()) {
    return error(
        "default_value.rank = ", default_value.rank(),
        "  must be less than rt_input.flat_values.rank = ", values.rank());
  }
  for (int i = 1; i <= default_value.rank(); ++i) {
    const int64_t mine = default_value.dim(default_value.rank() - i);
    const int64_t other = values.dim(values.rank() - i);
    if (mine >= 0 && other >= 0 && mine != 1 && mine != other) {
      return error("default_value.shape[", -i, "] = ", mine,
                   " but rt_input.flat_values.shape[", -i, "] = ", other);
    }
  }
  return OkStatus();
}

StatusOr<PartialShape> CombineRaggedShape(int ragged_dims,
                                          const PartialShape& asked,
                                          const PartialShape& values) {
  if (!values.known_rank()) return asked;
  if (values.rank() == 0) return asked;  // an error of the default value
  PartialShape own = PartialShape::UnknownOfRank(ragged_dims + 1);
  MR_ASSIGN_OR_RETURN(const PartialShape row,
                      ShapeContext::Subshape(values, 1));
  own = own.Concatenate(row);
  if (!asked.known_rank()) return own;
  const auto error = [&](const auto&... why) {
    return InvalidArgument("rt_input.shape and shape=", asked.DebugString(),
                           " are incompatible: ", why...);
  };
  if (own.rank() != asked.rank()) {
    return error("rt_input.rank = ", own.rank(),
                 " but shape.rank = ", asked.rank());
  }
  for (int i = 0; i < own.rank(); ++i) {
    if (asked.dim(i) < 0) continue;
    if (own.dim(i) >= 0 && own.dim(i) != asked.dim(i)) {
      return error("rt_input.shape[", i, "] = ", own.dim(i), " but shape[", i,
                   "] = ", asked.dim(i));
    }
    own.set_dim(i, asked.dim(i));
  }
  return own;
}

}  // namespace millrace::ops
