#include "millrace/client/variables/partitioned_variable.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "millrace/client/ops.h"

namespace millrace::ops {
namespace {

std::vector<int64_t> DimsOf(const TensorShape& shape) {
  const DimVector dims = shape.dims();
  return {dims.begin(), dims.end()};
}

// The places at which a variable is split.
struct Cut {
  int axis = 0;
  int64_t count = 1;
};

StatusOr<Cut> FindCut(const TensorShape& shape, DataType dtype,
                      const Partitioner& partitioner) {
  Cut cut;
  if (shape.rank() == 0) {
    return InvalidArgument(
        "A partitioned variable must have rank at least 1, got a scalar");
  }
  if (!partitioner) return cut;
  MR_ASSIGN_OR_RETURN(const std::vector<int64_t> partitions,
                      partitioner(shape, dtype));
  if (partitions.size() != static_cast<size_t>(shape.rank())) {
    return InvalidArgument("The partitioner returned a partition list [",
                           absl::StrJoin(partitions, ", "),
                           "] that does not match the variable's shape ",
                           shape.DebugString());
  }
  for (int d = 0; d < shape.rank(); ++d) {
    const int64_t n = partitions[static_cast<size_t>(d)];
    if (n < 1 || (n > 1 && n > shape.dim(d))) {
      return InvalidArgument("The partitioner asks for ", n,
                             " partitions of dimension ", d, " of shape ",
                             shape.DebugString());
    }
    if (n == 1) continue;
    if (cut.count > 1) {
      return InvalidArgument(
          "A variable can be split along one dimension only, the partitioner "
          "asks for [",
          absl::StrJoin(partitions, ", "), "]");
    }
    cut = {d, n};
  }
  return cut;
}

}  // namespace

PartitionedVariable::PartitionedVariable(
    const Scope& scope, const TensorShape& shape, DataType dtype,
    const Initializer& initializer, const Partitioner& partitioner,
    const VariableOptions& options,
    const std::vector<std::string>& part_devices) {
  const Scope block = scope.BlockFor("PartitionedVariable");
  name_ = block.name().substr(0, block.name().size() - 1);
  dtype_ = dtype;
  shape_ = shape;
  const StatusOr<Cut> cut = FindCut(shape, dtype, partitioner);
  if (!cut.ok()) {
    scope.Fail(cut.status(), name_);
    return;
  }
  if (!part_devices.empty() &&
      part_devices.size() != static_cast<size_t>(cut->count)) {
    scope.Fail(InvalidArgument("A partitioned variable needs a device for each "
                               "part, or none, got ",
                               part_devices.size(), " devices for ", cut->count,
                               " parts"),
               name_);
    return;
  }
  axis_ = cut->axis;
  const int64_t length = shape.dim(axis_);
  std::vector<Variable> parts;
  int64_t begin = 0;
  for (int64_t i = 0; i < cut->count; ++i) {
    std::vector<int64_t> dims = DimsOf(shape);
    std::vector<int64_t> offset(dims.size(), 0);
    const size_t axis = static_cast<size_t>(axis_);
    dims[axis] = length / cut->count + (i < length % cut->count ? 1 : 0);
    offset[axis] = begin;
    begin += dims[axis];
    const TensorShape part_shape(absl::MakeConstSpan(dims));
    const Scope there =
        part_devices.empty()
            ? block
            : block.WithDevice(part_devices[static_cast<size_t>(i)]);
    Variable part(
        there.WithOpName(absl::StrCat("part_", i)),
        [&](const Scope& s) {
          return initializer(s, {part_shape, dtype, shape, offset});
        },
        options);
    if (!part) return;
    part.SetSaveSlice({.full_name = name_,
                       .full_shape = DimsOf(shape),
                       .offset = std::move(offset),
                       .shape = std::move(dims)});
    parts.push_back(std::move(part));
  }
  parts_ = std::move(parts);
}

Output PartitionedVariable::Value(const Scope& scope) const {
  if (parts_.empty()) return {};
  const Scope block = scope.BlockFor(absl::StrCat(name_, "/ConcatPartitions"));
  if (parts_.size() == 1) {
    return Identity(block.WithOpName(block.name()), parts_[0]);
  }
  return ConcatV2(block.WithOpName(block.name()), parts_, axis_);
}

Operation PartitionedVariable::Assign(const Scope& scope,
                                      const Input& value) const {
  if (parts_.empty()) return {};
  const Scope block = scope.BlockFor("Assign");
  const Output whole = value.is_literal()
                           ? Const(block, value.literal(), dtype_)
                           : value.output();
  if (parts_.size() == 1) {
    return Group(block.WithOpName(block.name()),
                 {parts_[0].Assign(block, whole)});
  }
  std::vector<int64_t> sizes;
  for (const Variable& part : parts_) sizes.push_back(part.shape().dim(axis_));
  const std::vector<Output> slices =
      SplitV(block, whole, sizes, axis_, static_cast<int64_t>(parts_.size()));
  std::vector<ControlInput> assigned;
  for (size_t i = 0; i < parts_.size() && i < slices.size(); ++i) {
    assigned.push_back(
        parts_[i].Assign(block.ColocateWith(parts_[i].handle()), slices[i]));
  }
  return Group(block.WithOpName(block.name()), assigned);
}

}  // namespace millrace::ops
