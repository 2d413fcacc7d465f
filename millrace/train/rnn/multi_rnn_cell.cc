#include "millrace/train/rnn/multi_rnn_cell.h"

#include "absl/strings/str_cat.h"

namespace millrace::train {

std::vector<int64_t> MultiRnnCell::state_sizes() const {
  std::vector<int64_t> sizes;
  for (const auto& cell : cells_) {
    for (const int64_t size : cell->state_sizes()) sizes.push_back(size);
  }
  return sizes;
}

std::vector<bool> MultiRnnCell::state_is_memory() const {
  std::vector<bool> is_memory;
  for (const auto& cell : cells_) {
    for (const bool is : cell->state_is_memory()) is_memory.push_back(is);
  }
  return is_memory;
}

bool MultiRnnCell::CreateVariables(const VariableScope& variables,
                                   int64_t inputs, DataType dtype) {
  const VariableScope block = variables.Sub(options_.name);
  int64_t width = inputs;
  for (size_t i = 0; i < cells_.size(); ++i) {
    if (!cells_[i]->CreateVariables(block.Sub(absl::StrCat("cell_", i)), width,
                                    dtype)) {
      return false;
    }
    width = cells_[i]->output_size();
  }
  return true;
}

RnnCell::Step MultiRnnCell::Call(const VariableScope& variables,
                                 const Output& x,
                                 const std::vector<Output>& state) {
  const VariableScope block = variables.Sub(options_.name);
  if (!CheckCall(block.scope(), x, state)) return {};
  Step all;
  all.output = x;
  auto at = state.begin();
  for (size_t i = 0; i < cells_.size(); ++i) {
    const auto end =
        at + static_cast<std::ptrdiff_t>(cells_[i]->state_sizes().size());
    Step step = cells_[i]->Call(block.Sub(absl::StrCat("cell_", i)), all.output,
                                std::vector<Output>(at, end));
    at = end;
    all.output = step.output;
    all.state.insert(all.state.end(), step.state.begin(), step.state.end());
  }
  return all;
}

}  // namespace millrace::train
