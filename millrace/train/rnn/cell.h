// RnnCell: one step of a recurrent network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "millrace/client/variables/variable_scope.h"

namespace millrace::train {

// Keeps its variables from the first call on: all steps share them. Builds in
// one graph. One thread.
class RnnCell {
 public:
  struct Step {
    Output output;              // [batch, output_size()]
    std::vector<Output> state;  // as given
  };

  virtual ~RnnCell() = default;
  RnnCell(const RnnCell&) = delete;
  RnnCell& operator=(const RnnCell&) = delete;

  // The state is a list of tensors [batch, size].
  virtual std::vector<int64_t> state_sizes() const = 0;
  virtual int64_t output_size() const = 0;
  // Of each tensor of the state, whether it is what the cell remembers (c of an
  // LSTM), which dropout leaves alone; default: none.
  virtual std::vector<bool> state_is_memory() const {
    return std::vector<bool>(state_sizes().size(), false);
  }

  // x [batch, inputs], with a known number of inputs that is the same in every
  // call. Variables are made in a block of `variables` that is called as the
  // cell. Null outputs after an error of the graph.
  virtual Step Call(const VariableScope& variables, const Output& x,
                    const std::vector<Output>& state) = 0;

  // Zeros for `batch` examples, a number or a scalar int32.
  std::vector<Output> ZeroState(const Scope& scope, const Input& batch,
                                DataType dtype) const;

 protected:
  RnnCell() = default;
  // True if x and the state have the shapes that Call needs; else an error of
  // the graph.
  bool CheckCall(const Scope& scope, const Output& x,
                 const std::vector<Output>& state) const;
};

// [x, h] * kernel + bias, over the last dimension. A null bias is none.
Output Affine(const Scope& scope, const Output& x, const Output& h,
              const Output& kernel, const Output& bias);

}  // namespace millrace::train
