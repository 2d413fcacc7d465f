// BasicLstmCell: long short-term memory with forget gates (Zaremba, Sutskever,
// Vinyals, "Recurrent neural network regularization", arXiv:1409.2329).
#pragma once

#include <string>
#include <vector>

#include "millrace/train/layers/activation.h"
#include "millrace/train/rnn/cell.h"

namespace millrace::train {

struct BasicLstmCellOptions {
  double forget_bias = 1;  // keeps most state early in training
  Activation activation;   // empty: tanh
  std::string name = "basic_lstm_cell";
};

// The state is {c, h}, the output h. Variables: "basic_lstm_cell/kernel"
// [inputs + units, 4 * units] and "bias" [4 * units], for the gates i, j, f, o.
class BasicLstmCell final : public RnnCell {
 public:
  explicit BasicLstmCell(int64_t units,
                         const BasicLstmCellOptions& options = {})
      : units_(units), options_(options) {}

  std::vector<int64_t> state_sizes() const override { return {units_, units_}; }
  std::vector<bool> state_is_memory() const override { return {true, false}; }
  int64_t output_size() const override { return units_; }
  bool CreateVariables(const VariableScope& variables, int64_t inputs,
                       DataType dtype) override;
  Step Call(const VariableScope& variables, const Output& x,
            const std::vector<Output>& state) override;

 private:
  bool Build(const VariableScope& block, int64_t inputs, DataType dtype);
  Output Activate(const Scope& scope, const Output& x) const;

  const int64_t units_;
  const BasicLstmCellOptions options_;
  Output kernel_;
  Output bias_;
};

}  // namespace millrace::train
