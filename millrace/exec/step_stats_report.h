// Converts the recorded events of a step to the messages that clients read.
#pragma once

#include "millrace/exec/step_stats.h"
#include "millrace/protocol/step_stats.h"

namespace millrace {

// Each receive is a node "RecvTensor" of its device, as in TensorFlow, with its
// bytes as output 0.
StepStats ToStepStats(const StepEvents& events);

}  // namespace millrace
