// PartitionedVariable: one logical variable made of several, which are placed
// on several parameter servers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/client/variables/initializers.h"
#include "millrace/client/variables/partitioners.h"
#include "millrace/client/variables/variables.h"

namespace millrace::ops {

// A small value; copies refer to the same variable. Valid as long as its graph.
// Null after an error.
//
// The parts of "w" are the variables "w/part_0", "w/part_1", ..., slices along
// one axis; the first ones are longer by one if the size is not divisible. They
// are saved as slices of one tensor "w", so that a variable with any other
// number of parts, or in one piece, can restore it.
class PartitionedVariable {
 public:
  PartitionedVariable() = default;
  // Called by the scope's op name, "PartitionedVariable" without one. The
  // initializer is called for each part. `part_devices` are device blocks
  // within those of the scope, one for each part; empty: the scope's alone. A
  // shape that the partitioner rejects, partitions along two axes, and another
  // number of devices than of parts are errors of the graph (INVALID_ARGUMENT).
  PartitionedVariable(const Scope& scope, const TensorShape& shape,
                      DataType dtype, const Initializer& initializer,
                      const Partitioner& partitioner,
                      const VariableOptions& options = {},
                      const std::vector<std::string>& part_devices = {});

  explicit operator bool() const { return !parts_.empty(); }
  const std::string& name() const { return name_; }  // "w"
  DataType dtype() const { return dtype_; }
  const TensorShape& shape() const { return shape_; }
  int axis() const { return axis_; }  // the parts are slices along it
  const std::vector<Variable>& parts() const { return parts_; }

  // Returns the whole value, concatenated where the scope says.
  Output Value(const Scope& scope) const;
  // Assigns to each part its slice of `value`; the op runs after all parts are
  // assigned.
  Operation Assign(const Scope& scope, const Input& value) const;

 private:
  std::string name_;
  DataType dtype_ = DataType::kInvalid;
  TensorShape shape_;
  int axis_ = 0;
  std::vector<Variable> parts_;
};

}  // namespace millrace::ops
