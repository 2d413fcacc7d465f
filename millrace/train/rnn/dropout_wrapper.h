// DropoutWrapper: a cell with dropout of inputs, outputs and states.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "millrace/train/rnn/cell.h"

namespace millrace::train {

struct DropoutWrapperOptions {
  Input input_keep_prob = 1.0;  // above 0, up to 1; may be a tensor
  Input output_keep_prob = 1.0;
  Input state_keep_prob = 1.0;
  std::optional<int64_t> seed;
};

// The choices are new in each step. The cell's memory (c of an LSTM) is not
// dropped: it would be forgotten.
class DropoutWrapper final : public RnnCell {
 public:
  explicit DropoutWrapper(std::unique_ptr<RnnCell> cell,
                          const DropoutWrapperOptions& options = {})
      : cell_(std::move(cell)), options_(options) {}

  std::vector<int64_t> state_sizes() const override {
    return cell_->state_sizes();
  }
  std::vector<bool> state_is_memory() const override {
    return cell_->state_is_memory();
  }
  int64_t output_size() const override { return cell_->output_size(); }
  bool CreateVariables(const VariableScope& variables, int64_t inputs,
                       DataType dtype) override {
    return cell_->CreateVariables(variables, inputs, dtype);
  }
  Step Call(const VariableScope& variables, const Output& x,
            const std::vector<Output>& state) override;

 private:
  Output Drop(const Scope& scope, const Output& x, const Input& keep_prob,
              int64_t salt) const;

  const std::unique_ptr<RnnCell> cell_;
  const DropoutWrapperOptions options_;
};

}  // namespace millrace::train
