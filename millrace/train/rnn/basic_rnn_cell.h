// BasicRnnCell: output = state = activation([x, h] * kernel + bias).
#pragma once

#include <string>
#include <vector>

#include "millrace/train/layers/activation.h"
#include "millrace/train/rnn/cell.h"

namespace millrace::train {

// Variables: "basic_rnn_cell/kernel" [inputs + units, units], "bias" [units].
class BasicRnnCell final : public RnnCell {
 public:
  struct Options {
    Activation activation;  // empty: tanh
    std::string name = "basic_rnn_cell";
  };
  BasicRnnCell(int64_t units, Options options)
      : units_(units), options_(std::move(options)) {}
  explicit BasicRnnCell(int64_t units) : BasicRnnCell(units, Options()) {}

  std::vector<int64_t> state_sizes() const override { return {units_}; }
  int64_t output_size() const override { return units_; }
  Step Call(const VariableScope& variables, const Output& x,
            const std::vector<Output>& state) override;

 private:
  const int64_t units_;
  const Options options_;
  Output kernel_;
  Output bias_;
};

}  // namespace millrace::train
