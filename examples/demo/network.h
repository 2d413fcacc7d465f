// The network of the demo: 784-300-100-10, ReLU, softmax cross entropy.
#pragma once

#include <vector>

#include "examples/demo/demo_options.h"
#include "millrace/millrace.h"

namespace millrace::demo {

struct Network {
  Output images;   // uint8 [batch, 784], fed
  Output labels;   // int32 [batch], fed
  Output rate;     // float, fed: the learning rate of a step
  Output loss;     // float, the mean over the batch
  Output correct;  // int32, how many of the batch are classified right
  Output global_step;
  Output step;  // int64, the global step after an update of all variables
};

// The learning rate at a global step: constant at first, then falling, so that
// what asynchronous updates do to the last digits averages out.
float LearningRate(const DemoOptions& options, int64_t step);

// A replica's graph: variables go round robin over the ps, everything else to
// the worker. The same for every replica but for its worker.
StatusOr<Network> BuildNetwork(const Scope& root, const DemoOptions& options,
                               int worker);

}  // namespace millrace::demo
