// DynamicRnn: a recurrent network over sequences of any length, as a loop of
// the graph, in the manner of tf.nn.dynamic_rnn.
//
//   LstmCell cell(128);
//   const DynamicRnnResult rnn =
//       DynamicRnn(variables, cell, words, {.sequence_length = lengths});
//   const Output last = rnn.state[1];  // h
//
// The variables have the names of StaticRnn's, "rnn/lstm_cell/kernel", which
// are those of TensorFlow's checkpoints. Gradients go through the loop; what
// they need of the steps stays in memory until then.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "millrace/train/rnn/cell.h"

namespace millrace::train {

struct DynamicRnnOptions {
  // [batch] int32 or int64: from this step on an example's outputs are zeros
  // and its state is unchanged; the loop ends with the longest example. Null:
  // all steps.
  Output sequence_length;
  std::vector<Output> initial_state;  // empty: zeros
  // Whether inputs and outputs are [time, batch, n], which saves transposing
  // them.
  bool time_major = false;
  int64_t parallel_iterations = 32;  // as of a WhileLoop
  std::string name = "rnn";          // of the block of variables
};

struct DynamicRnnResult {
  Output outputs;             // [batch, time, cell.output_size()]
  std::vector<Output> state;  // after the last step of each example
};

// Calls the cell for each step of `inputs` [batch, time, n], whose n must be
// known; batch and time need not be. All outputs are null after an error of the
// graph.
DynamicRnnResult DynamicRnn(const VariableScope& variables, RnnCell& cell,
                            const Output& inputs,
                            const DynamicRnnOptions& options = {});

struct BidirectionalDynamicRnnOptions {
  Output sequence_length;
  std::vector<Output> initial_state_forward;
  std::vector<Output> initial_state_backward;
  bool time_major = false;
  int64_t parallel_iterations = 32;
  std::string name = "bidirectional_rnn";  // with the blocks "fw" and "bw"
};

struct BidirectionalDynamicRnnResult {
  DynamicRnnResult forward;
  // From the end of each sequence to its beginning; outputs are at the times of
  // their inputs.
  DynamicRnnResult backward;
};

// Runs two cells over the same inputs, in both directions.
BidirectionalDynamicRnnResult BidirectionalDynamicRnn(
    const VariableScope& variables, RnnCell& forward, RnnCell& backward,
    const Output& inputs, const BidirectionalDynamicRnnOptions& options = {});

}  // namespace millrace::train
