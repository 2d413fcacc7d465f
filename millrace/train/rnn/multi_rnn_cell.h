// MultiRnnCell: a stack of cells.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/train/rnn/cell.h"

namespace millrace::train {

struct MultiRnnCellOptions {
  std::string name = "multi_rnn_cell";
};

// The output of each cell is the input of the next; the state is the
// concatenated list of theirs. Variables: "multi_rnn_cell/cell_0/...",
// "cell_1/...". Requires: at least one cell.
class MultiRnnCell final : public RnnCell {
 public:
  explicit MultiRnnCell(std::vector<std::unique_ptr<RnnCell>> cells,
                        const MultiRnnCellOptions& options = {})
      : cells_(std::move(cells)), options_(options) {}

  std::vector<int64_t> state_sizes() const override;
  std::vector<bool> state_is_memory() const override;
  int64_t output_size() const override {
    return cells_.empty() ? 0 : cells_.back()->output_size();
  }
  bool CreateVariables(const VariableScope& variables, int64_t inputs,
                       DataType dtype) override;
  Step Call(const VariableScope& variables, const Output& x,
            const std::vector<Output>& state) override;

 private:
  const std::vector<std::unique_ptr<RnnCell>> cells_;
  const MultiRnnCellOptions options_;
};

}  // namespace millrace::train
