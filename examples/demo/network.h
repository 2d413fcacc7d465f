// The network of the demo: 784-300-100-10, ReLU, softmax cross entropy.
#pragma once

#include <vector>

#include "examples/demo/demo_options.h"
#include "millrace/client/variables.h"

namespace millrace::demo {

struct Network {
  Output images;   // uint8 [batch, 784], fed
  Output labels;   // int32 [batch], fed
  Output loss;     // float, the mean over the batch
  Output correct;  // int32, how many of the batch are classified right
  Output step;     // int64, the global step after an update of all variables
};

// A replica's graph: variables go to the ps with the fewest bytes, everything
// else to the worker. The same for every replica but for its worker.
StatusOr<Network> BuildNetwork(const Scope& root, const DemoOptions& options,
                               int worker);

}  // namespace millrace::demo
