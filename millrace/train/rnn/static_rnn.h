// StaticRnn: a recurrent network unrolled over a fixed number of steps.
#pragma once

#include <string>
#include <vector>

#include "millrace/train/rnn/cell.h"

namespace millrace::train {

struct StaticRnnOptions {
  std::vector<Output> initial_state;  // empty: zeros
  // [batch] int32 or int64: from this step on an example's outputs are zeros
  // and its state is unchanged. Null: all steps.
  Output sequence_length;
  std::string name = "rnn";  // of the block of variables
};

struct StaticRnnResult {
  std::vector<Output> outputs;  // one per step, [batch, cell.output_size()]
  std::vector<Output> state;    // after the last step
};

// Calls the cell once for each of `inputs` [batch, n], at least one. Empty
// after an error of the graph.
StaticRnnResult StaticRnn(const VariableScope& variables, RnnCell& cell,
                          const std::vector<Output>& inputs,
                          const StaticRnnOptions& options = {});

}  // namespace millrace::train
