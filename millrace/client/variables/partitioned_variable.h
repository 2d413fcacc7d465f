// PartitionedVariable: one logical variable in several, which lie on several
// parameter servers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/client/variables/initializers.h"
#include "millrace/client/variables/partitioners.h"
#include "millrace/client/variables/variables.h"

namespace millrace::ops {

// A small value; copies mean the same variable. It lives as long as its graph.
// Null after an error.
//
// The parts of "w" are the variables "w/part_0", "w/part_1", ..., slices along
// one axis; the first ones are longer by one where the sizes do not divide.
// They are saved as slices of one tensor "w", so that any other number of parts
// restores it.
class PartitionedVariable {
 public:
  PartitionedVariable() = default;
  // Called by the scope's op name, "PartitionedVariable" without one. The
  // initializer is called for each part. What the partitioner refuses, and
  // partitions along two axes, are errors of the graph (INVALID_ARGUMENT).
  PartitionedVariable(const Scope& scope, const TensorShape& shape,
                      DataType dtype, const Initializer& initializer,
                      const Partitioner& partitioner,
                      const VariableOptions& options = {});

  explicit operator bool() const { return !parts_.empty(); }
  const std::string& name() const { return name_; }  // "w"
  DataType dtype() const { return dtype_; }
  const TensorShape& shape() const { return shape_; }
  int axis() const { return axis_; }  // the parts are slices along it
  const std::vector<Variable>& parts() const { return parts_; }

  // The whole value, joined where the scope says.
  Output Value(const Scope& scope) const;
  // Each part is set to its slice of `value`; the op runs when all are.
  Operation Assign(const Scope& scope, const Input& value) const;

 private:
  std::string name_;
  DataType dtype_ = DataType::kInvalid;
  TensorShape shape_;
  int axis_ = 0;
  std::vector<Variable> parts_;
};

}  // namespace millrace::ops
