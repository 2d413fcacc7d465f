// BasicRnnCell: output = state = activation([x, h] * kernel + bias).
#pragma once

#include <string>
#include <vector>

#include "millrace/train/layers/activation.h"
#include "millrace/train/rnn/cell.h"

namespace millrace::train {

struct BasicRnnCellOptions {
  Activation activation;  // empty: tanh
  std::string name = "basic_rnn_cell";
};

// Variables: "basic_rnn_cell/kernel" [inputs + units, units], "bias" [units].
class BasicRnnCell final : public RnnCell {
 public:
  explicit BasicRnnCell(int64_t units, const BasicRnnCellOptions& options = {})
      : units_(units), options_(options) {}

  std::vector<int64_t> state_sizes() const override { return {units_}; }
  int64_t output_size() const override { return units_; }
  bool CreateVariables(const VariableScope& variables, int64_t inputs,
                       DataType dtype) override;
  Step Call(const VariableScope& variables, const Output& x,
            const std::vector<Output>& state) override;

 private:
  bool Build(const VariableScope& block, int64_t inputs, DataType dtype);
  const int64_t units_;
  const BasicRnnCellOptions options_;
  Output kernel_;
  Output bias_;
};

}  // namespace millrace::train
