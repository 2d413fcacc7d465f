// LstmCell: long short-term memory with peepholes, a projection and clipping
// (Sak, Senior, Beaufays, "Long short-term memory recurrent neural network
// architectures for large scale acoustic modeling", INTERSPEECH 2014).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "millrace/train/layers/activation.h"
#include "millrace/train/rnn/cell.h"

namespace millrace::train {

struct LstmCellOptions {
  bool use_peepholes = false;       // gates see c
  std::optional<double> cell_clip;  // c is clipped to [-cell_clip, cell_clip]
  std::optional<int64_t> projection;
  std::optional<double> projection_clip;
  double forget_bias = 1;
  Activation activation;    // empty: tanh
  Initializer initializer;  // of all weights; empty: the scope's
  std::string name = "lstm_cell";
};

// The state is {c, h}, the output h, which is projected to `projection` numbers
// if that is set. Variables: "lstm_cell/kernel" [inputs + outputs, 4 * units],
// "bias" [4 * units], "w_f_diag", "w_i_diag", "w_o_diag" [units] with
// peepholes, "projection/kernel" [units, projection].
class LstmCell final : public RnnCell {
 public:
  explicit LstmCell(int64_t units, const LstmCellOptions& options = {})
      : units_(units), options_(options) {}

  std::vector<int64_t> state_sizes() const override {
    return {units_, output_size()};
  }
  std::vector<bool> state_is_memory() const override { return {true, false}; }
  int64_t output_size() const override {
    return options_.projection.value_or(units_);
  }
  bool CreateVariables(const VariableScope& variables, int64_t inputs,
                       DataType dtype) override;
  Step Call(const VariableScope& variables, const Output& x,
            const std::vector<Output>& state) override;

 private:
  bool Build(const VariableScope& block, int64_t inputs, DataType dtype);
  Output Activate(const Scope& scope, const Output& x) const;
  // sigmoid(sum + diagonal * c), the latter with peepholes.
  Output Gate(const Scope& scope, const Output& sum, const Output& diagonal,
              const Output& c) const;

  const int64_t units_;
  const LstmCellOptions options_;
  Output kernel_;
  Output bias_;
  Output w_f_diag_;
  Output w_i_diag_;
  Output w_o_diag_;
  Output projection_;
};

}  // namespace millrace::train
