// RnnCell: one step of a recurrent network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "millrace/client/variables/variable_scope.h"

namespace millrace::train {

// Creates its variables at the first CreateVariables or Call; all steps share
// them. Used for one graph. Not thread-safe.
class RnnCell {
 public:
  struct Step {
    Output output;              // [batch, output_size()]
    std::vector<Output> state;  // in the form of the given state
  };

  virtual ~RnnCell() = default;
  RnnCell(const RnnCell&) = delete;
  RnnCell& operator=(const RnnCell&) = delete;

  // Returns the sizes of the state, which is a list of tensors [batch, size].
  virtual std::vector<int64_t> state_sizes() const = 0;
  virtual int64_t output_size() const = 0;
  // Returns, for each tensor of the state, whether it is the cell's memory (c
  // of an LSTM), to which dropout is not applied; default: none is.
  virtual std::vector<bool> state_is_memory() const {
    return std::vector<bool>(state_sizes().size(), false);
  }

  // Creates the variables for inputs [batch, `inputs`] of type `dtype`, in a
  // block of `variables` that is named after the cell, as Call does otherwise.
  // Calls inside of a loop come after it, since what belongs to a variable,
  // such as its regularizer and the joining of its parts, is to be outside.
  // Returns false after an error of the graph. Default: creates nothing.
  virtual bool CreateVariables(const VariableScope& variables, int64_t inputs,
                               DataType dtype);

  // Builds one step. x [batch, inputs] must have a known number of inputs that
  // is the same in every call. Variables are created in a block of `variables`
  // that is named after the cell. Returns null outputs after an error of the
  // graph.
  virtual Step Call(const VariableScope& variables, const Output& x,
                    const std::vector<Output>& state) = 0;

  // Returns zeros for `batch` examples, a number or a scalar int32.
  std::vector<Output> ZeroState(const Scope& scope, const Input& batch,
                                DataType dtype) const;

 protected:
  RnnCell() = default;
  // Returns true if x and the state have the shapes that Call needs; otherwise
  // records an error of the graph.
  bool CheckCall(const Scope& scope, const Output& x,
                 const std::vector<Output>& state) const;
};

// [x, h] * kernel + bias, over the last dimension. Null: no bias.
Output Affine(const Scope& scope, const Output& x, const Output& h,
              const Output& kernel, const Output& bias);

}  // namespace millrace::train
