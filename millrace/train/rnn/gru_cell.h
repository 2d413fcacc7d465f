// GruCell: a gated recurrent unit (Cho et al., "Learning phrase representations
// using RNN encoder-decoder", EMNLP 2014).
#pragma once

#include <string>
#include <vector>

#include "millrace/train/layers/activation.h"
#include "millrace/train/rnn/cell.h"

namespace millrace::train {

struct GruCellOptions {
  Activation activation;           // empty: tanh
  Initializer kernel_initializer;  // empty: the scope's
  Initializer bias_initializer;    // empty: ones for gates, zeros
  std::string name = "gru_cell";
};

// The state is {h}, the output h. Variables: "gru_cell/gates/kernel" [inputs +
// units, 2 * units] and "gates/bias" [2 * units] for the gates r and u
// (initially ones: little is forgotten), "candidate/kernel" [inputs + units,
// units] and "candidate/bias" [units].
class GruCell final : public RnnCell {
 public:
  explicit GruCell(int64_t units, const GruCellOptions& options = {})
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
  const GruCellOptions options_;
  Output gate_kernel_;
  Output gate_bias_;
  Output candidate_kernel_;
  Output candidate_bias_;
};

}  // namespace millrace::train
